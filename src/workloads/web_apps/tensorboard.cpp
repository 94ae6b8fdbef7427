#include "workloads/web_apps/tensorboard.h"

#include "client/pod_ports.h"
#include "workloads/text.h"

#include <fmt/format.h>

#include <algorithm>

namespace trainyard::workloads {
namespace {

constexpr std::string_view kVolumeScheme = "t9k://pvc/";

/// A folder with event files.
struct Source {
  std::string claim;
  std::string folder;  // in the claim; empty: all of it

  std::string mount() const { return "/pvc-" + claim; }
  std::string path() const { return folder.empty() ? mount() : mount() + "/" + folder; }
  /// What TensorBoard calls its runs when there are several sources.
  std::string label() const { return folder.empty() ? claim : claim + "/" + folder; }
};

/// ./log/ and /log are log.
std::string tidy(std::string_view folder) {
  std::string tidied;
  while (!folder.empty()) {
    const std::string_view step = folder.substr(0, folder.find('/'));
    folder.remove_prefix(std::min(folder.size(), step.size() + 1));
    if (step.empty() || step == ".") continue;
    if (!tidied.empty()) tidied += '/';
    tidied += step;
  }
  return tidied;
}

void add_source(std::vector<Source>& sources, std::string_view claim, std::string_view folder) {
  sources.push_back({std::string(claim), tidy(folder)});
}

std::vector<Source> read_sources(const Json& spec) {
  std::vector<Source> sources;
  for (const Json& claim : array_at(spec, "logDir.pvc")) {
    const std::string_view name = string_at(claim, "name");
    const std::size_t before = sources.size();
    for (const char* spelling : {"subPath", "subpath"}) {
      for (const Json& folder : array_at(claim, spelling)) {
        add_source(sources, name, text_of(folder));
      }
    }
    if (sources.size() == before) add_source(sources, name, "");
  }
  for (const Json& fileset : array_at(spec, "trainingLogFilesets")) {
    std::string_view text = text_of(fileset);
    if (!text.starts_with(kVolumeScheme)) continue;
    text.remove_prefix(kVolumeScheme.size());
    const std::string_view claim = text.substr(0, text.find('/'));
    add_source(sources, claim, text.substr(claim.size()));
  }
  return sources;
}

/// Sources that need a network, which its pod does not have.
std::vector<std::string> remote_sources(const Json& spec) {
  std::vector<std::string> remote;
  for (const char* list : {"logDir.s3.uri", "logDir.http.url"}) {
    for (const Json& address : array_at(spec, list)) remote.emplace_back(text_of(address));
  }
  for (const Json& fileset : array_at(spec, "trainingLogFilesets")) {
    if (!text_of(fileset).starts_with(kVolumeScheme)) remote.emplace_back(text_of(fileset));
  }
  return remote;
}

Problem not_reachable(const std::vector<std::string>& remote) {
  return {"SourceNotSupported",
          fmt::format("{} cannot be shown: on this server a TensorBoard reads folders of volumes "
                      "(spec.logDir.pvc) and has no network; copy the event files into a volume",
                      fmt::join(remote, ", "))};
}

/// Its --logdir_spec divides names and paths by these.
bool divides(const Source& source) {
  return source.path().find_first_of(",:") != std::string::npos;
}

JsonArray make_command(const Json& app, const std::vector<Source>& sources) {
  std::string flag = "--logdir";
  std::string value = sources.front().path();
  if (sources.size() > 1) {
    flag = "--logdir_spec";
    value.clear();
    for (const Source& source : sources) {
      value += fmt::format("{}{}:{}", value.empty() ? "" : ",", source.label(), source.path());
    }
  }
  return JsonArray{"tensorboard",
                   flag,
                   value,
                   "--host",
                   "0.0.0.0",
                   "--port",
                   std::to_string(client::kTensorBoardPort),
                   "--path_prefix",
                   client::app_path(key_of(app), "tensorboard")};
}

Json make_spec(const Json& app, const std::vector<Source>& sources,
               const std::vector<std::string>& claims) {
  JsonArray volumes;
  JsonArray mounts;
  for (std::size_t i = 0; i < claims.size(); ++i) {
    const std::string volume = fmt::format("claim-{}", i);
    const Json claim{{"claimName", claims[i]}, {"readOnly", true}};
    volumes.push_back({{"name", volume}, {"persistentVolumeClaim", claim}});
    mounts.push_back({{"name", volume}, {"mountPath", "/pvc-" + claims[i]}, {"readOnly", true}});
  }
  const Json asked{{"path", client::app_path(key_of(app), "tensorboard") + "/data/environment"},
                   {"port", client::kTensorBoardPort}};
  // Any container of Kubernetes is asked again after ten seconds; people wait for this one.
  const Json probe{
      {"httpGet", asked}, {"periodSeconds", 1}, {"timeoutSeconds", 5}, {"failureThreshold", 30}};
  Json container{{"name", "tensorboard"},
                 {"image", string_at(app, "spec.image", "tensorboard")},
                 {"command", make_command(app, sources)},
                 {"readinessProbe", probe},
                 {"volumeMounts", std::move(mounts)}};
  if (const Json* resources = find(app, "spec.resources")) {
    container.get_object()["resources"] = *resources;
  }
  return {{"restartPolicy", "Always"},
          {"automountServiceAccountToken", false},
          {"terminationGracePeriodSeconds", 5},
          {"containers", JsonArray{std::move(container)}},
          {"volumes", std::move(volumes)}};
}

}  // namespace

AppForm TensorBoard::read(const Json& app) const {
  AppForm form;
  const Json& spec = json_at(app, "spec");
  std::vector<Source> sources = read_sources(spec);
  const std::vector<std::string> remote = remote_sources(spec);
  if (sources.empty()) {
    form.refusal = not_reachable(remote);
    return form;
  }
  if (!remote.empty()) form.shortcomings.push_back(not_reachable(remote));
  if (sources.size() > 1) {
    const auto bad = std::find_if(sources.begin(), sources.end(), divides);
    if (bad != sources.end()) {
      form.refusal = Problem{
          "InvalidFolder", fmt::format("the folder {} cannot be one of several: TensorBoard reads "
                                       "a list in which ',' and ':' divide",
                                       bad->path())};
      return form;
    }
  }
  for (const Source& source : sources) {
    if (std::find(form.claims.begin(), form.claims.end(), source.claim) == form.claims.end()) {
      form.claims.push_back(source.claim);
    }
  }
  form.pod = app_pod(*this, app, JsonObject{{client::kNetworkAnnotation, "private"}},
                     make_spec(app, sources, form.claims));
  return form;
}

std::string TensorBoard::how_to_install(const std::optional<client::ImageMap>& map) const {
  using Kind = client::ImageMap::Kind;
  if (!map || map->kind == Kind::kHost) {
    return "`python3 -m pip install tensorboard` installs it for the host's environment, "
           "`trainyard image map` chooses another";
  }
  if (map->kind == Kind::kRootfs) {
    return fmt::format("`chroot {} python3 -m pip install tensorboard` installs it", map->folder);
  }
  return fmt::format("`{}/bin/python -m pip install tensorboard` installs it", map->folder);
}

}  // namespace trainyard::workloads
