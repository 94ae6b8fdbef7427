#pragma once

#include "object/schema/kind.h"
#include "store/store.h"

#include <string>

namespace trainyard::server {

/// What a new object must obey beside the rules of its own kind: the state of its namespace, limit
/// ranges, priority classes, the default storage class, service accounts.
class Policies {
 public:
  explicit Policies(const store::Store& store) : store_(store) {}

  /// Fills in what the namespace or the cluster prescribes and refuses what they forbid.
  Result<> admit_create(const Kind& kind, const std::string& ns, Json& object) const;

 private:
  Result<> check_namespace(const Kind& kind, const std::string& ns, const Json& object) const;
  Result<> apply_limit_ranges(const std::string& ns, Json& pod) const;
  Result<> resolve_priority(Json& pod) const;
  Result<> check_service_account(const std::string& ns, const Json& pod) const;
  void choose_storage_class(Json& claim) const;

  const store::Store& store_;
};

}  // namespace trainyard::server
