#include "cli/arena/submit/submission.h"
#include "cli/start/container_text.h"

#include <fmt/format.h>

#include <algorithm>

/// The pods of a job, as all types have them.
namespace trainyard::cli::arena {
namespace {

constexpr const char* kLogVolume = "training-logs-volume";

Json to_json(const Texts& texts) {
  JsonObject object;
  for (const auto& [key, value] : texts) object[key] = value;
  return object;
}

/// Volumes are called like their claims, whose names may have more letters.
std::string volume_name(std::string claim) {
  for (char& letter : claim) {
    if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
    if (letter == '.' || letter == '_') letter = '-';
  }
  return claim;
}

struct Volumes {
  JsonArray volumes;
  JsonArray mounts;

  void add(const std::string& name, const std::string& path, const char* source, Json what) {
    volumes.push_back({{"name", name}, {source, std::move(what)}});
    mounts.push_back({{"name", name}, {"mountPath", path}});
  }
};

Volumes make_volumes(const Submission& s, const RolePlan& role) {
  const SubmitOptions& o = s.options();
  Volumes all;
  if (!o.share_memory.empty() && !o.gpu_topology) {
    all.add("dshm", "/dev/shm", "emptyDir", {{"medium", "Memory"}, {"sizeLimit", o.share_memory}});
  }
  if (s.own_working_dir) all.add("working-dir", o.working_dir, "emptyDir", JsonObject());
  if (s.settings.sync != SyncMode::kNone) {
    all.add("code-sync", code_folder(o), "emptyDir", JsonObject());
  }
  if (s.settings.sync == SyncMode::kUpload) {
    all.volumes.push_back(
        {{"name", "code-upload"}, {"persistentVolumeClaim", {{"claimName", o.sync_volume}}}});
  }
  for (const ConfigFolder& config : s.settings.configs) {
    all.add(config.hash, config.folder, "configMap",
            {{"name", fmt::format("{}-{}", o.name, config.hash)}});
  }
  if (!role.mounts_data) return all;
  for (const ClaimMount& mount : s.settings.claims) {
    all.add(volume_name(mount.claim), mount.path, "persistentVolumeClaim",
            {{"claimName", mount.claim}});
  }
  std::size_t number = 0;
  for (const HostMount& mount : s.settings.hosts) {
    all.add(fmt::format("training-data-{}", number++), mount.path, "hostPath",
            {{"path", mount.host}});
  }
  if (needs_log_folder(s)) {
    all.add(kLogVolume, o.logdir, "hostPath",
            {{"path", node_log_folder(s)}, {"type", "DirectoryOrCreate"}});
  }
  return all;
}

Json make_environment(const Submission& s, const RolePlan& role) {
  Texts values = s.settings.env;
  if (s.settings.sync != SyncMode::kNone) {
    std::erase_if(values, [](const auto& entry) { return is_credential(entry.first); });
  }
  const auto add = [&](const char* name, std::string value) {
    values.try_emplace(name, std::move(value));
  };
  add("workers", std::to_string(s.options().workers));
  add("gpus", std::to_string(s.options().gpus));
  for (const auto& [name, value] : role.more_env) add(name.c_str(), value);
  // Without it, images that expect a GPU would see all of the node's.
  if (role.gpus == 0) values["NVIDIA_VISIBLE_DEVICES"] = "void";
  JsonArray list;
  for (const auto& [name, value] : values) {
    list.push_back({{"name", name}, {"value", as_it_is(value)}});
  }
  for (const auto& [name, secret] : s.settings.secret_env) {
    list.push_back(
        {{"name", name}, {"valueFrom", {{"secretKeyRef", {{"name", secret}, {"key", name}}}}}});
  }
  return list;
}

Json make_resources(const Submission& s, const RolePlan& role) {
  JsonObject requests;
  JsonObject limits;
  const auto add = [&](const char* name, const std::string& request, const std::string& limit) {
    if (!request.empty()) requests[name] = request;
    if (!limit.empty() || !request.empty()) limits[name] = limit.empty() ? request : limit;
  };
  add("cpu", role.cpu, role.cpu_limit);
  add("memory", role.memory, role.memory_limit);
  const char* gpu = s.options().gpu_topology ? "aliyun.com/gpu" : "nvidia.com/gpu";
  if (role.gpus > 0) add(gpu, std::to_string(role.gpus), "");
  if (role.runs_command || role.role == "Worker") {
    for (const auto& [name, amount] : s.settings.devices) add(name.c_str(), amount, "");
  }
  if (s.options().rdma) add("rdma/hca", "1", "");
  JsonObject resources;
  if (!requests.empty()) resources["requests"] = std::move(requests);
  if (!limits.empty()) resources["limits"] = std::move(limits);
  return resources;
}

Json make_container(const Submission& s, const RolePlan& role, JsonArray mounts) {
  const SubmitOptions& o = s.options();
  JsonObject container{{"name", s.type.container},
                       {"image", role.image},
                       {"imagePullPolicy", o.pull_policy},
                       {"env", make_environment(s, role)}};
  if (!o.working_dir.empty()) container["workingDir"] = o.working_dir;
  if (role.runs_command) container["command"] = JsonArray{o.shell, "-c", as_it_is(o.command)};
  if (!role.ports.empty()) container["ports"] = role.ports;
  Json resources = make_resources(s, role);
  if (!resources.as_object().empty()) container["resources"] = std::move(resources);
  if (o.rdma) container["securityContext"] = {{"capabilities", {{"add", JsonArray{"IPC_LOCK"}}}}};
  if (!mounts.empty()) container["volumeMounts"] = std::move(mounts);
  return container;
}

void add_placement(const Submission& s, const RolePlan& role, JsonObject& spec) {
  const SubmitOptions& o = s.options();
  if (!role.selector.empty()) spec["nodeSelector"] = to_json(role.selector);
  if (!s.settings.tolerations.empty()) spec["tolerations"] = s.settings.tolerations;
  if (!role.affinity.is_null()) spec["affinity"] = role.affinity;
  if (!o.priority.empty()) spec["priorityClassName"] = o.priority;
  if (!o.scheduler.empty()) spec["schedulerName"] = o.scheduler;
  const auto eni = s.settings.annotations.find("k8s.aliyun.com/eni");
  const bool own_network = eni != s.settings.annotations.end() && eni->second == "true";
  if ((o.host_network || o.gpu_topology) && !own_network) {
    spec["hostNetwork"] = true;
    spec["dnsPolicy"] = "ClusterFirstWithHostNet";
  }
  if (o.host_ipc) spec["hostIPC"] = true;
  if (o.host_pid) spec["hostPID"] = true;
  JsonArray secrets;
  for (const std::string& secret : o.pull_secrets) secrets.push_back({{"name", secret}});
  if (!secrets.empty()) spec["imagePullSecrets"] = std::move(secrets);
}

}  // namespace

std::string code_folder(const SubmitOptions& options) {
  if (options.working_dir.empty() || options.working_dir == "/") return "/code";
  std::string folder = options.working_dir;
  while (folder.ends_with('/')) folder.pop_back();
  return folder + "/code";
}

Texts labels_of(const Submission& s) {
  const SubmitOptions& o = s.options();
  Texts labels{{"app", s.type.name},
               {"release", o.name},
               {"chart", fmt::format("{}-{}", s.type.name, kTemplateVersion)},
               {"heritage", "Helm"},
               {"createdBy", s.type.kind}};
  if (!s.caller.id.empty()) labels[kUidLabel] = s.caller.id;
  if (o.gpu_topology) {
    labels["gpu-topology"] = o.name;
    labels["gpu-topology-replica"] = std::to_string(o.workers);
  }
  // Those above are how jobs are found.
  for (const auto& [key, value] : s.settings.labels) labels.try_emplace(key, value);
  return labels;
}

Texts annotations_of(const Submission& s, std::int64_t gpus) {
  Texts annotations = s.settings.annotations;
  if (!s.caller.name.empty()) annotations[kUserAnnotation] = s.caller.name;
  annotations[kGpusAnnotation] = std::to_string(gpus);
  return annotations;
}

Json make_replica_spec(const Submission& s, const RolePlan& role, std::int64_t job_gpus) {
  Texts labels = labels_of(s);
  for (const auto& [key, value] : role.more_labels) labels[key] = value;
  Volumes volumes = make_volumes(s, role);
  JsonObject spec{{"containers", JsonArray{make_container(s, role, std::move(volumes.mounts))}}};
  if (Json code = make_code_container(s); !code.is_null()) {
    spec["initContainers"] = JsonArray{std::move(code)};
  }
  if (!volumes.volumes.empty()) spec["volumes"] = std::move(volumes.volumes);
  add_placement(s, role, spec);
  return {{"replicas", role.replicas},
          {"restartPolicy", role.restart_policy},
          {"template",
           {{"metadata",
             {{"labels", to_json(labels)}, {"annotations", to_json(annotations_of(s, job_gpus))}}},
            {"spec", std::move(spec)}}}};
}

Json make_run_policy(const Submission& s) {
  const SubmitOptions& o = s.options();
  const auto seconds = [](std::chrono::nanoseconds time) {
    return std::chrono::duration_cast<std::chrono::seconds>(time).count();
  };
  JsonObject policy{{"cleanPodPolicy", o.clean_policy}};
  // An MPIJob that says nothing of it is tried six times more.
  const bool says_retry = o.retry > 0 || s.type.name == "mpijob";
  if (says_retry && s.type.name != "tfjob") policy["backoffLimit"] = o.retry;
  if (seconds(o.running_timeout) > 0) policy["activeDeadlineSeconds"] = seconds(o.running_timeout);
  if (seconds(o.ttl) > 0) policy["ttlSecondsAfterFinished"] = seconds(o.ttl);
  return policy;
}

Json make_job(const Submission& s, std::int64_t gpus, Json spec) {
  Texts annotations = annotations_of(s, gpus);
  if (s.options().queue) annotations["scheduling.x-k8s.io/suspend"] = "true";
  if (!s.options().role_sequence.empty()) {
    annotations["job-role-sequence"] = s.options().role_sequence;
  }
  JsonObject metadata{{"name", s.options().name},
                      {"labels", to_json(labels_of(s))},
                      {"annotations", to_json(annotations)}};
  if (!s.ns.empty()) metadata["namespace"] = s.ns;
  make_path(spec, "runPolicy") = make_run_policy(s);
  return {{"apiVersion", s.type.resource.api_version()},
          {"kind", s.type.kind},
          {"metadata", std::move(metadata)},
          {"spec", std::move(spec)}};
}

}  // namespace trainyard::cli::arena
