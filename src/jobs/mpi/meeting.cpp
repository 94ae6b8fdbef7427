#include "jobs/mpi/meeting.h"

#include "contract/cpu_sharing.h"
#include "embedded/mpi_scripts.h"
#include "jobs/engine/form/names.h"
#include "jobs/engine/form/training_spec.h"
#include "jobs/engine/plan/children.h"

#include <fmt/format.h>

namespace trainyard::jobs {
namespace {

constexpr const char* kFiles = "mpi-files";
constexpr const char* kKeys = "mpi-keys";
constexpr const char* kRun = "mpi-run";
constexpr const char* kPrivilegeSeparation = "mpi-sshd";
constexpr const char* kKeyCopy = "/etc/mpi-run/key";
const Resource kRoles{"rbac.authorization.k8s.io", "v1", "roles"};
const Resource kRoleBindings{"rbac.authorization.k8s.io", "v1", "rolebindings"};
constexpr const char* kRbac = "rbac.authorization.k8s.io/v1";

std::string key_path(const MpiMeeting& meeting) {
  return fmt::format("{}/{}", meeting.key_folder, meeting.key_file);
}

/// Where ssh and sshd find the key.
std::string usable_key(const MpiMeeting& meeting) {
  return meeting.copies_keys ? kKeyCopy : key_path(meeting);
}

SupportObject make_files(const Json& job, const MpiMeeting& meeting) {
  JsonObject data{{"hostfile", make_hostfile(meeting)},
                  {"discover_hosts.sh", make_discovery(meeting)},
                  {"workers", make_worker_list(meeting)},
                  {"ssh_config", make_ssh_config(meeting)},
                  {"sshd_config", make_sshd_config(meeting)}};
  for (const embedded::File& script : embedded::mpi_scripts()) {
    data[script.name.substr(script.name.rfind('/') + 1)] = script.bytes;
  }
  Json map = make_child(job, "v1", "ConfigMap", meeting.files);
  map.get_object()["data"] = std::move(data);
  return {kConfigMaps, std::move(map)};
}

SupportObject make_keys(const Json& job, const MpiMeeting& meeting) {
  Json secret = make_child(job, "v1", "Secret", meeting.keys);
  secret.get_object()["type"] = "kubernetes.io/ssh-auth";
  return {kSecrets, std::move(secret), true};
}

void add_mount(JsonArray& mounts, const char* volume, std::string_view path, bool read_only) {
  JsonObject mount{{"name", volume}, {"mountPath", path}};
  if (read_only) mount["readOnly"] = true;
  mounts.push_back(std::move(mount));
}

}  // namespace

std::vector<std::string> worker_hosts(const Json& job, std::int64_t workers) {
  std::vector<std::string> hosts;
  for (std::int64_t i = 0; i < workers; ++i) {
    hosts.push_back(fmt::format("{0}-worker-{1}.{0}-worker", name_of(job), i));
  }
  return hosts;
}

Json make_worker_service(const Json& job) {
  Json service = make_child(job, "v1", "Service", fmt::format("{}-worker", name_of(job)));
  service.get_object()["spec"] =
      JsonObject{{"clusterIP", "None"},
                 {"publishNotReadyAddresses", true},
                 {"selector", {{kOwnerNameLabel, name_of(job)}, {kReplicaTypeLabel, "worker"}}}};
  return service;
}

std::string make_hostfile(const MpiMeeting& meeting) {
  std::string text;
  const auto add = [&](const std::string& host) {
    text += fmt::format("{}{}{}\n", host, meeting.slots_mark, meeting.slots);
  };
  if (!meeting.own_host.empty()) add(meeting.own_host);
  for (const std::string& host : meeting.hosts) add(host);
  return text;
}

std::string make_discovery(const MpiMeeting& meeting) {
  std::string text = "#!/bin/sh\nfor host in";
  for (const std::string& host : meeting.hosts) text += fmt::format(" \\\n  {}", host);
  return text + "; do\n  if getent hosts \"$host\" >/dev/null; then echo \"$host\"; fi\ndone\n";
}

std::string make_worker_list(const MpiMeeting& meeting) {
  std::string text;
  for (std::size_t i = 0; i < meeting.pods.size(); ++i) {
    text += fmt::format("{} {} {}\n", meeting.hosts[i], meeting.pods[i], meeting.container);
  }
  return text;
}

std::string make_ssh_config(const MpiMeeting& meeting) {
  // The first key exchange that both sides know is taken, and newer ones cost ten times as much:
  // nobody records what goes over a job's own connections to break it decades later.
  std::string text = fmt::format(
      "Host *\n"
      "  Port {}\n"
      "  IdentityFile {}\n"
      "  IdentitiesOnly yes\n"
      "  BatchMode yes\n"
      "  PreferredAuthentications publickey\n"
      "  StrictHostKeyChecking no\n"
      "  UserKnownHostsFile /dev/null\n"
      "  GlobalKnownHostsFile /dev/null\n"
      "  KexAlgorithms curve25519-sha256@libssh.org,ecdh-sha2-nistp256\n",
      meeting.port, usable_key(meeting));
  // What ssh calls the host when it warns: without the port.
  for (const std::string& host : meeting.hosts) {
    text += fmt::format("Host {0}\n  HostKeyAlias {0}\n", host);
  }
  return text;
}

std::string make_sshd_config(const MpiMeeting& meeting) {
  // SHLVL keeps bash from reading ~/.bashrc, which it does for ssh as for nobody else. What the
  // processes say is in the launcher's log: those of the workers are for what goes wrong.
  return fmt::format(
      "HostKey {0}\n"
      "AuthorizedKeysFile {1}/authorized_keys\n"
      "PubkeyAuthentication yes\n"
      "PasswordAuthentication no\n"
      "PermitRootLogin prohibit-password\n"
      "StrictModes no\n"
      "UsePAM no\n"
      "UseDNS no\n"
      "PidFile none\n"
      "LogLevel ERROR\n"
      "PrintMotd no\n"
      "PrintLastLog no\n"
      "MaxStartups 1000\n"
      "MaxSessions 1000\n"
      "X11Forwarding no\n"
      "AllowTcpForwarding no\n"
      "SetEnv SHLVL=2\n"
      "ForceCommand exec /bin/sh {2}/session.sh\n",
      usable_key(meeting), meeting.key_folder, kMpiFolder);
}

std::string launcher_account(const Json& job) {
  return fmt::format("{}-launcher", service_name(job));
}

std::vector<SupportObject> make_mpi_support(const Json& job, const MpiMeeting& meeting) {
  const std::string account = launcher_account(job);
  std::vector<SupportObject> support{make_files(job, meeting), make_keys(job, meeting)};
  support.push_back({kServiceAccounts, make_child(job, "v1", "ServiceAccount", account)});
  JsonArray pods;
  for (const std::string& pod : meeting.pods) pods.emplace_back(pod);
  Json role = make_child(job, kRbac, "Role", account);
  role.get_object()["rules"] = JsonArray{{{"apiGroups", JsonArray{""}},
                                          {"resources", JsonArray{"pods/exec"}},
                                          {"resourceNames", std::move(pods)},
                                          {"verbs", JsonArray{"create", "get"}}}};
  support.push_back({kRoles, std::move(role)});
  Json binding = make_child(job, kRbac, "RoleBinding", account);
  binding.get_object()["roleRef"] =
      JsonObject{{"apiGroup", "rbac.authorization.k8s.io"}, {"kind", "Role"}, {"name", account}};
  binding.get_object()["subjects"] =
      JsonArray{{{"kind", "ServiceAccount"}, {"name", account}, {"namespace", namespace_of(job)}}};
  support.push_back({kRoleBindings, std::move(binding)});
  return support;
}

void share_cpu(Json& pod) {
  Json& annotations = make_path(pod, "metadata.annotations");
  if (!annotations.is_object()) annotations = JsonObject();
  annotations.get_object().emplace(contract::kCpuAnnotation, "shared");
}

void add_mpi_volumes(Json& pod, const MpiMeeting& meeting) {
  JsonArray volumes = array_at(pod, "spec.volumes");
  volumes.push_back(
      {{"name", kFiles}, {"configMap", {{"name", meeting.files}, {"defaultMode", 0555}}}});
  const auto item = [](const char* key, const std::string& path, std::int64_t mode) {
    return JsonObject{{"key", key}, {"path", path}, {"mode", mode}};
  };
  const JsonArray keys{item(kPrivateKeyField, meeting.key_file, meeting.copies_keys ? 0644 : 0600),
                       item(kPublicKeyField, meeting.key_file + ".pub", 0644),
                       item(kPublicKeyField, "authorized_keys", 0644)};
  const JsonArray config{item("ssh_config", "config", 0644)};
  volumes.push_back(
      {{"name", kKeys},
       {"projected",
        {{"sources", JsonArray{{{"secret", {{"name", meeting.keys}, {"items", keys}}}},
                               {{"configMap", {{"name", meeting.files}, {"items", config}}}}}}}}});
  volumes.push_back({{"name", kRun}, {"emptyDir", JsonObject()}});
  make_path(pod, "spec.volumes") = std::move(volumes);
}

void mount_mpi_volumes(Json& container, const MpiMeeting& meeting) {
  JsonArray mounts = array_at(container, "volumeMounts");
  add_mount(mounts, kFiles, kMpiFolder, true);
  add_mount(mounts, kKeys, meeting.key_folder, true);
  add_mount(mounts, kRun, "/etc/mpi-run", false);
  container.get_object()["volumeMounts"] = std::move(mounts);
  JsonArray env{
      {{"name", "MPI_POD_IP"}, {"valueFrom", {{"fieldRef", {{"fieldPath", "status.podIP"}}}}}}};
  if (meeting.copies_keys) add_variable(env, "MPI_KEY", key_path(meeting));
  if (meeting.own_interfaces) add_variable(env, "MPI_INTERFACES", "_tcp_if_");
  if (meeting.own_workers) add_variable(env, "MPI_WORKERS", "own");
  if (meeting.has_parameters) {
    add_variable(env, "OMPI_MCA_mca_base_param_files", "/etc/mpi-run/mca-params.conf");
  }
  put_first(container, std::move(env));
}

void make_worker(Json& pod, Json& container, const MpiMeeting& meeting, std::string_view sshd) {
  mount_mpi_volumes(container, meeting);
  // sshd's own folder, which only root may write to: no volume of a user's, and not the host's.
  make_path(pod, "spec.volumes")
      .get_array()
      .push_back({{"name", kPrivilegeSeparation}, {"emptyDir", JsonObject()}});
  add_mount(container.at("volumeMounts").get_array(), kPrivilegeSeparation, "/run/sshd", false);
  JsonArray command{"/bin/sh", fmt::format("{}/worker.sh", kMpiFolder),
                    std::to_string(meeting.port)};
  if (!sshd.empty()) command.emplace_back(sshd);
  container.get_object()["command"] = std::move(command);
  container.get_object().erase("args");
}

Json make_preflight(const Json& launcher, const MpiMeeting& meeting, std::int64_t seconds) {
  Json container{{"name", kPreflightContainer},
                 {"image", string_at(launcher, "image")},
                 {"command", JsonArray{"/bin/sh", fmt::format("{}/preflight.sh", kMpiFolder),
                                       std::to_string(seconds)}}};
  for (const char* field : {"imagePullPolicy", "securityContext"}) {
    if (const Json* value = find(launcher, field)) container.get_object()[field] = *value;
  }
  mount_mpi_volumes(container, meeting);
  return container;
}

}  // namespace trainyard::jobs
