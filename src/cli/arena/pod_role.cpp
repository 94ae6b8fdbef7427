#include "cli/arena/pod_role.h"

#include "cli/arena/words.h"
#include "object/values/quantity.h"

#include <charconv>

namespace trainyard::cli::arena {
namespace {

constexpr const char* kRoleLabels[] = {
    "training.kubeflow.org/replica-type",
    "pytorch-replica-type",
    "tf-replica-type",
    "mpi_role_type",
    "mpi-replica-type",
    "training.kubeflow.org/job-role",
    "job-role",
};
constexpr const char* kIndexLabels[] = {
    "training.kubeflow.org/replica-index",
    "pytorch-replica-index",
    "tf-replica-index",
    "mpi-replica-index",
};

}  // namespace

std::string pod_role(const Json& pod) {
  for (const char* label : kRoleLabels) {
    const std::string_view role = label_of(pod, label);
    if (!role.empty()) return lower(role);
  }
  return {};
}

std::optional<std::int64_t> pod_index(const Json& pod) {
  for (const char* label : kIndexLabels) {
    const std::string_view text = label_of(pod, label);
    std::int64_t index = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), index);
    if (!text.empty() && read.ec == std::errc()) return index;
  }
  return std::nullopt;
}

bool is_of_kubeflow(const Json& pod) {
  return label_of(pod, "group-name") == "kubeflow.org" ||
         label_of(pod, "group_name") == "kubeflow.org" ||
         !label_of(pod, "training.kubeflow.org/operator-name").empty() ||
         !label_of(pod, "training.kubeflow.org/job-name").empty();
}

bool is_instance_of(const Json& pod, std::string_view type, std::string_view job) {
  return label_of(pod, "release") == job && label_of(pod, "app") == type && is_of_kubeflow(pod);
}

std::int64_t gpus_in(const Json& amounts) {
  const JsonObject* members = amounts.if_object();
  if (members == nullptr) return 0;
  for (const char* name : {"nvidia.com/gpu", "alpha.kubernetes.io/nvidia-gpu"}) {
    const Json* amount = members->if_contains(name);
    if (amount == nullptr) continue;
    const auto quantity = Quantity::parse(*amount);
    if (quantity && quantity->as_integer() > 0) return quantity->as_integer();
  }
  return 0;
}

std::int64_t spec_gpus(const Json& pod_spec) {
  std::int64_t total = 0;
  for (const Json& container : array_at(pod_spec, "containers")) {
    if (const Json* limits = find(container, "resources.limits")) total += gpus_in(*limits);
  }
  return total;
}

std::int64_t pod_gpus(const Json& pod) {
  const Json* spec = find(pod, "spec");
  return spec == nullptr ? 0 : spec_gpus(*spec);
}

std::string_view host_ip(const Json& pod) {
  return string_at(pod, "status.hostIP");
}

std::string_view phase_of_pod(const Json& pod) {
  return string_at(pod, "status.phase", "Pending");
}

}  // namespace trainyard::cli::arena
