#include "jobs/engine/plan.h"

#include "jobs/engine/children.h"
#include "jobs/engine/names.h"
#include "jobs/engine/observation.h"
#include "jobs/engine/status.h"
#include "object/status.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

namespace trainyard::jobs {
namespace {

struct Ending {
  bool success = false;
  std::string message;
};

class Planner {
 public:
  Planner(const JobKind& kind, const JobView& view)
      : kind_(kind),
        view_(view),
        job_(view.job->body()),
        form_(kind.read(job_)),
        before_(status_before()),
        status_(before_) {}

  JobPlan run() {
    if (is_being_deleted(job_)) return {};
    observed_ = observe_replicas(job_, form_, view_.pods, before_);
    if (is_final(string_at(before_, "phase"))) {
      clean_up();
    } else {
      go_on();
    }
    write_status();
    return std::move(plan_);
  }

 private:
  Json status_before() const {
    const Json* status = find(job_, "status");
    return status != nullptr && status->is_object() ? *status : Json(JsonObject());
  }

  /// Decides which pods that have ended and are gone get a successor, and counts those as
  /// restarts. Somebody else may have deleted them, so that is not said yet. Pods that were deleted
  /// while they ran had no end: their successors only take their places.
  void count_restarts() {
    for (const Observed& observed : observed_) {
      backoff_ += observed.restarts;
      if (observed.pod != nullptr && observed.recorded && is_being_deleted(observed.pod->body()) &&
          may_restart(group_of(observed).restart, observed)) {
        ++promised_;
      }
    }
    for (Observed& observed : observed_) {
      if (observed.pod != nullptr || observed.ended_as.empty()) continue;
      if (observed.phase == "Deleted" || !will_restart(observed)) {
        observed.phase = "Deleted";
        continue;
      }
      observed.succeeds = true;
      ++observed.restarts;
      ++backoff_;
    }
  }

  void go_on() {
    if (string_at(before_, "phase").empty()) begin();
    const std::int64_t port = leased_port(job_);
    if (port == 0 || !view_.port_is_usable) {
      plan_.needs_port = true;
      return;
    }
    count_restarts();
    if (auto ending = judge()) {
      finish(*ending);
      return;
    }
    make_children(port);
    replace_ended();
    report_progress();
    report_waiting();
  }

  void begin() {
    status_.get_object()["phase"] = "Pending";
    set_condition(status_, "Completed", false, "NotFinished", "The job is still running.",
                  view_.now);
    tell("Created",
         fmt::format("A {} has been created: {}", string_at(job_, "kind"), name_of(job_)));
  }

  const ReplicaGroup& group_of(const Observed& observed) const {
    return form_.groups[observed.replica.group];
  }

  bool will_restart(const Observed& observed) const {
    if (!may_restart(group_of(observed).restart, observed)) return false;
    const bool promised = observed.pod != nullptr && is_being_deleted(observed.pod->body());
    return promised || backoff_ + promised_ < form_.backoff_limit;
  }

  /// Whether the job has ended: the master's end decides, or the deadline.
  std::optional<Ending> judge() const {
    if (observed_.empty()) {
      return Ending{false, "The job has no pods: all of its spec.replicaSpecs ask for 0 replicas."};
    }
    const Observed& master = observed_.front();
    const bool over = is_final(master.phase) || master.phase == "Deleted";
    const bool again = master.phase != "Deleted" && will_restart(master);
    if (over && !again) {
      if (master.ended_as == "Succeeded") return Ending{true, "The job has finished successfully."};
      const bool spent = may_restart(group_of(master).restart, master);
      return Ending{false,
                    how_it_failed(master) +
                        (spent ? fmt::format("; all {} restarts of runPolicy.backoffLimit are "
                                             "used up",
                                             form_.backoff_limit)
                               : "")};
    }
    if (const auto left = time_left(); left && left->count() <= 0) {
      return Ending{false,
                    fmt::format("The job has run longer than runPolicy.activeDeadlineSeconds "
                                "({} s).",
                                form_.deadline->count())};
    }
    return std::nullopt;
  }

  std::optional<std::chrono::milliseconds> time_left() const {
    const auto start = parse_time(string_at(before_, "startTime"));
    if (!form_.deadline || !start) return std::nullopt;
    // Rounded up: a millisecond too early would be the second before, in completionTime.
    return std::chrono::ceil<std::chrono::milliseconds>(*start + *form_.deadline - view_.now);
  }

  void finish(const Ending& ending) {
    const char* phase = ending.success ? "Succeeded" : "Failed";
    // Pods can be so short that nobody has seen them run.
    if (ending.success && !condition_is(before_, "Running", true)) tell_running();
    status_.get_object()["phase"] = phase;
    status_.get_object()["completionTime"] = format_time(view_.now);
    set_condition(status_, "Running", false, phase, ending.message, view_.now);
    set_condition(status_, "Failed", !ending.success, phase, ending.message, view_.now);
    set_condition(status_, "Completed", true, phase, ending.message, view_.now);
    set_condition(status_, "ReplicaFailure", !ending.success,
                  ending.success ? "Finished" : "ErrorInPod", ending.message, view_.now);
    tell(phase, ending.message, !ending.success);
    // Successors that will not come are no restarts. Cleaning up waits for the next plan: a crash
    // after the master's removal, and before its end is written down, would run the job again.
    for (Observed& observed : observed_) {
      if (std::exchange(observed.succeeds, false)) --observed.restarts;
    }
  }

  void clean_up() {
    const bool stop = form_.clean_up == CleanUp::kUnfinished || failed_by_deadline();
    for (const Observed& observed : observed_) {
      if (observed.pod == nullptr) continue;
      const bool remove = form_.clean_up == CleanUp::kAll || (stop && !is_final(observed.phase));
      if (remove) remove_pod(observed);
    }
  }

  /// Such a job must stop, whatever its clean-up policy keeps.
  bool failed_by_deadline() const {
    const auto start = parse_time(string_at(before_, "startTime"));
    const auto end = parse_time(string_at(before_, "completionTime"));
    return form_.deadline && start && end && string_at(before_, "phase") == "Failed" &&
           *end >= *start + *form_.deadline;
  }

  void remove_pod(const Observed& observed) {
    if (is_being_deleted(observed.pod->body())) return;
    plan_.remove_pods.push_back(
        PodRemoval{observed.name, std::string(uid_of(observed.pod->body()))});
  }

  void make_children(std::int64_t port) {
    if (!view_.has_service) plan_.create_service = make_service(job_);
    if (!view_.has_pod_group) plan_.create_pod_group = make_pod_group(job_, form_);
    for (const Observed& observed : observed_) {
      if (observed.phase != "Creating") continue;
      Json pod = kind_.make_pod(job_, form_, observed.replica, port);
      complete_pod(pod, job_, form_, observed);
      plan_.create_pods.push_back(std::move(pod));
      const Json* memory = remembered(before_, observed.name);
      const bool first = memory == nullptr || string_at(*memory, "uid").empty();
      tell("NewReplica",
           first ? fmt::format("Create the replica[{}] for the first time.", observed.name)
                 : fmt::format("Create the replica[{}] again (restart {}).", observed.name,
                               observed.restarts));
    }
    if (string_at(before_, "startTime").empty()) {
      status_.get_object()["startTime"] = format_time(view_.now);
    }
    const bool all_made = plan_.create_pods.empty() && view_.has_service && view_.has_pod_group;
    if (all_made && !condition_is(before_, "Initialized", true)) {
      const std::string message = "The job has been initialized successfully.";
      set_condition(status_, "Initialized", true, "-", message, view_.now);
      set_condition(status_, "ReplicaFailure", false, "-", "All pods are running normally.",
                    view_.now);
      tell("Start", message);
    }
  }

  /// Pods that have ended and shall run again. Their end is first written down, so that a crash
  /// between removing the old pod and creating the new one cannot forget the restart.
  void replace_ended() {
    std::int64_t budget = form_.backoff_limit - backoff_ - promised_;
    for (const Observed& observed : observed_) {
      if (!is_final(observed.phase)) continue;
      if (observed.phase == "Failed") {
        set_condition(status_, "ReplicaFailure", true, "ErrorInPod", how_it_failed(observed),
                      view_.now);
        if (!observed.recorded) tell("ReplicaFailed", how_it_failed(observed), true);
      }
      if (is_being_deleted(observed.pod->body()) || budget <= 0 ||
          !may_restart(group_of(observed).restart, observed)) {
        continue;
      }
      --budget;
      if (observed.recorded) remove_pod(observed);
    }
  }

  void report_progress() {
    const auto runs = [](const Observed& observed) {
      return observed.phase == "Running" || observed.ended_as == "Succeeded";
    };
    if (std::all_of(observed_.begin(), observed_.end(), runs)) {
      const std::string message = "All pods are running normally.";
      set_condition(status_, "ReplicaFailure", false, "-", message, view_.now);
      if (!condition_is(before_, "Running", true)) {
        status_.get_object()["phase"] = "Running";
        set_condition(status_, "Running", true, "-", message, view_.now);
        tell_running();
      }
    }
    if (const auto left = time_left()) plan_.look_again = *left;
  }

  /// Why a job that does not run yet is not placed, where people look for it.
  void report_waiting() {
    if (condition_is(status_, "Running", true)) return;
    const std::string why = why_unplaced(observed_);
    if (!why.empty()) {
      set_condition(status_, "Running", false, "Unschedulable", why, view_.now);
    } else if (condition_is(status_, "Running", false)) {
      set_condition(status_, "Running", false, "-", "All pods have a place.", view_.now);
    }
  }

  void tell_running() {
    const std::string micros = format_time_micro(view_.now);
    tell("Running", fmt::format("The job began running at {} {} UTC", micros.substr(0, 10),
                                micros.substr(11, 11)));
  }

  void tell(std::string reason, std::string message, bool warning = false) {
    plan_.events.push_back(PlannedEvent{warning, std::move(reason), std::move(message)});
  }

  void write_status() {
    JsonObject counts{{"creating", 0}, {"pending", 0}, {"running", 0}, {"succeeded", 0},
                      {"failed", 0},   {"unknown", 0}, {"deleted", 0}};
    const bool finished = is_final(string_at(status_, "phase"));
    JsonArray tasks;
    std::int64_t backoff = 0;
    for (std::size_t group = 0; group < form_.groups.size(); ++group) {
      JsonArray replicas;
      std::int64_t restarts = 0;
      for (const Observed& observed : observed_) {
        if (observed.replica.group != group) continue;
        restarts += observed.restarts;
        Json entry = replica_status(observed, finished);
        const std::string count = in_lower_case(string_at(entry, "phase"));
        counts[count] = counts[count].to_number<std::int64_t>() + 1;
        replicas.push_back(std::move(entry));
      }
      backoff += restarts;
      tasks.push_back({{"type", form_.groups[group].type},
                       {"restartCount", restarts},
                       {"replicas", std::move(replicas)}});
    }
    status_.get_object()["tasks"] = std::move(tasks);
    status_.get_object()["aggregate"] = std::move(counts);
    status_.get_object()["backoffCount"] = backoff;
    status_.get_object()["observedGeneration"] = int_at(job_, "metadata.generation", 1);
    if (status_ != before_) plan_.status = std::move(status_);
  }

  static Json container_status(const Json& container) {
    JsonObject entry{{"name", string_at(container, "name")}};
    if (find(container, "state.terminated") != nullptr) {
      entry["state"] = "Terminated";
      entry["exitCode"] = int_at(container, "state.terminated.exitCode");
    } else {
      entry["state"] = find(container, "state.running") != nullptr ? "Running" : "Waiting";
    }
    return entry;
  }

  Json replica_status(const Observed& observed, bool finished) const {
    if (observed.pod == nullptr) {
      JsonObject entry{{"name", observed.name},
                       {"phase", finished ? "Deleted" : std::string_view(observed.phase)}};
      if (const Json* memory = remembered(before_, observed.name)) {
        // The last pod's uid and, where no other will come, how its containers ended.
        if (const Json* uid = find(*memory, "uid")) entry["uid"] = *uid;
        entry["restarts"] = observed.restarts;
        const Json* containers = find(*memory, "containers");
        if (entry["phase"] == "Deleted" && containers != nullptr) entry["containers"] = *containers;
      }
      return entry;
    }
    const Json& pod = observed.pod->body();
    JsonArray containers;
    for (const Json& container : array_at(pod, "status.initContainerStatuses")) {
      // Of those that only prepare, nobody wants to hear unless they failed.
      if (int_at(container, "state.terminated.exitCode") != 0) {
        containers.push_back(container_status(container));
      }
    }
    for (const Json& container : array_at(pod, "status.containerStatuses")) {
      containers.push_back(container_status(container));
    }
    return {{"name", observed.name},
            {"uid", uid_of(pod)},
            {"phase", observed.phase},
            {"restarts", observed.restarts},
            {"containers", std::move(containers)}};
  }

  const JobKind& kind_;
  const JobView& view_;
  const Json& job_;
  JobForm form_;
  Json before_;
  Json status_;
  std::vector<Observed> observed_;
  std::int64_t backoff_ = 0;   // restarts so far
  std::int64_t promised_ = 0;  // ended pods whose removal, and so their restart, is under way
  JobPlan plan_;
};

}  // namespace

JobPlan plan_job(const JobKind& kind, const JobView& view) {
  return Planner(kind, view).run();
}

}  // namespace trainyard::jobs
