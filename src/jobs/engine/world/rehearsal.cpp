#include "jobs/engine/world/rehearsal.h"

#include "jobs/engine/form/names.h"
#include "object/values/status.h"

#include <fmt/format.h>

#include <vector>

namespace trainyard::jobs {

Rehearsal::Rehearsal(const JobKind& kind, Json job)
    : kind_(kind), job_(std::move(job)), form_(kind.read(job_)) {
  make_path(job_, "metadata.uid") = "rehearsal";
  make_path(job_, "metadata.annotations") = JsonObject{{kPortAnnotation, "29500"}};
  job_.get_object().erase("status");
  settle();
}

std::string Rehearsal::pod_name(const Replica& replica) const {
  return jobs::pod_name(job_, form_, replica);
}

JobPlan Rehearsal::plan() const {
  JobView view;
  view.job = std::make_shared<const StoredObject>(job_, 1);
  for (const auto& [name, pod] : pods_) {
    view.pods[name] = std::make_shared<const StoredObject>(pod, 1);
  }
  for (const std::string& service : services_) view.services.emplace(service, service);
  view.has_pod_group = has_pod_group_;
  if (!tensorboard_.is_null()) {
    view.tensorboard = std::make_shared<const StoredObject>(tensorboard_, 1);
  }
  view.now = now_;
  return plan_job(kind_, view);
}

void Rehearsal::carry_out(const JobPlan& plan) {
  for (const Json& service : plan.create_services) services_.emplace(name_of(service));
  if (plan.create_pod_group) has_pod_group_ = true;
  if (plan.create_tensorboard) tensorboard_ = *plan.create_tensorboard;
  for (const Json& pod : plan.create_pods) {
    Json made = pod;
    make_path(made, "metadata.uid") = fmt::format("pod-{}", ++made_);
    make_path(made, "status.phase") = "Pending";
    pods_.emplace(std::string(name_of(pod)), std::move(made));
  }
  for (const Removal& removal : plan.remove_pods) pods_.erase(removal.name);
  for (const Removal& removal : plan.remove_services) services_.erase(removal.name);
  if (plan.status) job_.get_object()["status"] = *plan.status;
}

void Rehearsal::run_pods() {
  for (auto& [name, pod] : pods_) {
    if (has_ended(pod)) continue;
    make_path(pod, "status.phase") = "Running";
    make_path(pod, "status.conditions") = JsonArray{{{"type", "Ready"}, {"status", "True"}}};
  }
}

void Rehearsal::settle() {
  // Few rounds are needed; a plan that never comes to rest would be a fault of the engine.
  constexpr int kMostRounds = 100;
  for (int round = 0; round < kMostRounds; ++round) {
    const JobPlan next = plan();
    const bool idle = next.create_services.empty() && !next.create_pod_group &&
                      !next.create_tensorboard && next.create_pods.empty() &&
                      next.remove_pods.empty() && next.remove_services.empty() && !next.status;
    if (idle) {
      // Of a job that is over, some pods may have time to end by themselves: these do not.
      if (!next.look_again || !is_final(string_at(status(), "phase"))) return;
      now_ += *next.look_again;
      continue;
    }
    carry_out(next);
    run_pods();
  }
}

void Rehearsal::end_pod(const std::string& name, std::int64_t code, const std::string& reason) {
  Json& pod = pods_.at(name);
  const std::string_view policy = string_at(pod, "spec.restartPolicy");
  const Json end{
      {"terminated", {{"exitCode", code}, {"reason", reason}, {"finishedAt", format_time(now_)}}}};
  // A node that starts containers again keeps the pod.
  if (policy == "Always" || (policy == "OnFailure" && code != 0)) {
    make_path(pod, "status.containerStatuses") =
        JsonArray{{{"name", "main"}, {"restartCount", 1}, {"lastState", end}}};
    return;
  }
  make_path(pod, "status.phase") = code == 0 ? "Succeeded" : "Failed";
  make_path(pod, "status.containerStatuses") = JsonArray{{{"name", "main"}, {"state", end}}};
}

void Rehearsal::lose_pod(const std::string& name) {
  pods_.erase(name);
}

void Rehearsal::set_paused(bool paused) {
  make_path(job_, kind_.pause_field()) = paused;
  form_ = kind_.read(job_);
}

}  // namespace trainyard::jobs
