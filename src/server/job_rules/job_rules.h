#pragma once

#include "object/schema/kind.h"

#include <string>
#include <vector>

namespace trainyard::server {

/// Checks a pod's spec at a path. The rules of pods are not ours; whoever calls us has them.
using PodSpecCheck = void (*)(const Json& spec, const std::string& path,
                              std::vector<FieldError>& errors);

/// Rules between the fields of jobs, TensorBoards, notebooks and queues, which a schema cannot
/// express. Called with an object that its schema has accepted; nothing for other kinds.
std::vector<FieldError> check_job_rules(const Kind& kind, const Json& object,
                                        PodSpecCheck check_pod_spec);

/// What is accepted and yet has no effect, or not the one that its user expects; each names its
/// field.
std::vector<std::string> warn_of_job(const Kind& kind, const Json& object);

/// What an update of one of these kinds may not change.
std::vector<FieldError> check_job_update(const Kind& kind, const Json& before, const Json& after);

}  // namespace trainyard::server
