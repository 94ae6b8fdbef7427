#include "node/limits/gpus.h"

#include "client/api.h"
#include "object/values/metadata.h"
#include "object/values/quantity.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace trainyard::node {
namespace {

std::size_t asked_by(const Json& container) {
  // Its name has dots in it, which find() would take for a path.
  const JsonObject& limits = object_at(container, "resources.limits");
  const auto found = limits.find("nvidia.com/gpu");
  if (found == limits.end()) return 0;
  const auto amount = Quantity::parse(found->value());
  return amount ? static_cast<std::size_t>(std::max<std::int64_t>(amount->as_integer(), 0)) : 0;
}

/// How many of the pod's GPUs belong to containers before this one.
std::size_t asked_before(const Json& pod, std::string_view name) {
  std::size_t count = 0;
  for (const Json& other : array_at(pod, "spec.containers")) {
    if (string_at(other, "name") == name) return count;
    count += asked_by(other);
  }
  return 0;  // an init container: it has ended before the others begin
}

}  // namespace

std::vector<int> gpus_of(const Json& pod, std::int64_t first) {
  std::vector<int> numbers;
  std::string_view rest = annotation_of(pod, client::kGpusAnnotation);
  while (!rest.empty()) {
    const std::string_view number = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(rest.size(), number.size() + 1));
    std::int64_t own = 0;
    std::from_chars(number.data(), number.data() + number.size(), own);
    numbers.push_back(static_cast<int>(first + own));
  }
  return numbers;
}

Result<> check_gpus(const Json& pod, const Json& container) {
  const std::size_t asked = asked_by(container);
  const std::size_t before = asked_before(pod, string_at(container, "name"));
  const std::size_t given = gpus_of(pod, 0).size();
  if (asked == 0 || before + asked <= given) return Ok();
  return Error(
      Code::kNotFound,
      fmt::format("it asks for {} GPUs, which the pod has not been given: it starts when as "
                  "many are free on its node",
                  asked));
}

std::vector<std::pair<std::string, std::string>> gpu_variables(const Json& pod,
                                                               const Json& container,
                                                               std::int64_t first) {
  const std::vector<int> given = gpus_of(pod, first);
  const std::size_t begin = std::min(asked_before(pod, string_at(container, "name")), given.size());
  const std::size_t last = std::min(begin + asked_by(container), given.size());
  std::string list;
  for (std::size_t i = begin; i < last; ++i)
    list += (list.empty() ? "" : ",") + std::to_string(given[i]);
  return {
      // The numbers are those of nvidia-smi, not in the order of speed.
      {"CUDA_DEVICE_ORDER", "PCI_BUS_ID"},
      {"CUDA_VISIBLE_DEVICES", list},
      {"NVIDIA_VISIBLE_DEVICES", list.empty() ? "void" : list},
  };
}

}  // namespace trainyard::node
