#include "node/volumes/volume_files.h"

#include "base/crypto/ids.h"
#include "node/volumes/pod_fields.h"
#include "object/values/metadata.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <set>

namespace trainyard::node {
namespace {

constexpr std::int64_t kUsualMode = 0644;
/// What kubelet asks for: longer than an hour, so that a client that reads it late has a valid one.
constexpr std::int64_t kAccountTokenSeconds = 3607;
constexpr const char* kTokenFile = "token";
constexpr const char* kAuthorityFile = "ca.crt";
constexpr const char* kNamespaceFile = "namespace";

bool is_inside(std::string_view path) {
  const std::filesystem::path relative(path);
  if (path.empty() || relative.is_absolute()) return false;
  // Names that begin with two dots are those of the folders that hold the content.
  return !path.starts_with("..") &&
         std::none_of(relative.begin(), relative.end(),
                      [](const auto& part) { return part == ".." || part == "."; });
}

Result<> add_file(std::string_view path, VolumeFile file, VolumeFiles& files) {
  if (!is_inside(path)) {
    return Error(Code::kInvalid, fmt::format("the path {} leads out of its volume", path));
  }
  files.insert_or_assign(std::string(path), std::move(file));
  return Ok();
}

/// `name="value"` for each, as kubelet writes labels and annotations.
std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char character : text) {
    const auto code = static_cast<unsigned char>(character);
    if (character == '"' || character == '\\') {
      out += '\\';
      out += character;
    } else if (character == '\n') {
      out += "\\n";
    } else if (character == '\t') {
      out += "\\t";
    } else if (character == '\r') {
      out += "\\r";
    } else if (code < 0x20 || code == 0x7f) {
      out += fmt::format("\\x{:02x}", code);
    } else {
      out += character;
    }
  }
  return out + "\"";
}

std::string lines_of(const JsonObject& map) {
  std::set<std::string> lines;
  for (const auto& member : map) {
    if (!member.value().is_string()) continue;
    const auto& value = member.value().get_string();
    lines.insert(
        fmt::format("{}={}", std::string_view(member.key()), quoted({value.data(), value.size()})));
  }
  return fmt::format("{}", fmt::join(lines, "\n"));
}

unsigned mode_of(const Json& item, std::int64_t otherwise) {
  return static_cast<unsigned>(int_at(item, "mode", otherwise)) & 0777;
}

/// The bytes that a ConfigMap or Secret holds, by key.
std::map<std::string, std::string> bytes_in(ConfigKind kind, const Json& object) {
  std::map<std::string, std::string> bytes;
  for (const char* field : {"data", "binaryData"}) {
    const bool plain = kind == ConfigKind::kConfigMap && std::string_view(field) == "data";
    for (const auto& member : object_at(object, field)) {
      if (!member.value().is_string()) continue;
      std::string text = to_string(member.value().get_string());
      auto decoded = plain ? std::optional(std::move(text)) : base64_decode(text);
      if (decoded) bytes[std::string(member.key())] = *std::move(decoded);
    }
  }
  return bytes;
}

Error missing_key(ConfigKind kind, std::string_view key) {
  return Error(Code::kNotFound,
               kind == ConfigKind::kConfigMap
                   ? fmt::format("configmap references non-existent config key: {}", key)
                   : fmt::format("references non-existent secret key: {}", key));
}

/// `source` is the part of the volume that names the object; where that name is depends on both.
Result<> add_config(ConfigKind kind, const Json& source, std::string_view name, std::int64_t mode,
                    const FileSources& sources, VolumeFiles& files) {
  const bool optional = bool_at(source, "optional");
  const ObjectPtr object = sources.find_config(kind, std::string(name));
  if (object == nullptr) {
    if (optional) return Ok();
    return Error(Code::kNotFound,
                 fmt::format("{} \"{}\" not found",
                             kind == ConfigKind::kConfigMap ? "configmap" : "secret", name));
  }
  auto bytes = bytes_in(kind, object->body());
  const JsonArray& items = array_at(source, "items");
  if (items.empty()) {
    for (auto& [key, content] : bytes) {
      TRY_OK(add_file(key, {std::move(content), static_cast<unsigned>(mode) & 0777}, files));
    }
  }
  for (const Json& item : items) {
    const std::string key(string_at(item, "key"));
    const auto found = bytes.find(key);
    if (found == bytes.end()) {
      if (optional) continue;
      return missing_key(kind, key);
    }
    TRY_OK(add_file(string_at(item, "path"), {found->second, mode_of(item, mode)}, files));
  }
  return Ok();
}

Result<std::string> told_of_pod(const Json& item, const FileSources& sources) {
  static const Json kNothing;
  if (const Json* reference = find(item, "resourceFieldRef")) {
    return resource_field(sources.pod, kNothing, *reference, sources.capacity);
  }
  const std::string_view path = string_at(item, "fieldRef.fieldPath");
  if (path == "metadata.labels" || path == "metadata.annotations") {
    return lines_of(object_at(sources.pod, path));
  }
  return pod_field(sources.pod, sources.facts, path);
}

Result<> add_downward(const Json& source, std::int64_t mode, const FileSources& sources,
                      VolumeFiles& files) {
  for (const Json& item : array_at(source, "items")) {
    TRY(std::string content, told_of_pod(item, sources));
    TRY_OK(add_file(string_at(item, "path"), {std::move(content), mode_of(item, mode)}, files));
  }
  return Ok();
}

TokenWish wish_of(const Json& source) {
  return {std::string(string_at(source, "audience")), int_at(source, "expirationSeconds", 3600)};
}

Result<> add_token(const Json& source, std::int64_t mode, const FileSources& sources,
                   VolumeFiles& files) {
  TRY(std::string token, sources.find_token(wish_of(source)));
  const FileOwner owner = file_owner(sources.pod);
  const bool guarded = owner.user || owner.group;
  VolumeFile file{std::move(token), guarded ? 0600 : static_cast<unsigned>(mode) & 0777};
  file.for_user = true;
  return add_file(string_at(source, "path"), std::move(file), files);
}

Result<> add_projected(const Json& projected, const FileSources& sources, VolumeFiles& files) {
  const std::int64_t mode = int_at(projected, "defaultMode", kUsualMode);
  for (const Json& source : array_at(projected, "sources")) {
    if (const Json* part = find(source, "configMap")) {
      TRY_OK(add_config(ConfigKind::kConfigMap, *part, string_at(*part, "name"), mode, sources,
                        files));
    } else if (const Json* secret = find(source, "secret")) {
      TRY_OK(add_config(ConfigKind::kSecret, *secret, string_at(*secret, "name"), mode, sources,
                        files));
    } else if (const Json* downward = find(source, "downwardAPI")) {
      TRY_OK(add_downward(*downward, mode, sources, files));
    } else if (const Json* token = find(source, "serviceAccountToken")) {
      TRY_OK(add_token(*token, mode, sources, files));
    } else {
      return Error(Code::kInvalid, fmt::format("the source {} is not supported", to_text(source)));
    }
  }
  return Ok();
}

std::optional<std::int64_t> user_of(const Json& pod, const Json& container) {
  for (const auto& [object, path] : {std::pair(&container, "securityContext.runAsUser"),
                                     std::pair(&pod, "spec.securityContext.runAsUser")}) {
    if (find(*object, path) != nullptr) return int_at(*object, path);
  }
  return std::nullopt;
}

}  // namespace

FileOwner file_owner(const Json& pod) {
  FileOwner owner;
  if (find(pod, "spec.securityContext.fsGroup") != nullptr) {
    owner.group = int_at(pod, "spec.securityContext.fsGroup");
  }
  std::set<std::optional<std::int64_t>> users;
  for (const char* list : {"spec.initContainers", "spec.containers"}) {
    for (const Json& container : array_at(pod, list)) users.insert(user_of(pod, container));
  }
  if (users.size() == 1) owner.user = *users.begin();
  return owner;
}

bool holds_files(const Json& volume) {
  constexpr std::array kTypes = {"configMap", "secret", "downwardAPI", "projected"};
  return std::any_of(kTypes.begin(), kTypes.end(),
                     [&](const char* type) { return find(volume, type) != nullptr; });
}

Result<VolumeFiles> plan_volume_files(const Json& volume, const FileSources& sources) {
  VolumeFiles files;
  if (const Json* source = find(volume, "configMap")) {
    TRY_OK(add_config(ConfigKind::kConfigMap, *source, string_at(*source, "name"),
                      int_at(*source, "defaultMode", kUsualMode), sources, files));
  } else if (const Json* secret = find(volume, "secret")) {
    TRY_OK(add_config(ConfigKind::kSecret, *secret, string_at(*secret, "secretName"),
                      int_at(*secret, "defaultMode", kUsualMode), sources, files));
  } else if (const Json* downward = find(volume, "downwardAPI")) {
    TRY_OK(add_downward(*downward, int_at(*downward, "defaultMode", kUsualMode), sources, files));
  } else if (const Json* projected = find(volume, "projected")) {
    TRY_OK(add_projected(*projected, sources, files));
  }
  // Who is in the pod's group may read, whatever the mode says: that is what the group is for.
  if (file_owner(sources.pod).group) {
    for (auto& [path, file] : files) file.mode |= 0440;
  }
  return files;
}

std::vector<TokenWish> token_wishes(const Json& volume) {
  std::vector<TokenWish> wishes;
  for (const Json& source : array_at(volume, "projected.sources")) {
    if (const Json* token = find(source, "serviceAccountToken")) wishes.push_back(wish_of(*token));
  }
  return wishes;
}

Json make_account_volume() {
  Json token{
      {"serviceAccountToken", {{"path", kTokenFile}, {"expirationSeconds", kAccountTokenSeconds}}}};
  Json authority{{"configMap",
                  {{"name", "kube-root-ca.crt"},
                   {"items", JsonArray{{{"key", "ca.crt"}, {"path", kAuthorityFile}}}}}}};
  Json ns{{"downwardAPI",
           {{"items", JsonArray{{{"path", kNamespaceFile},
                                 {"fieldRef", {{"fieldPath", "metadata.namespace"}}}}}}}}};
  JsonArray sources;
  for (Json* source : {&token, &authority, &ns}) sources.push_back(std::move(*source));
  return {{"name", kAccountVolume}, {"projected", {{"sources", std::move(sources)}}}};
}

std::set<std::string> account_files() {
  return {kAuthorityFile, kNamespaceFile, kTokenFile};
}

bool mounts_account(const Json& container) {
  const JsonArray& mounts = array_at(container, "volumeMounts");
  return std::any_of(mounts.begin(), mounts.end(), [](const Json& mount) {
    return string_at(mount, "mountPath") == kAccountPath;
  });
}

}  // namespace trainyard::node
