#pragma once

#include "jobs/engine/form/form.h"

#include <string>

/// The variables that a GenericJob may use in command, args and env of its containers.
namespace trainyard::jobs {

/// <job>-<type>-<index>: the service of one replica, and its host name.
std::string replica_service_name(const Json& job, std::string_view type, std::int64_t index);

/// Replaces $(type), $(rank), $(replicas[TYPE]) and, where the job has services,
/// $(service.TYPE[RANK].host) and $(service.port[NAME]). What it does not know stays as it is, and
/// so does $$(…), which is Kubernetes' way to write $(…). Replaces text only: values may be JSON.
std::string substitute(std::string_view text, const Json& job, const JobForm& form,
                       const Replica& replica);

/// In all containers of the pod.
void substitute_variables(Json& pod, const Json& job, const JobForm& form, const Replica& replica);

}  // namespace trainyard::jobs
