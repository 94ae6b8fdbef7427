// Where a job's event files are: any object is looked at, and what is found lies below a claim.
// The input is an object in JSON, or a container's command alone.
#include "contract/log_sources.h"
#include "fuzz.h"

namespace trainyard::fuzz {
namespace {

void check(const Json& object) {
  const contract::LogPlaces places = contract::find_log_places(object);
  for (const contract::LogFolderSource& place : places.folders) {
    require(!place.claim.empty(), "a folder is in a claim", place.folder);
    require(!place.folder.starts_with('/') && !place.folder.ends_with('/'), "a folder is tidy",
            place.folder);
    require(place.folder.find("//") == std::string::npos, "a folder is tidy", place.folder);
  }
}

Json job_that_runs(std::string_view command) {
  Json mount = {{"name", "v"}, {"mountPath", "/data"}};
  Json volume = {{"name", "v"}, {"persistentVolumeClaim", {{"claimName", "data"}}}};
  JsonObject container{{"workingDir", "/data/work"}};
  container["args"] = JsonArray{Json(command)};
  container["volumeMounts"] = JsonArray{std::move(mount)};
  JsonObject pod;
  pod["volumes"] = JsonArray{std::move(volume)};
  pod["containers"] = JsonArray{std::move(container)};
  JsonObject group;
  group["template"] = JsonObject{{"spec", std::move(pod)}};
  JsonObject spec;
  spec["replicaSpecs"] = JsonArray{std::move(group)};
  return {{"kind", "GenericJob"}, {"spec", std::move(spec)}};
}

}  // namespace

void run(std::string_view input) {
  if (const auto object = parse_json(input)) check(*object);
  check(job_that_runs(input));
  check({{"spec", JsonObject()},
         {"metadata", {{"annotations", {{contract::kLogFolderAnnotation, Json(input)}}}}}});
}

}  // namespace trainyard::fuzz
