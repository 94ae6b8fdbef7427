#pragma once

#include "object/values/metadata.h"

#include <optional>
#include <string>
#include <string_view>

/// What a pod of a Kubeflow job is in it. Operators label pods in two ways: each kind with words of
/// its own (`pytorch-replica-type`, `group-name`), and the newer ones all alike
/// (`training.kubeflow.org/…`). Both are read.
namespace trainyard::cli::arena {

/// master, worker, ps, chief, evaluator, launcher; empty when its labels do not say.
std::string pod_role(const Json& pod);
std::optional<std::int64_t> pod_index(const Json& pod);

/// Whether some operator of Kubeflow's has made it.
bool is_of_kubeflow(const Json& pod);
/// Whether it belongs to the job of that type and name (and of its own namespace).
bool is_instance_of(const Json& pod, std::string_view type, std::string_view job);

/// GPUs that it may use: the sum of its containers' limits. Init containers do not count.
std::int64_t pod_gpus(const Json& pod);
/// The same of a pod's spec, or a template's.
std::int64_t spec_gpus(const Json& pod_spec);
/// Of a list such as limits or capacity.
std::int64_t gpus_in(const Json& amounts);

/// Its node's address; empty while it has none.
std::string_view host_ip(const Json& pod);
std::string_view phase_of_pod(const Json& pod);

}  // namespace trainyard::cli::arena
