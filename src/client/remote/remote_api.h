#pragma once

#include "base/clock.h"
#include "client/api.h"
#include "client/pod_streams.h"
#include "client/remote/kubeconfig.h"
#include "http/server.h"

#include <memory>

namespace trainyard::client {

/// The API of a server somewhere else, over HTTPS.
class RemoteApi final : public Api, public PodStreams {
 public:
  RemoteApi(Executor loop, Connection connection);
  ~RemoteApi() override;

  awaitable<Result<ObjectPtr>> get(Resource resource, Key key) override;
  awaitable<Result<Listing>> list(Resource resource, ListOptions options) override;
  awaitable<Result<std::unique_ptr<Watch>>> watch(Resource resource, ListOptions options,
                                                  std::string from_version) override;
  awaitable<Result<ObjectPtr>> create(Resource resource, std::string ns, Json object) override;
  awaitable<Result<ObjectPtr>> update(Resource resource, Json object) override;
  awaitable<Result<ObjectPtr>> update_status(Resource resource, Json object) override;
  awaitable<Result<ObjectPtr>> patch(Resource resource, Key key, PatchType type, Json patch,
                                     std::string subresource) override;
  awaitable<Result<>> remove(Resource resource, Key key, DeleteOptions options) override;
  awaitable<Result<>> bind(std::vector<Binding> bindings) override;
  awaitable<Result<Json>> request_token(Key account, Json request) override;
  awaitable<Result<std::unique_ptr<ByteStream>>> open_log(Key pod, LogOptions options) override;
  /// None where the server is not ours.
  awaitable<Result<std::vector<KeptLog>>> kept_logs(std::string ns) override;

  /// A list without the members of these names, wherever they are in its objects: what nobody reads
  /// need not be built.
  awaitable<Result<Listing>> list_without(Resource resource, ListOptions options,
                                          std::vector<std::string> left_out);

  /// Whether an object could be created; creates nothing. The error is the one that creating it
  /// would give.
  awaitable<Result<>> try_create(Resource resource, std::string ns, Json object);

  /// A GET of a path that is no object, such as /version.
  awaitable<Result<Json>> get_path(std::string path);
  /// A POST to one.
  awaitable<Result<Json>> post_path(std::string path, Json body);
  /// A request for what is no object, such as the files of a volume; the answer is JSON.
  awaitable<Result<Json>> call(http::ClientRequest request);
  /// The same for an answer in parts. One whose body comes in parts is sent once.
  awaitable<Result<std::unique_ptr<http::ResponseStream>>> open(http::ClientRequest request);
  /// A WebSocket at a path with its query: commands in containers are talked to over one.
  awaitable<Result<std::unique_ptr<http::WebSocket>>> open_socket(std::string target,
                                                                  std::string subprotocol);

 private:
  /// Again, when the server asks for it.
  awaitable<Result<http::Response>> send(http::ClientRequest request);
  awaitable<Result<ObjectPtr>> call_for_object(http::ClientRequest request);
  void add_headers(http::ClientRequest& request, const std::string& content_type) const;

  http::Client http_;
  SystemClock clock_;
  std::string token_;
};

/// /apis/GROUP/VERSION/namespaces/NS/PLURAL/NAME/SUBRESOURCE, without what is empty.
std::string resource_path(const Resource& resource, const Key& key,
                          const std::string& subresource = "");

}  // namespace trainyard::client
