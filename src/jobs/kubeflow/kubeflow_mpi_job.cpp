#include "jobs/kubeflow/kubeflow_mpi_job.h"

#include "jobs/engine/form/names.h"
#include "jobs/engine/form/run_mode.h"
#include "jobs/engine/form/training_spec.h"
#include "jobs/engine/plan/children.h"
#include "jobs/engine/plan/draft.h"
#include "jobs/kubeflow/labels.h"
#include "jobs/mpi/preflight.h"

#include <fmt/format.h>

#include <algorithm>

namespace trainyard::jobs {
namespace {

/// As often a batch Job tries when it is not told otherwise.
constexpr std::int64_t kUsualBackoffLimit = 6;
constexpr std::size_t kLauncher = 0;  // the group of that role: it is always there

const Json* first_container(const Json& job, std::string_view role) {
  const Json* spec = object_at(job, "spec.mpiReplicaSpecs").if_contains(role);
  if (spec == nullptr) return nullptr;
  const JsonArray& containers = array_at(*spec, "template.spec.containers");
  return containers.empty() ? nullptr : &containers.front();
}

std::int64_t count_workers(const Json& job) {
  const Json* spec = object_at(job, "spec.mpiReplicaSpecs").if_contains("Worker");
  return spec == nullptr ? 0 : int_at(*spec, "replicas", 1);
}

std::string_view implementation_of(const Json& job) {
  return string_at(job, "spec.mpiImplementation", "OpenMPI");
}

bool launcher_works(const Json& job) {
  return bool_at(job, "spec.runLauncherAsWorker");
}

/// The first word of what a container runs, if it says.
std::string_view first_word(const Json& container) {
  for (const char* field : {"command", "args"}) {
    const JsonArray& words = array_at(container, field);
    if (words.empty()) continue;
    const auto* word = words.front().if_string();
    return word == nullptr ? std::string_view() : std::string_view(word->data(), word->size());
  }
  return {};
}

/// Whether a worker is to run sshd: what it does unless it is told otherwise.
bool runs_sshd(const Json& container) {
  const std::string_view word = first_word(container);
  return word.empty() || word == "sshd" || word.ends_with("/sshd");
}

/// Where the template says that sshd is; empty: it does not.
std::string_view sshd_of(const Json& container) {
  const std::string_view word = first_word(container);
  return word.starts_with('/') ? word : std::string_view();
}

bool runs_as_somebody(const Json& job, std::string_view role) {
  const Json* spec = object_at(job, "spec.mpiReplicaSpecs").if_contains(role);
  const Json* container = first_container(job, role);
  if (spec == nullptr || container == nullptr) return false;
  const std::int64_t of_pod = int_at(*spec, "template.spec.securityContext.runAsUser");
  return int_at(*container, "securityContext.runAsUser", of_pod) != 0;
}

/// Whether the launcher says which interfaces Open MPI uses, in any way that can be seen.
bool names_interfaces(const Json& launcher) {
  return to_text(launcher).find("_tcp_if_") != std::string::npos;
}

MpiMeeting read_meeting(const Json& job, std::int64_t port) {
  MpiMeeting meeting;
  const std::string name(name_of(job));
  for (std::int64_t i = 0; i < count_workers(job); ++i) {
    meeting.pods.push_back(fmt::format("{}-worker-{}", name, i));
    meeting.hosts.push_back(
        fmt::format("{}.{}.{}.svc", meeting.pods.back(), name, namespace_of(job)));
  }
  meeting.slots = int_at(job, "spec.slotsPerWorker", 1);
  meeting.port = port;
  // mpirun knows its own host by its short name, whatever addresses it has.
  if (launcher_works(job)) meeting.own_host = name + "-launcher";
  if (implementation_of(job) != "OpenMPI") meeting.slots_mark = ":";
  meeting.files = name + "-config";
  meeting.keys = name + "-ssh";
  meeting.key_folder = string_at(job, "spec.sshAuthMountPath", meeting.key_folder);
  meeting.key_file = "id_rsa";
  meeting.copies_keys = runs_as_somebody(job, "Launcher") || runs_as_somebody(job, "Worker");
  meeting.has_parameters = true;
  if (const Json* launcher = first_container(job, "Launcher")) {
    meeting.own_interfaces = names_interfaces(*launcher);
  }
  if (const Json* worker = first_container(job, "Worker")) {
    meeting.container = string_at(*worker, "name");
    meeting.own_workers = !runs_sshd(*worker);
  }
  return meeting;
}

/// What the operator tells the launcher of, for each MPI in its words.
JsonArray launcher_variables(const Json& job) {
  const std::string hostfile = fmt::format("{}/hostfile", kMpiFolder);
  const std::string slots = std::to_string(int_at(job, "spec.slotsPerWorker", 1));
  const std::string tries = "-o ConnectionAttempts=10";
  const std::string ssh = fmt::format("-F {}/ssh_config {}", kMpiFolder, tries);
  JsonArray env;
  add_variable(env, "K_MPI_JOB_ROLE", "launcher");
  if (implementation_of(job) == "Intel") {
    add_variable(env, "I_MPI_HYDRA_HOST_FILE", hostfile);
    add_variable(env, "I_MPI_HYDRA_BOOTSTRAP_EXEC_EXTRA_ARGS", ssh);
    add_variable(env, "I_MPI_PERHOST", slots);
  } else if (implementation_of(job) == "MPICH") {
    add_variable(env, "HYDRA_HOST_FILE", hostfile);
    add_variable(env, "HYDRA_LAUNCH_EXTRA_ARGS", ssh);
  } else {
    add_variable(env, "OMPI_MCA_orte_keep_fqdn_hostnames", "true");
    add_variable(env, "OMPI_MCA_orte_default_hostfile", hostfile);
    add_variable(env, "OMPI_MCA_plm_rsh_args", tries);
    add_variable(env, "OMPI_MCA_orte_set_default_slots", slots);
  }
  if (launcher_works(job)) return env;
  // A launcher that only waits shall not take a GPU by mistake.
  add_variable(env, "NVIDIA_VISIBLE_DEVICES", "");
  add_variable(env, "NVIDIA_DRIVER_CAPABILITIES", "");
  return env;
}

/// Who makes the pod, and what it is to the job: in the words of all versions of the operator.
void add_labels(Json& pod, const Json& job, const std::string& role, std::int64_t index) {
  JsonObject& labels = make_path(pod, "metadata.labels").get_object();
  labels[kKubeflowRoleLabel] = role;
  for (const char* label : {"mpi-job-name", "mpi_job_name"}) labels[label] = name_of(job);
  for (const char* label : {"mpi-job-role", "mpi_role_type"}) labels[label] = role;
  labels["group_name"] = "kubeflow.org";
  const bool worker = role == "worker";
  labels[kKubeflowIndexLabel] = std::to_string(worker && launcher_works(job) ? index + 1 : index);
}

}  // namespace

JobForm KubeflowMpiJob::read(const Json& job) const {
  JobForm form = read_spec(job);
  const bool stopped = bool_at(job, "status.trainyard.stopped");
  const std::string_view keep = string_at(job, "spec.runPolicy.cleanPodPolicy");
  const bool launcher_waits =
      string_at(job, "spec.launcherCreationPolicy") == "WaitForWorkersReady" &&
      count_workers(job) > 0;
  const std::int64_t limit = form.limits.backoff.value_or(kUsualBackoffLimit);
  form.limits.backoff.reset();
  form.limits.in_place = std::max<std::int64_t>(limit, 1);
  for (ReplicaGroup& group : form.groups) {
    if (group.type == "worker") {
      const bool tidy = stopped || keep == "Running";
      group.clean_up = keep == "All" ? CleanUp::kAll : tidy ? CleanUp::kUnfinished : CleanUp::kNone;
      continue;
    }
    group.alone = true;
    // One whose pod is not restarted in place gets another pod.
    group.restart = RestartPolicy::kOnFailure;
    group.restart_limit = limit;
    // Its log is what people read.
    group.clean_up = stopped ? CleanUp::kUnfinished : CleanUp::kNone;
    group.comes_last = launcher_waits;
  }
  if (launcher_waits) form.least_replicas = count_workers(job);
  // Who says nothing of it does not want workers of a failed job to hold what they have.
  form.ends.stops_when_failed = keep.empty();
  form.ends.has_master = false;
  form.first_group = kLauncher;
  form.ends.success_rules = {EndRule{{{kLauncher, 0}}}};
  form.ends.failure_rules = form.ends.success_rules;
  form.meeting.starts_with_all = true;
  form.meeting.gate = kPreflightContainer;
  return form;
}

void KubeflowMpiJob::make_launcher(Json& pod, const Json& job, const MpiMeeting& meeting) const {
  Json& container = jobs::main_container(pod, "");
  mount_mpi_volumes(container, meeting);
  JsonArray allowed;
  add_variable(allowed, "OMPI_ALLOW_RUN_AS_ROOT", "1");
  add_variable(allowed, "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
  put_first(container, std::move(allowed));
  put_last(container, launcher_variables(job));
  if (find(pod, "spec.serviceAccountName") == nullptr) {
    make_path(pod, "spec.serviceAccountName") = launcher_account(job);
  }
  JsonArray prepares = array_at(pod, "spec.initContainers");
  prepares.push_back(make_preflight(container, meeting, preflight_seconds(job)));
  make_path(pod, "spec.initContainers") = std::move(prepares);
}

Json KubeflowMpiJob::make_pod(const Json& job, const JobForm& form, const Replica& replica,
                              std::int64_t port) const {
  Json pod = make_role_pod(job, form, replica, port);
  const MpiMeeting meeting = read_meeting(job, port);
  const std::string& type = form.groups[replica.group].type;
  add_labels(pod, job, type, replica.index);
  make_path(pod, "spec.hostname") = pod_name(job, form, replica);
  make_path(pod, "spec.subdomain") = name_of(job);
  add_mpi_volumes(pod, meeting);
  share_cpu(pod);
  if (type == "launcher") {
    make_launcher(pod, job, meeting);
    return pod;
  }
  Json& container = jobs::main_container(pod, "");
  if (meeting.own_workers) {
    mount_mpi_volumes(container, meeting);
  } else {
    const std::string sshd(sshd_of(container));
    make_worker(pod, container, meeting, sshd);
  }
  JsonArray env;
  add_variable(env, "K_MPI_JOB_ROLE", "worker");
  put_last(container, env);
  return pod;
}

/// One for all, under which the pods' host names resolve.
std::vector<Json> KubeflowMpiJob::make_services(const Json& job, const JobForm& /*form*/) const {
  Json service = make_child(job, "v1", "Service", std::string(name_of(job)));
  service.at("metadata").at("labels").get_object()["app"] = name_of(job);
  service.get_object()["spec"] = JsonObject{
      {"clusterIP", "None"},
      {"publishNotReadyAddresses", true},
      {"selector", {{kKubeflowOperatorLabel, operator_name()}, {kKubeflowJobLabel, name_of(job)}}}};
  return {std::move(service)};
}

std::vector<SupportObject> KubeflowMpiJob::make_support(const Json& job, const JobForm& /*form*/,
                                                        std::int64_t port) const {
  return make_mpi_support(job, read_meeting(job, port));
}

void KubeflowMpiJob::tell_more(Draft& draft) const {
  tell_preflight(draft, kLauncher);
}

std::string KubeflowMpiJob::title(const Json& job) const {
  return fmt::format("MPIJob {}/{}", namespace_of(job), name_of(job));
}

std::string KubeflowMpiJob::running_words(const Json& job) const {
  return title(job) + " is running.";
}

std::string KubeflowMpiJob::success_words(const Json& job) const {
  return title(job) + " successfully completed.";
}

std::string KubeflowMpiJob::failure_words(const Json& /*job*/, std::int64_t /*failed*/,
                                          std::string_view /*role*/) const {
  return "Job has reached the specified backoff limit";
}

std::string KubeflowMpiJob::failure_headline(const Draft& draft, const EndRule& /*rule*/) const {
  return failure_words(draft.job, 1, "Launcher");
}

std::string KubeflowMpiJob::limit_headline(const Draft& draft, EndedBy limit) const {
  if (limit == EndedBy::kDeadline) return "Job was active longer than specified deadline";
  if (limit == EndedBy::kNoStart) return title(draft.job) + " has failed";
  return failure_words(draft.job, 1, "Launcher");
}

std::string KubeflowMpiJob::failure_reason(const Draft& draft) const {
  switch (draft.ended_by.value_or(EndedBy::kNoStart)) {
    case EndedBy::kDeadline:
      return "DeadlineExceeded";
    case EndedBy::kNoStart:
      return "MPIJobFailed";
    default:
      return "BackoffLimitExceeded";
  }
}

std::string KubeflowMpiJob::unheeded(const Json& job) const {
  const std::string_view implementation = implementation_of(job);
  if (implementation == "OpenMPI") return {};
  return fmt::format(
      "spec.mpiImplementation {}: hostfile and variables are as the operator makes them for it, "
      "but only Open MPI was tried here",
      implementation);
}

}  // namespace trainyard::jobs
