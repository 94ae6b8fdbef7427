#include "object/values/metadata.h"
#include "server/rules/kind_rules.h"

namespace trainyard::server {
namespace {

constexpr std::size_t kMostBytes = 1 << 20;
constexpr const char* kFrozen = "field is immutable when `immutable` is set";

std::size_t size_of(const Json& value) {
  return value.is_string() ? value.get_string().size() : 0;
}

/// Base64 takes four characters for three bytes.
std::size_t decoded_size(const Json& value) {
  if (!value.is_string()) return 0;
  const std::string_view text = view(value.get_string());
  const std::size_t padding = text.ends_with("==") ? 2 : text.ends_with('=') ? 1 : 0;
  return text.size() / 4 * 3 - std::min(padding, text.size() / 4 * 3);
}

void check_keys(const JsonObject& values, const std::string& path, Errors& errors) {
  for (const auto& value : values) {
    const std::string_view key = key_of_member(value);
    add_problems(config_key_problems(key), entry(path, key), key, errors);
  }
}

void check_total(std::size_t bytes, const char* path, Errors& errors) {
  if (bytes > kMostBytes) {
    errors.push_back(field_errors::too_long(path, static_cast<std::int64_t>(kMostBytes)));
  }
}

void require_keys(const Json& secret, std::initializer_list<const char*> keys, Errors& errors) {
  for (const char* key : keys) {
    if (!object_at(secret, "data").contains(key)) {
      errors.push_back(field_errors::required(entry("data", key)));
    }
  }
}

/// What some types promise to those who read them.
void check_secret_type(const Json& secret, Errors& errors) {
  const std::string_view type = string_at(secret, "type");
  const JsonObject& data = object_at(secret, "data");
  if (type == "kubernetes.io/service-account-token") {
    if (annotation_of(secret, "kubernetes.io/service-account.name").empty()) {
      errors.push_back(
          field_errors::required("metadata.annotations[kubernetes.io/service-account.name]"));
    }
  } else if (type == "kubernetes.io/tls") {
    require_keys(secret, {"tls.crt", "tls.key"}, errors);
  } else if (type == "kubernetes.io/dockerconfigjson") {
    require_keys(secret, {".dockerconfigjson"}, errors);
  } else if (type == "kubernetes.io/dockercfg") {
    require_keys(secret, {".dockercfg"}, errors);
  } else if (type == "kubernetes.io/ssh-auth") {
    require_keys(secret, {"ssh-privatekey"}, errors);
  } else if (type == "kubernetes.io/basic-auth" && !data.contains("username") &&
             !data.contains("password")) {
    require_keys(secret, {"username", "password"}, errors);
  }
}

void check_frozen(const Json& before, const Json& after, std::initializer_list<const char*> fields,
                  Errors& errors) {
  if (!bool_at(before, "immutable")) return;
  if (!bool_at(after, "immutable")) errors.push_back(field_errors::forbidden("immutable", kFrozen));
  for (const char* field : fields) {
    if (object_at(before, field) != object_at(after, field)) {
      errors.push_back(field_errors::forbidden(field, kFrozen));
    }
  }
}

}  // namespace

void check_config_map(const Json& map, Errors& errors) {
  const JsonObject& data = object_at(map, "data");
  const JsonObject& binary = object_at(map, "binaryData");
  check_keys(data, "data", errors);
  check_keys(binary, "binaryData", errors);
  std::size_t bytes = 0;
  for (const auto& value : data) {
    bytes += size_of(value.value());
    if (binary.contains(value.key())) {
      errors.push_back(field_errors::invalid(entry("data", key_of_member(value)),
                                             Json(key_of_member(value)),
                                             "duplicate of key present in binaryData"));
    }
  }
  for (const auto& value : binary) bytes += decoded_size(value.value());
  check_total(bytes, "", errors);
}

void check_secret(const Json& secret, Errors& errors) {
  check_keys(object_at(secret, "data"), "data", errors);
  std::size_t bytes = 0;
  for (const auto& value : object_at(secret, "data")) bytes += decoded_size(value.value());
  check_total(bytes, "data", errors);
  check_secret_type(secret, errors);
}

void check_config_map_update(const Json& before, const Json& after, Errors& errors) {
  check_frozen(before, after, {"data", "binaryData"}, errors);
}

void check_secret_update(const Json& before, const Json& after, Errors& errors) {
  check_field_unchanged(before, after, "type", errors);
  check_frozen(before, after, {"data"}, errors);
}

}  // namespace trainyard::server
