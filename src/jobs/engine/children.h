#pragma once

#include "jobs/engine/form.h"
#include "jobs/engine/observation.h"

/// What a job makes besides what its kind says of its pods.
namespace trainyard::jobs {

/// The headless service under which the pods find each other.
Json make_service(const Json& job);
/// Has the scheduler place all pods or none.
Json make_pod_group(const Json& job, const JobForm& form);
/// What every pod of every kind gets from the engine: name, owner, labels, its place in the group.
void complete_pod(Json& pod, const Json& job, const JobForm& form, const Observed& observed);

}  // namespace trainyard::jobs
