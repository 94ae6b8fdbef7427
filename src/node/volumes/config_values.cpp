#include "node/volumes/config_values.h"

#include "base/crypto/ids.h"

#include <fmt/format.h>

#include <algorithm>

namespace trainyard::node {
namespace {

const char* small_name(ConfigKind kind) {
  return kind == ConfigKind::kConfigMap ? "configmap" : "secret";
}

const char* kind_name(ConfigKind kind) {
  return kind == ConfigKind::kConfigMap ? "ConfigMap" : "Secret";
}

Error not_found(ConfigKind kind, std::string_view name) {
  return Error(Code::kNotFound, fmt::format("{} \"{}\" not found", small_name(kind), name));
}

/// Nothing when it is no text: a Secret's values are base64.
std::optional<std::string> text_of(ConfigKind kind, const Json& value) {
  if (!value.is_string()) return std::nullopt;
  std::string text = to_string(value.get_string());
  return kind == ConfigKind::kSecret ? base64_decode(text) : std::optional(std::move(text));
}

}  // namespace

Result<std::optional<std::string>> config_value(ConfigKind kind, const Json& reference,
                                                const std::string& ns, const FindConfig& find) {
  const std::string name(string_at(reference, "name"));
  const std::string_view key = string_at(reference, "key");
  const bool optional = bool_at(reference, "optional");
  const ObjectPtr object = find(kind, name);
  if (object == nullptr) {
    if (optional) return std::optional<std::string>();
    return not_found(kind, name);
  }
  const JsonObject& data = object_at(object->body(), "data");
  if (const Json* value = data.if_contains(key)) {
    if (auto text = text_of(kind, *value)) return text;
  }
  if (optional) return std::optional<std::string>();
  return Error(Code::kNotFound,
               fmt::format("couldn't find key {} in {} {}/{}", key, kind_name(kind), ns, name));
}

Result<std::vector<std::pair<std::string, std::string>>> config_values(ConfigKind kind,
                                                                       const Json& reference,
                                                                       const FindConfig& find) {
  const std::string name(string_at(reference, "name"));
  const ObjectPtr object = find(kind, name);
  std::vector<std::pair<std::string, std::string>> values;
  if (object == nullptr) {
    if (bool_at(reference, "optional")) return values;
    return not_found(kind, name);
  }
  for (const auto& member : object_at(object->body(), "data")) {
    if (auto text = text_of(kind, member.value())) {
      values.emplace_back(std::string(member.key()), *std::move(text));
    }
  }
  std::sort(values.begin(), values.end());
  return values;
}

}  // namespace trainyard::node
