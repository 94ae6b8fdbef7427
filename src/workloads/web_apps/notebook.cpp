#include "workloads/web_apps/notebook.h"

#include "object/values/name_suffix.h"
#include "workloads/text.h"

#include <fmt/format.h>

#include <algorithm>

namespace trainyard::workloads {
namespace {

constexpr const char* kContainer = "notebook";
constexpr const char* kHome = "/t9k/mnt";
constexpr const char* kHomeVolume = "trainyard-home";
// What the terminal's kubectl and trainyard act as; the same for all notebooks of a namespace.
constexpr const char* kAccount = "trainyard-notebook";
constexpr const char* kRole = "trainyard:notebook";
constexpr int kPort = 8888;

const Resource kRoleBindings{"rbac.authorization.k8s.io", "v1", "rolebindings"};

std::string socket_path() {
  return fmt::format("{}/{}", contract::kNotebookSocketFolder, contract::kNotebookSocketFile);
}

/// Not a login shell, which Jupyter would start: /etc/profile makes PATH anew, without the
/// notebook's own programs.
constexpr const char* kShell =
    R"({"shell_command": ["sh", "-c", "command -v bash >/dev/null && exec bash; exec sh"]})";

/// Its own login is off: nobody but the proxy reaches it, and the proxy asks who is there.
JsonArray make_command(const Json& app, const std::string& home) {
  return JsonArray{
      "jupyter-lab",
      "--no-browser",
      "--ServerApp.sock=" + socket_path(),
      "--ServerApp.sock_mode=0600",
      fmt::format("--ServerApp.base_url={}/", contract::app_path(key_of(app), "notebook")),
      "--IdentityProvider.token=",
      "--ServerApp.password=",
      "--ServerApp.allow_root=True",
      "--ServerApp.allow_remote_access=True",
      "--ServerApp.quit_button=False",
      fmt::format("--ServerApp.terminado_settings={}", kShell),
      "--ServerApp.root_dir=" + home};
}

JsonArray& list_in(Json& object, const char* field) {
  Json& list = make_path(object, field);
  if (!list.is_array()) list = JsonArray();
  return list.get_array();
}

bool has_named(const JsonArray& list, std::string_view name) {
  return std::any_of(list.begin(), list.end(),
                     [&](const Json& item) { return string_at(item, "name") == name; });
}

void set_variable(Json& container, const char* name, const std::string& value) {
  JsonArray& variables = list_in(container, "env");
  if (!has_named(variables, name)) variables.push_back({{"name", name}, {"value", value}});
}

/// Which of the pod's volumes are claims.
std::vector<std::string> claim_volumes(const Json& spec, std::vector<std::string>& claims) {
  std::vector<std::string> volumes;
  for (const Json& volume : array_at(spec, "volumes")) {
    const std::string_view claim = string_at(volume, "persistentVolumeClaim.claimName");
    if (claim.empty()) continue;
    volumes.emplace_back(string_at(volume, "name"));
    if (std::find(claims.begin(), claims.end(), claim) == claims.end()) claims.emplace_back(claim);
  }
  return volumes;
}

/// Where its files are: what is mounted at /t9k/mnt, else its first claim, else a folder that goes
/// with the pod.
std::string choose_home(Json& spec, Json& container, AppForm& form) {
  const std::vector<std::string> volumes = claim_volumes(spec, form.claims);
  std::string first;
  for (const Json& mount : array_at(container, "volumeMounts")) {
    if (string_at(mount, "mountPath") == kHome) return kHome;
    const std::string_view volume = string_at(mount, "name");
    const bool is_claim = std::find(volumes.begin(), volumes.end(), volume) != volumes.end();
    if (is_claim && first.empty()) first = string_at(mount, "mountPath");
  }
  if (!first.empty()) return first;
  form.shortcomings.push_back(
      {"NoVolume", fmt::format("no volume is mounted at {}: files are lost when the notebook is "
                               "suspended",
                               kHome)});
  list_in(spec, "volumes").push_back({{"name", kHomeVolume}, {"emptyDir", JsonObject()}});
  list_in(container, "volumeMounts").push_back({{"name", kHomeVolume}, {"mountPath", kHome}});
  return kHome;
}

void fill_container(const Json& app, const std::string& home, Json& container, AppForm& form) {
  for (const char* field : {"command", "args"}) {
    if (find(container, field) == nullptr) continue;
    form.shortcomings.push_back(
        {"CommandIgnored", fmt::format("{} of the container notebook has no effect: it runs "
                                       "JupyterLab",
                                       field)});
    container.get_object().erase(field);
  }
  container.get_object()["command"] = make_command(app, home);
  if (find(container, "workingDir") == nullptr) container.get_object()["workingDir"] = home;
  set_variable(container, "HOME", home);
  set_variable(container, "SHELL", "/bin/bash");
  // Not among the user's files: it is of this pod, and secret.
  set_variable(container, "JUPYTER_RUNTIME_DIR", "/tmp/jupyter-runtime");
  list_in(container, "volumeMounts")
      .push_back({{"name", contract::kNotebookSocketVolume},
                  {"mountPath", contract::kNotebookSocketFolder}});
  const JsonArray look{"test", "-S", socket_path()};
  container.get_object()["readinessProbe"] = {
      {"exec", {{"command", look}}}, {"periodSeconds", 1}, {"failureThreshold", 30}};
}

void add_account(const Json& app, Json& spec, AppForm& form) {
  if (find(spec, "serviceAccountName") != nullptr || find(spec, "serviceAccount") != nullptr) {
    return;
  }
  make_path(spec, "serviceAccountName") = kAccount;
  const JsonObject metadata{{"name", kAccount}};
  form.children.emplace_back(
      kServiceAccounts,
      Json{{"apiVersion", "v1"}, {"kind", "ServiceAccount"}, {"metadata", metadata}});
  const JsonObject role{
      {"apiGroup", "rbac.authorization.k8s.io"}, {"kind", "ClusterRole"}, {"name", kRole}};
  const JsonObject subject{
      {"kind", "ServiceAccount"}, {"name", kAccount}, {"namespace", namespace_of(app)}};
  form.children.emplace_back(kRoleBindings, Json{{"apiVersion", kRoleBindings.api_version()},
                                                 {"kind", "RoleBinding"},
                                                 {"metadata", metadata},
                                                 {"roleRef", role},
                                                 {"subjects", JsonArray{subject}}});
}

Json make_service(const AppKind& kind, const Json& app) {
  Json service = app_child(kind, app, "v1", "Service",
                           fmt::format("managed-notebook-http-{}", name_suffix(app)));
  const JsonObject port{{"name", "http"}, {"port", kPort}};
  service.get_object()["spec"] = JsonObject{{"clusterIP", "None"},
                                            {"selector", *find(service, "metadata.labels")},
                                            {"ports", JsonArray{port}}};
  return service;
}

Json* find_container(Json& spec) {
  for (Json& container : list_in(spec, "containers")) {
    if (string_at(container, "name") == kContainer) return &container;
  }
  return nullptr;
}

}  // namespace

AppForm Notebook::read(const Json& app) const {
  AppForm form;
  Json spec = json_at(app, "spec.template.spec");
  Json* container = find_container(spec);
  if (string_at(app, "spec.type", "jupyter") != "jupyter" || container == nullptr) {
    form.refusal = Problem{"NotSupported",
                           "this server runs notebooks of the type jupyter, in a "
                           "container named notebook"};
    return form;
  }
  if (bool_at(app, "spec.ssh.enabled")) {
    form.shortcomings.push_back(
        {"SshNotSupported",
         "spec.ssh has no effect on this server: use the notebook's terminal, "
         "or `kubectl exec -it`"});
  }
  const std::string home = choose_home(spec, *container, form);
  container = find_container(spec);
  fill_container(app, home, *container, form);
  list_in(spec, "volumes")
      .push_back({{"name", contract::kNotebookSocketVolume}, {"emptyDir", JsonObject()}});
  make_path(spec, "restartPolicy") = "Always";
  add_account(app, spec, form);
  form.children.emplace_back(kServices, make_service(*this, app));
  form.pod = app_pod(*this, app, JsonObject(), std::move(spec));
  return form;
}

std::string Notebook::how_to_install(const std::optional<contract::ImageMap>& map) const {
  using Kind = contract::ImageMap::Kind;
  if (!map || map->kind == Kind::kHost || map->kind == Kind::kRootfs) {
    return "`trainyard notebook setup` makes an environment with JupyterLab, which images named "
           "*jupyter* get (--image chooses others)";
  }
  return fmt::format("`{}/bin/python -m pip install jupyterlab` installs it", map->folder);
}

}  // namespace trainyard::workloads
