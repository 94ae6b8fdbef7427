#include "cli/arena/submit/setting_values.h"

#include "base/crypto/md5.h"
#include "base/files/folder_entries.h"
#include "object/values/quantity.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <set>

namespace trainyard::cli::arena {
namespace {

constexpr std::size_t kHashDigits = 15;

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::size_t from = 0;
  while (true) {
    const std::size_t at = text.find(separator, from);
    parts.push_back(text.substr(from, at - from));
    if (at == std::string::npos) return parts;
    from = at + 1;
  }
}

bool is_alphanumeric(char letter) {
  return std::isalnum(static_cast<unsigned char>(letter)) != 0;
}

bool all_of(std::string_view text, std::string_view others) {
  return std::all_of(text.begin(), text.end(), [&](char letter) {
    return is_alphanumeric(letter) || others.find(letter) != std::string_view::npos;
  });
}

Result<> check_claim_name(const std::string& name) {
  if (name.size() < 2) {
    return wrong(fmt::format("--data: the PVC's name \"{}\" is too short", name));
  }
  if (is_alphanumeric(name.front()) && all_of(name, "_.-")) return Ok();
  return wrong(
      fmt::format("--data: the PVC's name \"{}\" has illegal characters: letters, digits, "
                  "'_', '.' and '-' are allowed",
                  name));
}

/// A domain and a name, as all devices have: amd.com/gpu.
bool is_device_name(const std::string& name) {
  const std::vector<std::string> parts = split(name, '/');
  return parts.size() == 2 && !parts[0].empty() && !parts[1].empty() && all_of(parts[0], ".-") &&
         all_of(parts[1], "_.-") && is_alphanumeric(parts[0].front()) &&
         is_alphanumeric(parts[1].front()) && is_alphanumeric(parts[1].back());
}

struct ConfigPlace {
  std::string local;
  std::string path;  // in the container
};

Result<ConfigPlace> read_config_place(const std::string& text) {
  const std::vector<std::string> parts = split(text, ':');
  if (parts.size() > 2 || parts[0].empty()) {
    return wrong(fmt::format("--config-file {}: write FILE or FILE:/PATH", text));
  }
  ConfigPlace place;
  place.local = parts[0];
  if (place.local.starts_with("~/")) {
    const char* home = std::getenv("HOME");
    place.local = (home == nullptr ? "" : home) + place.local.substr(1);
  }
  place.path = parts.size() == 2 ? parts[1] : from_root(place.local).string();
  if (!place.path.starts_with('/')) {
    return wrong(fmt::format("--config-file {}: the container's path {} must be absolute", text,
                             place.path));
  }
  // A folder: the file keeps its name there.
  if (place.path.ends_with('/')) place.path += std::filesystem::path(place.local).filename();
  return place;
}

Result<Json> read_toleration(const std::string& text) {
  const Error unknown =
      wrong(fmt::format("--toleration {}: write all, KEY or KEY=VALUE:EFFECT,OPERATOR, such as "
                        "dedicated=vision:NoSchedule,Equal",
                        text));
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos) {
    if (text.empty() || !all_of(text, "_.-/")) return unknown;
    return Json{{"key", text}, {"operator", "Exists"}};
  }
  const std::size_t colon = text.find(':', equals);
  const std::size_t comma = text.find(',', equals);
  if (equals == 0 || colon == std::string::npos || comma == std::string::npos || comma < colon) {
    return unknown;
  }
  const std::string value = text.substr(equals + 1, colon - equals - 1);
  const std::string effect = text.substr(colon + 1, comma - colon - 1);
  const std::string how = text.substr(comma + 1);
  const bool known_effect =
      effect == "NoSchedule" || effect == "PreferNoSchedule" || effect == "NoExecute";
  if (!known_effect || (how != "Equal" && how != "Exists")) return unknown;
  JsonObject entry{{"key", text.substr(0, equals)}, {"operator", how}, {"effect", effect}};
  if (how == "Equal") entry["value"] = value;  // the other compares none
  return Json(std::move(entry));
}

}  // namespace

Error wrong(std::string text) {
  return Error(Code::kInvalid, std::move(text));
}

std::string repository_name(std::string_view source) {
  while (source.ends_with('/')) source.remove_suffix(1);
  const std::size_t before = source.find_last_of("/:");
  if (before != std::string_view::npos) source.remove_prefix(before + 1);
  if (source.ends_with(".git")) source.remove_suffix(4);
  return std::string(source);
}

Result<std::map<std::string, std::string>> read_pairs(const std::vector<std::string>& texts,
                                                      const std::string& flag) {
  std::map<std::string, std::string> pairs;
  for (const std::string& text : texts) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0) {
      return wrong(fmt::format("--{} {}: write KEY=VALUE", flag, text));
    }
    pairs[text.substr(0, equals)] = text.substr(equals + 1);
  }
  return pairs;
}

Result<std::vector<ClaimMount>> read_claims(const std::vector<std::string>& texts) {
  std::vector<ClaimMount> mounts;
  std::set<std::string> seen;
  for (const std::string& text : texts) {
    const std::vector<std::string> parts = split(text, ':');
    if (parts.size() != 2) {
      return wrong(fmt::format("--data {}: its format must be like name:/data0", text));
    }
    TRY_OK(check_claim_name(parts[0]));
    if (!seen.insert(parts[0]).second) {
      return wrong(fmt::format(
          "--data: the PVC {} is repeated, one PVC cannot be mounted at two paths", parts[0]));
    }
    if (parts[1] == "/") return wrong(fmt::format("--data {}: the path may not be /", text));
    if (!parts[1].starts_with('/')) {
      return wrong(fmt::format("--data {}: the path {} must be absolute", text, parts[1]));
    }
    mounts.push_back({parts[0], parts[1]});
  }
  return mounts;
}

Result<std::vector<HostMount>> read_host_folders(const std::vector<std::string>& texts) {
  std::vector<HostMount> mounts;
  for (const std::string& text : texts) {
    const std::vector<std::string> parts = split(text, ':');
    const bool good = parts.size() <= 2 && parts.front().starts_with('/') &&
                      parts.back().starts_with('/') && parts.back() != "/";
    if (!good) {
      return wrong(fmt::format("invalid data dir \"{}\": write /HOST or /HOST:/PATH", text));
    }
    mounts.push_back({parts.front(), parts.back()});
  }
  return mounts;
}

Result<std::map<std::string, std::string>> read_devices(const std::vector<std::string>& texts) {
  std::map<std::string, std::string> devices;
  for (const std::string& text : texts) {
    const std::vector<std::string> parts = split(text, '=');
    if (parts.size() != 2) {
      return wrong(fmt::format("--device {}: write RESOURCE=N, such as amd.com/gpu=1", text));
    }
    if (!is_device_name(parts[0])) {
      return wrong(fmt::format("--device {}: {} is no name of a device such as amd.com/gpu", text,
                               parts[0]));
    }
    if (parts[0] == "nvidia.com/gpu") {
      return wrong(fmt::format("--device {}: use --gpus for these", text));
    }
    const auto amount = Quantity::parse(parts[1]);
    if (!amount || *amount < Quantity()) {
      return wrong(fmt::format("--device {}: {} is no number of devices", text, parts[1]));
    }
    devices[parts[0]] = parts[1];
  }
  return devices;
}

Result<std::vector<ConfigFolder>> read_config_files(const std::vector<std::string>& texts,
                                                    const ReadLocal& read_local) {
  std::vector<ConfigFolder> folders;
  for (const std::string& text : texts) {
    TRY(const ConfigPlace place, read_config_place(text));
    auto content = read_local(place.local);
    if (!content) {
      return wrong(fmt::format("--config-file {}: {}", text, content.error().message()));
    }
    const std::filesystem::path path(place.path);
    const std::string parent = path.parent_path();
    auto folder = std::find_if(folders.begin(), folders.end(),
                               [&](const ConfigFolder& one) { return one.folder == parent; });
    if (folder == folders.end()) {
      ConfigFolder fresh;
      fresh.folder = parent;
      fresh.hash = md5_hex(parent).substr(0, kHashDigits);
      folder = folders.insert(folders.end(), std::move(fresh));
    }
    folder->files[path.filename()] = *std::move(content);
  }
  return folders;
}

Result<JsonArray> read_tolerations(const std::vector<std::string>& texts) {
  JsonArray entries;
  for (const std::string& text : texts) {
    if (text == "all") {
      entries.push_back({{"operator", "Exists"}});
      return entries;
    }
    TRY(Json entry, read_toleration(text));
    entries.push_back(std::move(entry));
  }
  return entries;
}

Result<std::string> read_role_sequence(const std::string& text) {
  if (text.empty()) return std::string();
  constexpr std::pair<const char*, const char*> kRoles[] = {
      {"w", "Worker"}, {"p", "PS"}, {"c", "Chief"}, {"e", "Evaluator"}};
  std::vector<std::string> names;
  for (const std::string& word : split(text, ',')) {
    const auto* role = std::find_if(std::begin(kRoles), std::end(kRoles), [&](const auto& row) {
      return word == row.first || word == row.second;
    });
    if (role == std::end(kRoles)) {
      return wrong(fmt::format(
          "--role-sequence {}: unknown role {}, there are Worker, PS, Chief and Evaluator", text,
          word));
    }
    names.emplace_back(role->second);
  }
  return fmt::format("{}", fmt::join(names, ","));
}

}  // namespace trainyard::cli::arena
