// How Kubeflow's operators tell of a job, made of what the engine has found out.
#include "base/words/text.h"
#include "jobs/engine/form/names.h"
#include "jobs/engine/form/status.h"
#include "jobs/engine/plan/draft.h"
#include "jobs/engine/plan/restart.h"
#include "jobs/engine/plan/stall.h"
#include "jobs/kubeflow/conditions.h"
#include "jobs/kubeflow/kubeflow_job.h"
#include "jobs/kubeflow/labels.h"
#include "object/values/status.h"

#include <fmt/format.h>

#include <algorithm>

namespace trainyard::jobs {
namespace {

/// Pods of a group, as replicaStatuses counts them.
struct Counts {
  std::int64_t active = 0;
  std::int64_t succeeded = 0;
  std::int64_t failed = 0;
};

Counts count_group(const Draft& draft, std::size_t group) {
  Counts counts;
  for (const Observed& one : draft.observed) {
    if (one.replica.group != group || one.surplus || one.pod == nullptr) continue;
    counts.active += one.phase == PodPhase::kRunning && !is_being_deleted(one.pod->body()) ? 1 : 0;
    counts.succeeded += one.phase == PodPhase::kSucceeded ? 1 : 0;
    counts.failed += one.phase == PodPhase::kFailed ? 1 : 0;
  }
  return counts;
}

/// The status of a job in the making.
class Report {
 public:
  Report(const KubeflowJob& kind, Draft& draft)
      : kind_(kind), draft_(draft), status_(JsonObject()) {
    const Json* before = find(draft.job, "status");
    if (before != nullptr && before->is_object()) status_ = *before;
    before_ = status_;
  }

  void make() {
    tell_changes();
    if (!was_over()) set_conditions();
    if (!was_over()) set_counts();
    for (const char* time : {"startTime", "completionTime"}) {
      if (const Json* value = find(draft_.status, time)) status_.get_object()[time] = *value;
    }
    tell_conditions();
    if (draft_.ended_by && *draft_.ended_by != EndedBy::kRules) {
      draft_.status.get_object()["stopped"] = true;
    }
    status_.get_object()["trainyard"] = std::move(draft_.status);
    tell_stall();
    draft_.plan.events = std::move(told_);
    if (status_ == before_) return;
    status_.get_object()["lastReconcileTime"] = format_time(draft_.view.now);
    draft_.plan.status = std::move(status_);
  }

 private:
  bool was_over() const { return is_final(string_at(draft_.before, "phase")); }
  std::string_view phase() const { return string_at(draft_.status, "phase"); }
  std::string who() const { return kind_.title(draft_.job); }

  void set(const char* type, bool value, const char* reason, const std::string& message) {
    set_kubeflow_condition(status_, type, value, fmt::format("{}{}", kind_.name(), reason), message,
                           draft_.view.now);
  }

  void set_conditions() {
    if (array_at(status_, "conditions").empty()) {
      set("Created", true, "Created", who() + " is created.");
      if (std::string what = kind_.unheeded(draft_.job); !what.empty()) {
        tell("NotFollowed", std::move(what), true);
      }
    }
    if (phase() == "Paused") {
      if (condition_is(status_, "Running", true) || condition_is(status_, "Restarting", true)) {
        set("Running", false, "Suspended", who() + " is suspended.");
      }
      return set("Suspended", true, "Suspended", kind_.suspended_words(draft_.job));
    }
    if (condition_is(status_, "Suspended", true)) {
      set("Suspended", false, "Resumed", kind_.resumed_words(draft_.job));
    }
    if (phase() == "Succeeded") {
      set("Succeeded", true, "Succeeded", kind_.success_words(draft_.job));
    } else if (phase() == "Failed") {
      const Json* failed = find_condition(array_at(draft_.status, "conditions"), "Failed");
      set_kubeflow_condition(status_, "Failed", true, kind_.failure_reason(draft_),
                             std::string(string_at(*failed, "message")), draft_.view.now);
    } else {
      set_progress();
    }
  }

  void set_progress() {
    for (std::size_t group = 0; group < draft_.form.groups.size(); ++group) {
      const auto restarting =
          std::count_if(draft_.observed.begin(), draft_.observed.end(), [&](const Observed& one) {
            return one.replica.group == group && !one.surplus && one.phase == PodPhase::kFailed &&
                   will_restart(draft_, one);
          });
      if (restarting == 0) continue;
      return set("Restarting", true, "Restarting",
                 fmt::format("{} is restarting because {} {} replica(s) failed.", who(), restarting,
                             role_of(group)));
    }
    const std::size_t leading = kind_.leading_group(draft_.form);
    if (leading < draft_.form.groups.size() && count_group(draft_, leading).active > 0) {
      set("Running", true, "Running", kind_.running_words(draft_.job));
    }
  }

  std::string role_of(std::size_t group) const {
    for (const std::string_view role : kind_.roles()) {
      if (lower(role) == draft_.form.groups[group].type) return std::string(role);
    }
    return draft_.form.groups[group].type;
  }

  void set_counts() {
    if (string_at(draft_.status, "startTime").empty()) return;  // nothing was made
    JsonObject statuses;
    for (std::size_t group = 0; group < draft_.form.groups.size(); ++group) {
      Counts counts = count_group(draft_, group);
      if (phase() == "Paused") counts.active = 0;
      // What still runs when the job has succeeded is done as well.
      if (phase() == "Succeeded" && kind_.counts_all_as_succeeded()) {
        counts.succeeded += std::exchange(counts.active, 0);
      }
      JsonObject entry;
      if (counts.active > 0) entry["active"] = counts.active;
      if (counts.succeeded > 0) entry["succeeded"] = counts.succeeded;
      if (counts.failed > 0) entry["failed"] = counts.failed;
      entry["selector"] = fmt::format("{}={},{}={},{}={}", kKubeflowJobLabel, name_of(draft_.job),
                                      kKubeflowOperatorLabel, kind_.operator_name(),
                                      kKubeflowTypeLabel, draft_.form.groups[group].type);
      statuses[role_of(group)] = std::move(entry);
    }
    status_.get_object()["replicaStatuses"] = std::move(statuses);
  }

  void tell(std::string reason, std::string message, bool warning = false) {
    told_.push_back(PlannedEvent{warning, std::move(reason), std::move(message)});
  }

  /// What happens to pods and Services.
  void tell_changes() {
    for (const PlannedEvent& event : draft_.plan.events) {
      if (kind_.tells(event.reason)) told_.push_back(event);
    }
    for (const Json& service : draft_.plan.create_services) {
      tell("SuccessfulCreateService", fmt::format("Created service: {}", name_of(service)));
    }
    for (const Json& pod : draft_.plan.create_pods) {
      tell("SuccessfulCreatePod", fmt::format("Created pod: {}", name_of(pod)));
    }
    for (const Observed& one : draft_.observed) {
      if (one.pod == nullptr || one.recorded || !is_over(one.phase)) continue;
      tell("ExitedWithCode", fmt::format("Pod: {}.{} exited with code {}", namespace_of(draft_.job),
                                         one.name, one.exit_code));
    }
    for (const Removal& removal : draft_.plan.remove_pods) {
      tell("SuccessfulDeletePod", "Deleted pod: " + removal.name);
    }
    for (const Removal& removal : draft_.plan.remove_services) {
      tell("SuccessfulDeleteService", "Deleted service: " + removal.name);
    }
    if (draft_.plan.remove_job) {
      tell("SuccessfulDeleteJob", fmt::format("Deleted job: {}", name_of(draft_.job)));
    }
    tell_waiting();
  }

  /// Why nothing runs yet: once for every reason.
  void tell_waiting() {
    const Json* now = find_condition(array_at(draft_.status, "conditions"), "Running");
    if (now == nullptr || string_at(*now, "status") != "False" || is_final(phase())) return;
    const std::string_view reason = string_at(*now, "reason");
    const Json* before = find_condition(array_at(draft_.before, "conditions"), "Running");
    if (before != nullptr && string_at(*before, "reason") == reason) return;
    if (reason == "-" || phase() == "Paused") return;
    tell(reason == "FailedCreate" ? "FailedCreatePod" : std::string(reason),
         std::string(string_at(*now, "message")), true);
  }

  /// Their operators know of no such thing: it is told as for our own kinds.
  void tell_stall() {
    for (PlannedEvent& event : draft_.plan.events) {
      if (is_about_stall(event)) told_.push_back(std::move(event));
    }
  }

  void tell_conditions() {
    const JsonArray& before = array_at(before_, "conditions");
    for (const Json& condition : array_at(status_, "conditions")) {
      const std::string_view type = string_at(condition, "type");
      const Json* old = find_condition(before, type);
      if (old != nullptr && string_at(*old, "reason") == string_at(condition, "reason")) continue;
      if (type == "Running" && string_at(condition, "status") == "False") continue;
      tell(std::string(string_at(condition, "reason")),
           std::string(string_at(condition, "message")), type == "Failed" || type == "Restarting");
    }
  }

  const KubeflowJob& kind_;
  Draft& draft_;
  Json before_;
  Json status_;
  std::vector<PlannedEvent> told_;
};

}  // namespace

void KubeflowJob::report(Draft& draft) const {
  Report(*this, draft).make();
}

}  // namespace trainyard::jobs
