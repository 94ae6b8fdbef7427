#include "jobs/engine/test_world.h"

#include "jobs/engine/form/names.h"
#include "jobs/pytorch_training_job.h"
#include "object/values/status.h"
#include "object/yaml/yaml.h"

#include <fmt/format.h>

namespace trainyard::jobs {
namespace {

const PyTorchTrainingJob kPyTorch;

}  // namespace

World::World(std::string_view spec) : World(kPyTorch, spec) {}

World::World(const JobKind& kind, std::string_view spec)
    : now(*parse_time("2026-03-01T10:00:00.25Z")), kind_(&kind) {
  job = JsonObject{{"apiVersion", kind.resource().api_version()},
                   {"kind", kind.name()},
                   {"metadata",
                    {{"name", "mnist"},
                     {"namespace", "demo"},
                     {"uid", "cffea855-5ce2-496a-8956-f6e76fe2f565"},
                     {"generation", 1},
                     {"annotations", {{kPortAnnotation, "29500"}}}}}};
  job.get_object()["spec"] = *parse_json_or_yaml(spec);
}

World World::with_groups(const std::vector<std::string>& groups, const std::string& run_policy) {
  std::string spec = fmt::format("runPolicy: {}\nreplicaSpecs:\n", run_policy);
  for (const std::string& group : groups) {
    spec += fmt::format(
        "- {}, template: {{spec: {{containers: [{{name: main, command: [train]}}]}}}}}}\n",
        group.substr(0, group.size() - 1));
  }
  return World(spec);
}

JobPlan World::plan() const {
  JobView view;
  view.job = std::make_shared<const StoredObject>(job, 1);
  for (const auto& [name, pod] : pods) {
    view.pods[name] = std::make_shared<const StoredObject>(pod, 1);
  }
  for (const std::string& service : services) view.services.emplace(service, service);
  if (!tensorboard.is_null())
    view.tensorboard = std::make_shared<const StoredObject>(tensorboard, 1);
  view.has_pod_group = has_pod_group;
  view.group_members = group_members;
  view.group_taken_by = group_taken_by;
  view.port_is_usable = port_is_usable;
  view.refusal = refusal;
  view.now = now;
  return plan_job(*kind_, view);
}

bool World::apply(const JobPlan& plan, std::size_t most) {
  std::size_t done = 0;
  const auto crashed = [&] { return done++ >= most; };
  for (const Json& service : plan.create_services) {
    if (crashed()) return false;
    services.emplace(name_of(service));
  }
  if (plan.create_pod_group) {
    if (crashed()) return false;
    has_pod_group = true;
    group_members = int_at(*plan.create_pod_group, "spec.minMember");
  }
  if (plan.create_tensorboard) {
    if (crashed()) return false;
    tensorboard = *plan.create_tensorboard;
    make_path(tensorboard, "metadata.uid") = "board-1";
  }
  for (const Json& pod : plan.create_pods) {
    if (crashed()) return false;
    create_pod(pod);
  }
  for (const Removal& removal : plan.remove_pods) {
    if (crashed() || !remove_pod(removal)) return false;
  }
  if (plan.resize_pod_group) group_members = *plan.resize_pod_group;
  for (const Removal& removal : plan.remove_services) {
    if (crashed()) return false;
    services.erase(removal.name);
  }
  if (plan.remove_job) job_is_removed = true;
  if (plan.status) {
    if (crashed()) return false;
    job.get_object()["status"] = *plan.status;
  }
  if (crashed()) return false;
  events.insert(events.end(), plan.events.begin(), plan.events.end());
  if (plan.needs_port) {
    if (crashed()) return false;
    Json& metadata = make_path(job, "metadata");
    metadata.get_object()["annotations"] = JsonObject{{kPortAnnotation, "29500"}};
  }
  return true;
}

bool World::settle() {
  for (int round = 0; round < 20; ++round) {
    const JobPlan next = plan();
    if (is_empty(next)) return true;
    apply(next);
  }
  return false;
}

void World::create_pod(Json pod) {
  const std::string name(name_of(pod));
  if (pods.contains(name)) {
    ++refused_creations;
    return;
  }
  make_path(pod, "metadata.uid") = fmt::format("pod-{}", next_uid_++);
  make_path(pod, "status.phase") = "Pending";
  touch(pod);
  if (predecessor_ended_[name]) ++restarts;
  pods[name] = std::move(pod);
}

void World::touch(Json& pod) {
  make_path(pod, "metadata.resourceVersion") = std::to_string(next_version_++);
}

bool World::remove_pod(const Removal& removal) {
  const auto found = pods.find(removal.name);
  if (found == pods.end()) return true;
  Json& pod = found->second;
  if (uid_of(pod) != removal.uid) return false;
  if (!removal.version.empty() && string_at(pod, "metadata.resourceVersion") != removal.version) {
    return false;
  }
  if (has_ended(pod) && !deletes_slowly_) {
    let_go(removal.name);
  } else {
    make_path(pod, "metadata.deletionTimestamp") = format_time(now);
    touch(pod);
  }
  return true;
}

void World::let_go(const std::string& name) {
  // A process that was told to end has not failed.
  const Json& pod = pods.at(name);
  predecessor_ended_[name] = has_ended(pod) && find(pod, "test.endedByDeletion") == nullptr;
  pods.erase(name);
}

void World::set_phase(const std::string& pod, const std::string& phase) {
  Json& object = pods.at(pod_name(pod));
  make_path(object, "status.phase") = phase;
  touch(object);
}

void World::set_all_phases(const std::string& phase) {
  for (auto& [name, pod] : pods) {
    make_path(pod, "status.phase") = phase;
    touch(pod);
  }
}

void World::end_pod(const std::string& pod, std::int64_t code) {
  Json& object = pods.at(pod_name(pod));
  make_path(object, "status.phase") = code == 0 ? "Succeeded" : "Failed";
  make_path(object, "status.containerStatuses") = JsonArray{
      {{"name", "main"},
       {"state", {{"terminated", {{"exitCode", code}, {"finishedAt", format_time(now)}}}}}}};
  if (is_being_deleted(object)) make_path(object, "test.endedByDeletion") = true;
  touch(object);
}

void World::restart_container(const std::string& pod, std::int64_t code) {
  Json& object = pods.at(pod_name(pod));
  const JsonArray& before = array_at(object, "status.containerStatuses");
  const std::int64_t count = before.empty() ? 0 : int_at(before[0], "restartCount");
  make_path(object, "status.containerStatuses") = JsonArray{
      {{"name", "main"},
       {"restartCount", count + 1},
       {"state", {{"running", JsonObject()}}},
       {"lastState", {{"terminated", {{"exitCode", code}, {"finishedAt", format_time(now)}}}}}}};
  touch(object);
}

void World::set_end_note(const std::string& pod, const std::string& note) {
  make_path(pods.at(pod_name(pod)), "status.conditions") =
      JsonArray{{{"type", "trainyard.dev/Ended"}, {"status", "True"}, {"message", note}}};
}

void World::delete_pod(const std::string& pod) {
  const std::string name = pod_name(pod);
  remove_pod({name, std::string(uid_of(pods.at(name))), ""});
}

void World::lose_pod(const std::string& pod) {
  const std::string name = pod_name(pod);
  predecessor_ended_[name] = false;
  pods.erase(name);
}

void World::finish_deletions() {
  std::vector<std::string> going;
  for (const auto& [name, pod] : pods) {
    if (is_being_deleted(pod)) going.push_back(name);
  }
  for (const std::string& name : going) let_go(name);
}

std::string World::pod_name(const std::string& short_name) const {
  return (kind_->read(job).naming.plain ? "mnist-" : "mnist-40c14-") + short_name;
}

const Json& World::status() const {
  static const Json kNone = JsonObject();
  const Json* found = find(job, "status");
  return found == nullptr ? kNone : *found;
}

std::string World::condition(std::string_view type) const {
  const Json* found = find_condition(job, type);
  if (found == nullptr) return "";
  return fmt::format("{} ({}: {})", string_at(*found, "status"), string_at(*found, "reason"),
                     string_at(*found, "message"));
}

std::string World::condition_time(std::string_view type) const {
  const Json* found = find_condition(job, type);
  return found == nullptr ? "" : std::string(string_at(*found, "lastTransitionTime"));
}

Json World::replica(const std::string& short_name) const {
  const Json memory = kind_->recall(job);
  for (const Json& task : array_at(memory, "tasks")) {
    for (const Json& entry : array_at(task, "replicas")) {
      if (string_at(entry, "name") == pod_name(short_name)) return entry;
    }
  }
  return nullptr;
}

std::vector<std::string> World::told(std::string_view reason) const {
  std::vector<std::string> messages;
  for (const PlannedEvent& event : events) {
    if (event.reason == reason) messages.push_back(event.message);
  }
  return messages;
}

bool is_empty(const JobPlan& plan) {
  return !plan.needs_port && plan.create_services.empty() && !plan.create_tensorboard &&
         !plan.create_pod_group && plan.create_pods.empty() && plan.remove_pods.empty() &&
         plan.remove_services.empty() && !plan.resize_pod_group && !plan.status &&
         plan.events.empty();
}

}  // namespace trainyard::jobs
