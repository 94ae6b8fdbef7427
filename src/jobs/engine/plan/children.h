#pragma once

#include "jobs/engine/plan/draft.h"

/// What a job makes besides what its kind says of its pods.
namespace trainyard::jobs {

/// An object without a spec, owned by the job.
Json make_child(const Json& job, const char* api_version, const char* kind,
                const std::string& name);
/// The headless service under which the pods find each other.
Json make_headless_service(const Json& job);
/// Has the scheduler place all pods or none.
Json make_pod_group(const Json& job, const JobForm& form);
/// What every pod of every kind gets from the engine: name, owner, labels, its place in the group.
void complete_pod(Json& pod, const Json& job, const JobForm& form, const Observed& observed);

/// Plans what is missing, and removes the pods of replicas that are not wanted any more.
void make_children(Draft& draft);

}  // namespace trainyard::jobs
