#include "contract/image_map.h"

#include "object/values/metadata.h"

#include <fnmatch.h>

#include <algorithm>

namespace trainyard::contract {
namespace {

constexpr const char* kKey = "maps.json";

bool matches(const std::string& pattern, const std::string& image) {
  return ::fnmatch(pattern.c_str(), image.c_str(), 0) == 0;
}

JsonArray words(const std::vector<std::string>& list) {
  return JsonArray(list.begin(), list.end());
}

std::vector<std::string> words_at(const Json& json, std::string_view field) {
  std::vector<std::string> list;
  for (const Json& word : array_at(json, field)) {
    if (word.is_string()) list.push_back(to_string(word.get_string()));
  }
  return list;
}

Json to_json(const ImageMap& map) {
  JsonObject variables;
  for (const auto& [name, value] : map.variables) variables[name] = value;
  JsonObject json{{"pattern", map.pattern},
                  {"kind", kind_name(map.kind)},
                  {"folder", map.folder},
                  {"env", std::move(variables)}};
  const ImageConfig& config = map.config;
  if (!config.entrypoint.empty()) json["entrypoint"] = words(config.entrypoint);
  if (!config.command.empty()) json["cmd"] = words(config.command);
  if (!config.working_dir.empty()) json["workingDir"] = config.working_dir;
  if (!config.user.empty()) json["user"] = config.user;
  return json;
}

std::optional<ImageMap> from_json(const Json& json) {
  ImageMap map;
  map.pattern = string_at(json, "pattern");
  map.folder = string_at(json, "folder");
  for (const auto& member : object_at(json, "env")) {
    if (!member.value().is_string()) continue;
    map.variables.emplace_back(std::string(member.key()), to_string(member.value().get_string()));
  }
  // Maps of older versions have none of these.
  map.config = {words_at(json, "entrypoint"), words_at(json, "cmd"),
                std::string(string_at(json, "workingDir")), std::string(string_at(json, "user"))};
  const std::string_view kind = string_at(json, "kind");
  for (const auto known : {ImageMap::Kind::kHost, ImageMap::Kind::kVenv, ImageMap::Kind::kConda,
                           ImageMap::Kind::kRootfs}) {
    if (kind != kind_name(known) || map.pattern.empty()) continue;
    map.kind = known;
    return map;
  }
  return std::nullopt;
}

}  // namespace

const char* kind_name(ImageMap::Kind kind) {
  switch (kind) {
    case ImageMap::Kind::kVenv:
      return "venv";
    case ImageMap::Kind::kConda:
      return "conda";
    case ImageMap::Kind::kRootfs:
      return "rootfs";
    case ImageMap::Kind::kHost:
      break;
  }
  return "host";
}

Json list_image_maps(const std::vector<ImageMap>& maps) {
  JsonArray list;
  for (const ImageMap& map : maps) list.push_back(to_json(map));
  return list;
}

Json write_image_maps(const std::vector<ImageMap>& maps) {
  return {{kKey, to_text(list_image_maps(maps))}};
}

std::vector<ImageMap> read_image_maps(const Json& config_map) {
  std::vector<ImageMap> maps;
  const Json* text = object_at(config_map, "data").if_contains(kKey);
  if (text == nullptr || !text->is_string()) return maps;
  const auto list = parse_json(to_string(text->get_string()));
  if (!list || !list->is_array()) return maps;
  for (const Json& one : list->get_array()) {
    if (auto map = from_json(one)) maps.push_back(*std::move(map));
  }
  return maps;
}

std::string without_tag(std::string_view image) {
  image = image.substr(0, image.find('@'));
  const std::size_t colon = image.rfind(':');
  // A colon before the last slash parts a registry's name from its port.
  if (colon == std::string_view::npos || image.find('/', colon) != std::string_view::npos) {
    return std::string(image);
  }
  return std::string(image.substr(0, colon));
}

std::optional<ImageMap> find_image_map(const std::vector<ImageMap>& maps,
                                       const std::string& image) {
  const std::string name = without_tag(image);
  const auto found = std::find_if(maps.rbegin(), maps.rend(), [&](const ImageMap& map) {
    return matches(map.pattern, image) || matches(map.pattern, name);
  });
  return found == maps.rend() ? std::nullopt : std::optional(*found);
}

}  // namespace trainyard::contract
