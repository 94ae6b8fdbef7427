#include "workloads/web_apps/tensorboard.h"

#include "client/pod_ports.h"
#include "contract/log_sources.h"
#include "workloads/text.h"

#include <fmt/format.h>

#include <algorithm>

namespace trainyard::workloads {
namespace {

using Source = contract::LogFolderSource;

std::string mount_of(const Source& source) {
  return "/pvc-" + source.claim;
}
std::string path_of(const Source& source) {
  return source.folder.empty() ? mount_of(source) : mount_of(source) + "/" + source.folder;
}

Problem not_reachable(const std::vector<std::string>& remote) {
  return {"SourceNotSupported",
          fmt::format("{} cannot be shown: on this server a TensorBoard reads folders of volumes "
                      "(spec.logDir.pvc) and has no network; copy the event files into a volume",
                      fmt::join(remote, ", "))};
}

/// Its --logdir_spec divides names and paths by these.
bool divides(const Source& source) {
  return path_of(source).find_first_of(",:") != std::string::npos;
}

JsonArray make_command(const Json& app, const std::vector<Source>& sources) {
  std::string flag = "--logdir";
  std::string value = path_of(sources.front());
  if (sources.size() > 1) {
    flag = "--logdir_spec";
    value.clear();
    for (const Source& source : sources) {
      value += fmt::format("{}{}:{}", value.empty() ? "" : ",", source.label(), path_of(source));
    }
  }
  return JsonArray{"tensorboard",
                   flag,
                   value,
                   "--host",
                   "0.0.0.0",
                   "--port",
                   std::to_string(contract::kTensorBoardPort),
                   "--path_prefix",
                   contract::app_path(key_of(app), "tensorboard")};
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
  const Json asked{{"path", contract::app_path(key_of(app), "tensorboard") + "/data/environment"},
                   {"port", contract::kTensorBoardPort}};
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
  const std::vector<Source> sources = contract::read_log_sources(spec);
  const std::vector<std::string> remote = contract::read_remote_log_sources(spec);
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
                                       path_of(*bad))};
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

std::string TensorBoard::how_to_install(const std::optional<contract::ImageMap>& map) const {
  using Kind = contract::ImageMap::Kind;
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
