#pragma once

#include "server/rules/faults.h"

/// The rules of each built-in kind, called by ../rules.cpp. `check_…` is called with an object that
/// has all that its schema requires, of the right types; values may be wrong. `check_…_update` may
/// meet anything in `after`: its schema has not been asked yet.
namespace trainyard::server {

// rules/workloads.cpp
void check_deployment(const Json& deployment, Errors& errors);
void check_replica_set(const Json& set, Errors& errors);
void check_stateful_set(const Json& set, Errors& errors);
void check_batch_job(const Json& job, Errors& errors);
void check_selector_unchanged(const Json& before, const Json& after, Errors& errors);
void check_stateful_set_update(const Json& before, const Json& after, Errors& errors);
void check_batch_job_update(const Json& before, const Json& after, Errors& errors);

// rules/services.cpp
void check_service(const Json& service, Errors& errors);
void check_service_update(const Json& before, const Json& after, Errors& errors);
void check_endpoints(const Json& endpoints, Errors& errors);

// rules/config.cpp
void check_config_map(const Json& map, Errors& errors);
void check_secret(const Json& secret, Errors& errors);
void check_config_map_update(const Json& before, const Json& after, Errors& errors);
void check_secret_update(const Json& before, const Json& after, Errors& errors);

// rules/roles.cpp
void check_role(const Json& role, Errors& errors);
void check_cluster_role(const Json& role, Errors& errors);
void check_role_binding(const Json& binding, Errors& errors);
void check_cluster_role_binding(const Json& binding, Errors& errors);
void check_role_binding_update(const Json& before, const Json& after, Errors& errors);

// rules/storage.cpp
void check_volume(const Json& volume, Errors& errors);
void check_claim(const Json& claim, Errors& errors);
void check_volume_update(const Json& before, const Json& after, Errors& errors);
void check_claim_update(const Json& before, const Json& after, Errors& errors);
void check_storage_class_update(const Json& before, const Json& after, Errors& errors);

// rules/cluster.cpp
void check_node(const Json& node, Errors& errors);
void check_event(const Json& event, Errors& errors);
void check_lease(const Json& lease, Errors& errors);
void check_priority_class(const Json& priority, Errors& errors);
void check_priority_class_update(const Json& before, const Json& after, Errors& errors);
void check_quota(const Json& quota, Errors& errors);
void check_quota_update(const Json& before, const Json& after, Errors& errors);
void check_limit_range(const Json& range, Errors& errors);

}  // namespace trainyard::server
