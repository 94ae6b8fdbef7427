#include "server/verbs/scale.h"

#include "object/values/selector.h"
#include "server/status.h"

#include <fmt/format.h>

namespace trainyard::server {

const Kind& scale_kind() {
  static const Kind kScale = [] {
    Kind kind;
    kind.resource = Resource{"autoscaling", "v1", "scales"};
    kind.kind = "Scale";
    kind.columns = {
        {"Desired", "integer", "", "The number of replicas that is wanted.", ".spec.replicas", 0},
        {"Available", "integer", "", "The number of replicas there is.", ".status.replicas", 0},
        {"Age", "date", "", "Since when its object exists.", ".metadata.creationTimestamp", 0}};
    return kind;
  }();
  return kScale;
}

Json scale_of(const Kind& kind, const Json& object) {
  JsonObject metadata;
  for (const char* field : {"name", "namespace", "uid", "resourceVersion", "creationTimestamp"}) {
    if (const Json* value = find(object, std::string("metadata.") + field))
      metadata[field] = *value;
  }
  Json scale{{"kind", "Scale"},
             {"apiVersion", "autoscaling/v1"},
             {"metadata", std::move(metadata)},
             {"spec", JsonObject()},
             {"status", {{"replicas", int_at(object, kind.scale->status_replicas)}}}};
  // Kinds in which the number may be left out mean 1 by that, save those that say 0.
  if (const Json* wanted = find(object, kind.scale->spec_replicas); wanted && wanted->is_int64()) {
    make_path(scale, "spec.replicas") = *wanted;
  }
  if (!kind.scale->label_selector.empty()) {
    if (const Json* selector = find(object, kind.scale->label_selector)) {
      make_path(scale, "status.selector") = selector->is_string()
                                                ? to_string(selector->get_string())
                                                : label_selector_text(*selector);
    }
  }
  return scale;
}

Result<> set_scale(const Kind& kind, Json& object, const Json& scale) {
  const Json* wanted = find(scale, "spec.replicas");
  const std::int64_t replicas = wanted == nullptr ? 0 : int_at(scale, "spec.replicas", -1);
  constexpr std::int64_t kMost = 2147483647;
  if (replicas < 0 || replicas > kMost) {
    return invalid_object(
        kind, std::string(name_of(object)),
        {{"spec.replicas",
          fmt::format("Invalid value: {}: must be a number, 0 or more", to_text(*wanted)),
          "FieldValueInvalid"}});
  }
  make_path(object, kind.scale->spec_replicas) = replicas;
  return Ok();
}

}  // namespace trainyard::server
