#include "cli/arena/submit/submission.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

/// TensorBoard beside a job.
namespace trainyard::cli::arena {
namespace {

constexpr const char* kOwnLogs = "/output/training_logs";
constexpr std::int64_t kPort = 6006;

/// By whole parts: /data2 is not inside /data.
bool is_inside(const std::string& path, const std::string& folder) {
  const std::filesystem::path inner = std::filesystem::path(path).lexically_normal();
  std::filesystem::path outer = std::filesystem::path(folder).lexically_normal();
  if (!outer.has_filename()) outer = outer.parent_path();
  const auto [end, ignored] = std::mismatch(outer.begin(), outer.end(), inner.begin(), inner.end());
  return end == outer.end();
}

bool is_in_a_volume(const Submission& s) {
  return std::any_of(
      s.settings.claims.begin(), s.settings.claims.end(),
      [&](const ClaimMount& one) { return is_inside(s.options().logdir, one.path); });
}

Json labels(const Submission& s) {
  return {{"release", s.options().name}, {"role", "tensorboard"}};
}

Json make_service(const Submission& s) {
  JsonObject metadata{{"name", s.options().name + "-tensorboard"}, {"labels", labels(s)}};
  if (!s.ns.empty()) metadata["namespace"] = s.ns;
  return {
      {"apiVersion", "v1"},
      {"kind", "Service"},
      {"metadata", std::move(metadata)},
      {"spec",
       {{"type", "NodePort"},
        {"selector", labels(s)},
        {"ports", JsonArray{{{"name", "tensorboard"}, {"port", kPort}, {"targetPort", kPort}}}}}}};
}

Json make_container(const Submission& s, JsonArray mounts) {
  const std::string logdir = needs_log_folder(s) ? kOwnLogs : s.options().logdir;
  JsonObject container{{"name", "tensorboard"},
                       {"image", s.options().tensorboard_image},
                       {"imagePullPolicy", s.options().pull_policy},
                       {"ports", JsonArray{{{"containerPort", kPort}}}}};
  JsonArray command{"tensorboard", "--logdir", logdir, "--host", "0.0.0.0"};
  if (s.embedded) {
    // Pods share the machine's network here: 0.0.0.0 would be the port of the first job's only, and
    // open to other machines.
    container["env"] = JsonArray{
        {{"name", "POD_IP"}, {"valueFrom", {{"fieldRef", {{"fieldPath", "status.podIP"}}}}}}};
    command.back() = "$(POD_IP)";
  }
  container["command"] = std::move(command);
  if (!mounts.empty()) container["volumeMounts"] = std::move(mounts);
  return container;
}

/// It reads files that the first pod of the training writes, maybe to its node's disk.
Json make_affinity(const Submission& s) {
  JsonObject first{{"release", s.options().name}};
  if (s.type.name == "pytorchjob") first["master-pod-name"] = s.options().name + "-master-0";
  if (s.type.name == "mpijob") {
    first["training.kubeflow.org/job-role"] = "worker";  // its operator sets no replica-type
    first["training.kubeflow.org/replica-index"] = "0";
  }
  if (s.type.name == "tfjob") first["app"] = s.type.name;
  return {{"podAffinity",
           {{"requiredDuringSchedulingIgnoredDuringExecution",
             JsonArray{{{"labelSelector", {{"matchLabels", std::move(first)}}},
                        {"topologyKey", "kubernetes.io/hostname"}}}}}}};
}

Json make_deployment(const Submission& s) {
  JsonArray volumes;
  JsonArray mounts;
  for (const ClaimMount& mount : s.settings.claims) {
    if (!is_in_a_volume(s)) break;
    const std::string name = fmt::format("data-{}", volumes.size());
    volumes.push_back({{"name", name}, {"persistentVolumeClaim", {{"claimName", mount.claim}}}});
    mounts.push_back({{"name", name}, {"mountPath", mount.path}});
  }
  if (needs_log_folder(s)) {
    volumes.push_back(
        {{"name", "training-logs-volume"},
         {"hostPath", {{"path", node_log_folder(s)}, {"type", "DirectoryOrCreate"}}}});
    mounts.push_back({{"name", "training-logs-volume"}, {"mountPath", kOwnLogs}});
  }
  JsonObject pod{{"containers", JsonArray{make_container(s, std::move(mounts))}},
                 {"affinity", make_affinity(s)}};
  if (!volumes.empty()) pod["volumes"] = std::move(volumes);
  if (!s.settings.tolerations.empty()) pod["tolerations"] = s.settings.tolerations;
  if (!s.options().priority.empty()) pod["priorityClassName"] = s.options().priority;
  JsonArray secrets;
  for (const std::string& secret : s.options().pull_secrets) secrets.push_back({{"name", secret}});
  if (!secrets.empty()) pod["imagePullSecrets"] = std::move(secrets);
  JsonObject metadata{{"name", s.options().name + "-tensorboard"}, {"labels", labels(s)}};
  if (!s.ns.empty()) metadata["namespace"] = s.ns;
  return {{"apiVersion", "apps/v1"},
          {"kind", "Deployment"},
          {"metadata", std::move(metadata)},
          {"spec",
           {{"replicas", 1},
            {"selector", {{"matchLabels", labels(s)}}},
            {"template", {{"metadata", {{"labels", labels(s)}}}, {"spec", std::move(pod)}}}}}};
}

}  // namespace

bool needs_log_folder(const Submission& s) {
  return s.options().tensorboard && s.options().logdir.starts_with('/') && !is_in_a_volume(s);
}

std::string node_log_folder(const Submission& s) {
  return "/arena_logs/training" + s.log_digits;
}

std::vector<Json> make_tensorboard(const Submission& s) {
  return {make_service(s), make_deployment(s)};
}

}  // namespace trainyard::cli::arena
