#include "jobs/mpi/mpi_job.h"

#include "jobs/engine/form/names.h"
#include "jobs/engine/form/run_mode.h"
#include "jobs/engine/form/training_spec.h"
#include "jobs/mpi/meeting.h"
#include "jobs/mpi/mpi_spec.h"
#include "jobs/mpi/preflight.h"

#include <fmt/format.h>

#include <algorithm>

namespace trainyard::jobs {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t kLauncherGroup = 0;
constexpr std::size_t kWorker = 1;
/// mpirun notices within seconds that a worker is gone, and its last lines are worth having.
constexpr auto kLauncherMayGoOn = 20s;

ReplicaGroup read_group(const Json& spec) {
  ReplicaGroup group;
  group.type = string_at(spec, "type");
  group.replicas = int_at(spec, "replicas", 1);
  group.restart = read_restart_policy(string_at(spec, "restartPolicy.policy"));
  group.restart_limit = int_at(spec, "restartPolicy.limit");
  return group;
}

MpiMeeting read_meeting(const Json& job, const MpiRun& run, std::int64_t port) {
  MpiMeeting meeting;
  meeting.hosts = worker_hosts(job, run.workers);
  meeting.slots = run.slots;
  meeting.port = port;
  meeting.files = fmt::format("{}-mpi", service_name(job));
  meeting.keys = fmt::format("{}-ssh", service_name(job));
  meeting.key_folder = string_at(job, "spec.ssh.sshAuthMountPath", meeting.key_folder);
  return meeting;
}

/// Puts the container of one of these names first, so that it is the main one everywhere.
void put_in_front(Json& pod, std::initializer_list<std::string_view> names) {
  JsonArray& containers = pod.at("spec").at("containers").get_array();
  const auto found = std::find_if(containers.begin(), containers.end(), [&](const Json& one) {
    return std::find(names.begin(), names.end(), string_at(one, "name")) != names.end();
  });
  if (found != containers.end()) std::rotate(containers.begin(), found, found + 1);
}

Json make_template_worker(const Json& job, const JobForm& form) {
  Json pod = make_template_pod(job, form.groups[kWorker], "");
  put_in_front(pod, {"worker", "mpi-worker"});
  return pod;
}

/// As the container's command has it: Kubernetes reads $(NAME) there, and these words are mpirun's.
Json literal(const std::string& word) {
  std::string text;
  for (const char letter : word) text += letter == '$' ? std::string("$$") : std::string(1, letter);
  return Json(text);
}

JsonArray launch_command(const MpiRun& run) {
  JsonArray command{"/bin/sh", fmt::format("{}/launch.sh", kMpiFolder), literal(run.home),
                    std::to_string(run.workers * run.slots)};
  for (const std::string& word : mpirun_arguments(run)) command.push_back(literal(word));
  return command;
}

/// mpirun passes on what it has itself.
void add_variables_of_worker(Json& launcher, const Json& worker, const MpiRun& run) {
  JsonArray env;
  const std::vector<std::string> own = plain_variables(launcher);
  for (const Json& variable : array_at(worker, "env")) {
    const std::string name(string_at(variable, "name"));
    const bool wanted =
        std::find(run.variables.begin(), run.variables.end(), name) != run.variables.end();
    if (wanted && std::find(own.begin(), own.end(), name) == own.end()) env.push_back(variable);
  }
  put_first(launcher, std::move(env));
}

bool is_resumed_with_command(const Json& job) {
  if (!was_paused(job)) return false;
  for (const Json& entry : array_at(job, "spec.runMode.pause.resumeSpecs")) {
    if (string_at(entry, "type") == "launcher") return !array_at(entry, "command").empty();
  }
  return false;
}

Json make_launcher(const Json& job, const JobForm& form, const MpiRun& run,
                   const MpiMeeting& meeting) {
  Json pod = make_template_pod(job, form.groups[kLauncherGroup], "launcher");
  put_in_front(pod, {"launcher"});
  add_mpi_volumes(pod, meeting);
  Json& container = main_container(pod, "");
  Json worker = make_template_worker(job, form);
  add_variables_of_worker(container, main_container(worker, ""), run);
  mount_mpi_volumes(container, meeting);
  if (!is_resumed_with_command(job)) {
    container.get_object()["command"] = launch_command(run);
    container.get_object().erase("args");
  }
  make_path(pod, "spec.hostname") = fmt::format("{}-launcher", name_of(job));
  if (find(pod, "spec.serviceAccountName") == nullptr) {
    make_path(pod, "spec.serviceAccountName") = launcher_account(job);
  }
  if (debugs(job)) return pod;  // nothing is started, so nothing has to answer
  JsonArray prepares = array_at(pod, "spec.initContainers");
  prepares.push_back(make_preflight(main_container(pod, ""), meeting, preflight_seconds(job)));
  make_path(pod, "spec.initContainers") = std::move(prepares);
  return pod;
}

Json make_worker_pod(const Json& job, const JobForm& form, const Replica& replica,
                     const MpiMeeting& meeting) {
  Json pod = make_template_worker(job, form);
  add_mpi_volumes(pod, meeting);
  make_worker(pod, main_container(pod, ""), meeting, string_at(job, "spec.ssh.sshdPath"));
  make_path(pod, "spec.hostname") = fmt::format("{}-worker-{}", name_of(job), replica.index);
  make_path(pod, "spec.subdomain") = fmt::format("{}-worker", name_of(job));
  return pod;
}

}  // namespace

JobForm MpiJob::read(const Json& written) const {
  const Json job = in_newest_shape(written);
  const JsonArray& specs = array_at(job, "spec.replicaSpecs");
  JobForm form;
  form.groups = {read_group(specs[kLauncherGroup]), read_group(specs[kWorker])};
  ReplicaGroup& launcher = form.groups[kLauncherGroup];
  launcher.replicas = 1;
  launcher.alone = true;
  launcher.clean_up = CleanUp::kNone;
  launcher.may_go_on = kLauncherMayGoOn;
  form.groups[kWorker].clean_up =
      bool_at(job, "spec.runPolicy.cleanUpWorkers") ? CleanUp::kAll : CleanUp::kNone;
  form.ends.has_master = false;
  form.naming.hosts = true;
  form.ends.stops_when_failed = true;
  form.limits.backoff.reset();
  form.paused = bool_at(job, "spec.runMode.pause.enabled");
  form.ends.success_rules = {EndRule{{{kLauncherGroup, 0}}}};
  // A worker that comes back cannot join what mpirun has started.
  for (const Replica& replica : replicas_of(form)) {
    form.ends.failure_rules.push_back(EndRule{{{replica.group, replica.index}}});
  }
  return form;
}

Json MpiJob::make_pod(const Json& written, const JobForm& form, const Replica& replica,
                      std::int64_t port) const {
  const Json job = in_newest_shape(written);
  const MpiRun run = read_mpi_run(job);
  const MpiMeeting meeting = read_meeting(job, run, port);
  Json pod = replica.group == kLauncherGroup ? make_launcher(job, form, run, meeting)
                                             : make_worker_pod(job, form, replica, meeting);
  share_cpu(pod);
  Json& labels = make_path(pod, "metadata.labels");
  if (!labels.is_object()) labels = JsonObject();
  labels.get_object()["app"] = name_of(job);
  labels.get_object()["mpi-job"] = name_of(job);
  return pod;
}

std::vector<Json> MpiJob::make_services(const Json& job, const JobForm& /*form*/) const {
  return {make_worker_service(job)};
}

std::vector<SupportObject> MpiJob::make_support(const Json& written, const JobForm& form,
                                                std::int64_t port) const {
  const Json job = in_newest_shape(written);
  MpiMeeting meeting = read_meeting(job, read_mpi_run(job), port);
  for (const Replica& replica : replicas_of(form)) {
    if (replica.group == kWorker) meeting.pods.push_back(pod_name(job, form, replica));
  }
  const Json worker = make_template_worker(job, form);
  meeting.container = string_at(array_at(worker, "spec.containers").at(0), "name");
  return make_mpi_support(job, meeting);
}

std::vector<ReplicaSpec> MpiJob::replica_specs(const Json& job) const {
  if (const Json* worker = find(job, "spec.worker")) return {{"spec.worker", worker}};
  std::vector<ReplicaSpec> specs = JobKind::replica_specs(job);
  // A launcher's template may be empty.
  std::erase_if(specs,
                [](const ReplicaSpec& one) { return string_at(*one.spec, "type") == "launcher"; });
  return specs;
}

JsonArray MpiJob::debug_command(const ReplicaGroup& group) const {
  if (group.type == "worker") return {};  // an sshd, as always
  return {"sleep", "inf"};
}

void MpiJob::tell_more(Draft& draft) const {
  tell_preflight(draft, kLauncherGroup);
}

std::string MpiJob::failure_headline(const Draft& /*draft*/, const EndRule& rule) const {
  return rule.replicas.front().first == kLauncherGroup ? "The job exited with an error code"
                                                       : "A worker was lost";
}

}  // namespace trainyard::jobs
