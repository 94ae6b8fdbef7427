#include "cli/arena/submit/record.h"

#include "cli/arena/submit/submission.h"
#include "cli/arena/words.h"
#include "object/yaml/yaml.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace trainyard::cli::arena {
namespace {

std::optional<Resource> resource_of(std::string_view kind) {
  if (kind == "configmap") return kConfigMaps;
  if (kind == "service") return kServices;
  if (kind == "secret") return kSecrets;
  if (kind == "deployment.apps") return Resource{"apps", "v1", "deployments"};
  for (const TrainingType& type : training_types()) {
    if (kind == fmt::format("{}.{}", lower(type.kind), type.resource.group)) return type.resource;
  }
  return std::nullopt;
}

}  // namespace

std::string object_word(const Json& object) {
  std::string kind = lower(string_at(object, "kind"));
  const std::string_view version = string_at(object, "apiVersion");
  const std::size_t slash = version.find('/');
  if (slash != std::string_view::npos) kind += fmt::format(".{}", version.substr(0, slash));
  return fmt::format("{}/{}", kind, name_of(object));
}

Json make_record(const std::string& job, const TrainingType& type, const std::string& ns,
                 const std::vector<Json>& objects, const Json& values) {
  std::string lines;
  for (const Json& object : objects) lines += object_word(object) + "\n";
  JsonObject metadata{{"name", record_name(job, type)},
                      {"labels", {{"createdBy", "arena"}, {"release", job}}}};
  if (!ns.empty()) metadata["namespace"] = ns;
  return {{"apiVersion", "v1"},
          {"kind", "ConfigMap"},
          {"metadata", std::move(metadata)},
          {"data", {{"values", to_yaml(values)}, {"app", lines}, {type.name, kTemplateVersion}}}};
}

Result<std::vector<RecordedObject>> read_record(const Json& record) {
  std::vector<RecordedObject> objects;
  std::string_view rest = string_at(record, "data.app");
  while (!rest.empty()) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
    if (line.empty()) continue;
    const std::size_t slash = line.find('/');
    const std::string_view kind = line.substr(0, slash);
    const auto resource = resource_of(kind);
    if (slash == std::string_view::npos || !resource) {
      return Error(Code::kUnsupported,
                   fmt::format("the record {} names {}, which is no kind of object that is known "
                               "here: delete it with kubectl, then the record",
                               name_of(record), line));
    }
    objects.push_back({*resource, std::string(kind), std::string(line.substr(slash + 1))});
  }
  return objects;
}

}  // namespace trainyard::cli::arena
