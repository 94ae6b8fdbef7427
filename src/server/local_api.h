#pragma once

#include "client/api.h"
#include "server/access/reviews.h"
#include "server/verbs/verbs.h"

namespace trainyard::server {

/// The API for controllers in the same process: the same verbs and admission as over HTTPS, without
/// the wire. Acts as the system itself.
class LocalApi final : public client::Api {
 public:
  LocalApi(Verbs& verbs, const Reviews& reviews) : verbs_(verbs), reviews_(reviews) {}

  awaitable<Result<ObjectPtr>> get(Resource resource, Key key) override;
  awaitable<Result<client::Listing>> list(Resource resource, client::ListOptions options) override;
  awaitable<Result<std::unique_ptr<client::Watch>>> watch(Resource resource,
                                                          client::ListOptions options,
                                                          std::string from_version) override;
  awaitable<Result<ObjectPtr>> create(Resource resource, std::string ns, Json object) override;
  awaitable<Result<ObjectPtr>> update(Resource resource, Json object) override;
  awaitable<Result<ObjectPtr>> update_status(Resource resource, Json object) override;
  awaitable<Result<ObjectPtr>> patch(Resource resource, Key key, client::PatchType type, Json patch,
                                     std::string subresource) override;
  awaitable<Result<>> remove(Resource resource, Key key, client::DeleteOptions options) override;
  awaitable<Result<>> bind(std::vector<client::Binding> bindings) override;
  awaitable<Result<Json>> request_token(Key account, Json request) override;

 private:
  Result<KindPtr> kind_of(const Resource& resource) const;
  Verbs& verbs_;
  const Reviews& reviews_;
};

}  // namespace trainyard::server
