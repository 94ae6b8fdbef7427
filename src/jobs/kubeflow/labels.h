#pragma once

#include "jobs/engine/form/form.h"

/// The labels of Kubeflow's pods and Services: today's, and those of older operators, which scripts
/// still select by. The engine adds replica-type, replica-index and job-role by itself.
namespace trainyard::jobs {

inline constexpr const char* kKubeflowOperatorLabel = "training.kubeflow.org/operator-name";
inline constexpr const char* kKubeflowJobLabel = "training.kubeflow.org/job-name";
inline constexpr const char* kKubeflowTypeLabel = "training.kubeflow.org/replica-type";
inline constexpr const char* kKubeflowIndexLabel = "training.kubeflow.org/replica-index";
inline constexpr const char* kKubeflowRoleLabel = "training.kubeflow.org/job-role";
inline constexpr const char* kOlderGroupLabel = "group-name";
inline constexpr const char* kOlderJobLabel = "job-name";

}  // namespace trainyard::jobs
