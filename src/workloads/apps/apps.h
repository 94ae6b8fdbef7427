#pragma once

#include "object/values/metadata.h"

namespace trainyard::workloads {

inline const Resource kDeployments{"apps", "v1", "deployments"};
inline const Resource kReplicaSets{"apps", "v1", "replicasets"};

inline constexpr const char* kTemplateHashLabel = "pod-template-hash";
inline constexpr const char* kRevision = "deployment.kubernetes.io/revision";
inline constexpr const char* kRevisionHistory = "deployment.kubernetes.io/revision-history";
inline constexpr const char* kDesiredReplicas = "deployment.kubernetes.io/desired-replicas";
inline constexpr const char* kMaxReplicas = "deployment.kubernetes.io/max-replicas";

}  // namespace trainyard::workloads
