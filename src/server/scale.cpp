#include "server/scale.h"

#include "server/status.h"

#include <fmt/format.h>

#include <algorithm>

namespace trainyard::server {
namespace {

/// matchLabels and matchExpressions as one line: a=b,c in (d,e).
std::string selector_text(const Json& selector) {
  if (selector.is_string()) return to_string(selector.get_string());
  std::vector<std::string> terms;
  for (const auto& label : object_at(selector, "matchLabels")) {
    terms.push_back(
        fmt::format("{}={}", std::string_view(label.key()),
                    label.value().is_string() ? std::string_view(label.value().get_string()) : ""));
  }
  for (const Json& expression : array_at(selector, "matchExpressions")) {
    const std::string_view key = string_at(expression, "key");
    const std::string_view op = string_at(expression, "operator");
    std::string values;
    for (const Json& value : array_at(expression, "values")) {
      values += fmt::format("{}{}", values.empty() ? "" : ",",
                            value.is_string() ? std::string_view(value.get_string()) : "");
    }
    if (op == "In") terms.push_back(fmt::format("{} in ({})", key, values));
    if (op == "NotIn") terms.push_back(fmt::format("{} notin ({})", key, values));
    if (op == "Exists") terms.emplace_back(key);
    if (op == "DoesNotExist") terms.push_back(fmt::format("!{}", key));
  }
  std::sort(terms.begin(), terms.end());
  std::string text;
  for (const std::string& term : terms) text += (text.empty() ? "" : ",") + term;
  return text;
}

}  // namespace

Json scale_of(const Kind& kind, const Json& object) {
  JsonObject metadata;
  for (const char* field :
       {"name", "namespace", "uid", "resourceVersion", "creationTimestamp"}) {
    if (const Json* value = find(object, std::string("metadata.") + field)) metadata[field] = *value;
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
      make_path(scale, "status.selector") = selector_text(*selector);
    }
  }
  return scale;
}

Result<> set_scale(const Kind& kind, Json& object, const Json& scale) {
  const Json* wanted = find(scale, "spec.replicas");
  const std::int64_t replicas = wanted == nullptr ? 0 : int_at(scale, "spec.replicas", -1);
  constexpr std::int64_t kMost = 2147483647;
  if (replicas < 0 || replicas > kMost) {
    return invalid_object(kind, std::string(name_of(object)),
                          {{"spec.replicas",
                            fmt::format("Invalid value: {}: must be a number, 0 or more",
                                        to_text(*wanted)),
                            "FieldValueInvalid"}});
  }
  make_path(object, kind.scale->spec_replicas) = replicas;
  return Ok();
}

}  // namespace trainyard::server
