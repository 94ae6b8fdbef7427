#include "base/files/folder_entries.h"
#include "cli/command/commands.h"
#include "cli/command/print.h"
#include "cli/images/image_load.h"
#include "cli/terminal/text_table.h"
#include "contract/image_map.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <functional>

namespace trainyard::cli {
namespace {

using contract::ImageMap;

Key maps_key() {
  return Key{contract::kImageMapsNamespace, contract::kImageMapsName};
}

Result<std::string> environment_folder(const std::string& flag, const std::string& folder) {
  std::error_code failed;
  const std::filesystem::path path = std::filesystem::canonical(folder, failed);
  if (!failed && is_folder(path / "bin")) return path.string();
  return Error(Code::kInvalid, fmt::format("{} {}: there is no folder bin in it", flag, folder));
}

Result<ImageMap> make_map(const ImageOptions& options) {
  ImageMap map;
  map.pattern = options.pattern;
  struct Choice {
    const char* flag;
    const std::string& folder;
    ImageMap::Kind kind;
  };
  int given = options.host ? 1 : 0;
  for (const auto& [flag, folder, kind] :
       {Choice{"--venv", options.venv, ImageMap::Kind::kVenv},
        Choice{"--conda", options.conda, ImageMap::Kind::kConda},
        Choice{"--rootfs", options.rootfs, ImageMap::Kind::kRootfs}}) {
    if (folder.empty()) continue;
    ++given;
    map.kind = kind;
    TRY(map.folder, environment_folder(flag, folder));
  }
  if (given != 1) {
    return Error(Code::kInvalid,
                 "say what the image stands for: --venv DIR, --conda DIR, --rootfs DIR or --host");
  }
  for (const std::string& variable : options.variables) {
    const std::size_t equals = variable.find('=');
    if (equals == std::string::npos || equals == 0) {
      return Error(Code::kInvalid, fmt::format("--env {}: write NAME=VALUE", variable));
    }
    map.variables.emplace_back(variable.substr(0, equals), variable.substr(equals + 1));
  }
  map.config = options.config;
  return map;
}

/// The maps, and the state of the object that they are in; empty when there is none yet.
struct KnownMaps {
  std::vector<ImageMap> maps;
  std::string version;
};

awaitable<Result<KnownMaps>> read_maps(client::RemoteApi& api) {
  const auto found = co_await api.get(kConfigMaps, maps_key());
  if (found.failed_with(Code::kNotFound)) co_return KnownMaps();
  if (!found) co_return found.error();
  KnownMaps known;
  known.maps = contract::read_image_maps((*found)->body());
  known.version = string_at((*found)->body(), "metadata.resourceVersion");
  co_return known;
}

/// kConflict or kAlreadyExists when somebody else has written meanwhile.
awaitable<Result<>> write_maps(client::RemoteApi& api, KnownMaps known) {
  Json object{{"apiVersion", "v1"},
              {"kind", "ConfigMap"},
              {"metadata", {{"name", contract::kImageMapsName}}},
              {"data", contract::write_image_maps(known.maps)}};
  if (known.version.empty()) {
    CO_TRY_OK(co_await api.create(kConfigMaps, contract::kImageMapsNamespace, std::move(object)));
    co_return Ok();
  }
  make_path(object, "metadata.resourceVersion") = known.version;
  CO_TRY_OK(co_await api.patch(kConfigMaps, maps_key(), client::PatchType::kMerge,
                               std::move(object), ""));
  co_return Ok();
}

/// Changes the maps as they are now, also when others change them at the same time.
Result<> change_maps(Session& session,
                     const std::function<Result<>(std::vector<ImageMap>& maps)>& change) {
  constexpr int kTries = 10;
  Result<> written = Ok();
  for (int i = 0; i < kTries; ++i) {
    TRY(KnownMaps known, session.run(read_maps(session.api())));
    TRY_OK(change(known.maps));
    written = session.run(write_maps(session.api(), std::move(known)));
    if (!written.failed_with(Code::kConflict) && !written.failed_with(Code::kAlreadyExists)) break;
  }
  return written;
}

/// A pattern that is mapped again counts as the last.
void forget(const std::string& pattern, std::vector<ImageMap>& maps) {
  std::erase_if(maps, [&](const ImageMap& map) { return map.pattern == pattern; });
}

std::string variables_of(const ImageMap& map) {
  std::string text;
  for (const auto& [name, value] : map.variables) {
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", name, value);
  }
  return text.empty() ? "-" : text;
}

/// For a table: what is longer is in `-o json`.
std::string clipped(const std::string& text) {
  constexpr std::size_t kMost = 60;
  std::string line = text.empty() ? "-" : text;
  std::replace(line.begin(), line.end(), '\n', ' ');
  if (line.size() <= kMost) return line;
  std::size_t end = kMost;
  while (end > 0 && (static_cast<unsigned char>(line[end]) & 0xC0U) == 0x80U) --end;
  return line.substr(0, end) + "…";
}

}  // namespace

Result<int> image_map(const Flags& flags, const ImageOptions& options) {
  TRY(const ImageMap map, make_map(options));
  TRY(const std::unique_ptr<Session> session, Session::open(flags));
  TRY_OK(change_maps(*session, [&](std::vector<ImageMap>& maps) -> Result<> {
    forget(map.pattern, maps);
    maps.push_back(map);
    return Ok();
  }));
  fmt::print("images {} mapped\n", options.pattern);
  return 0;
}

Result<int> image_list(const Flags& flags) {
  TRY(const std::unique_ptr<Session> session, Session::open(flags));
  TRY(const KnownMaps known, session->run(read_maps(session->api())));
  const std::vector<ImageMap>& maps = known.maps;
  std::vector<std::string> patterns;
  for (const ImageMap& map : maps) patterns.push_back(map.pattern);
  if (print_names(flags, patterns) || print_value(flags, contract::list_image_maps(maps))) return 0;
  if (maps.empty()) {
    fmt::print(stderr,
               "no image is mapped: all run in the host's environment; `trainyard image map "
               "PATTERN --venv DIR` maps some\n");
    return 0;
  }
  std::vector<std::vector<std::string>> rows;
  for (const ImageMap& map : maps) {
    rows.push_back({map.pattern, kind_name(map.kind), map.folder.empty() ? "-" : map.folder,
                    clipped(describe_image_config(map.config)), clipped(variables_of(map))});
  }
  fmt::print("{}", format_table({"PATTERN", "KIND", "FOLDER", "RUNS", "ENV"}, rows));
  return 0;
}

Result<int> image_remove(const Flags& flags, const std::string& pattern) {
  TRY(const std::unique_ptr<Session> session, Session::open(flags));
  TRY_OK(change_maps(*session, [&](std::vector<ImageMap>& maps) -> Result<> {
    const std::size_t before = maps.size();
    forget(pattern, maps);
    if (maps.size() < before) return Ok();
    return Error(Code::kNotFound,
                 fmt::format("{} is not mapped: `trainyard image list` shows what is", pattern));
  }));
  fmt::print("images {} mapped no longer\n", pattern);
  return 0;
}

}  // namespace trainyard::cli
