#include "workloads/batch/job_plan.h"

#include "workloads/apps/pods.h"
#include "workloads/batch/job_count.h"
#include "workloads/batch/job_pods.h"
#include "workloads/conditions.h"

#include <fmt/format.h>

#include <algorithm>

namespace trainyard::workloads {
namespace {

constexpr std::size_t kBurst = 500;  // pods at a time

// The conditions of a Job. The first two say how it is going to end, the next two that it has.
constexpr const char* kSucceeding = "SuccessCriteriaMet";
constexpr const char* kFailing = "FailureTarget";
constexpr const char* kComplete = "Complete";
constexpr const char* kFailed = "Failed";
constexpr const char* kSuspended = "Suspended";

class JobPlanner {
 public:
  explicit JobPlanner(const JobView& view)
      : view_(view),
        job_(view.job->body()),
        count_(count_job(view)),
        conditions_(array_at(job_, "status.conditions")),
        start_(string_at(job_, "status.startTime")),
        completion_(string_at(job_, "status.completionTime")) {}

  JobPlan plan();

 private:
  bool holds(const char* type) const;
  void set(const char* type, const char* status, std::string_view reason, std::string_view message);
  void tell(bool warning, std::string_view reason, std::string_view message);
  void look_again(std::optional<std::chrono::milliseconds> after);

  void plan_after_end();
  void start_or_suspend();
  void warn_of_what_is_ignored();
  void judge();
  bool is_past_deadline();
  bool has_failed_too_often() const;
  bool has_succeeded() const;
  void end_pods();
  void keep_pods_running();
  void remove_duplicates();
  void create_pods(std::size_t count);
  void note_end();
  Json status() const;

  std::int64_t wanted_pods() const;

  const JobView& view_;
  const Json& job_;
  JobCount count_;
  JsonArray conditions_;
  std::string start_;
  std::string completion_;
  JobPlan plan_;
};

bool JobPlanner::holds(const char* type) const {
  const Json* condition = find_condition(conditions_, type);
  return condition != nullptr && string_at(*condition, "status") == "True";
}

void JobPlanner::set(const char* type, const char* status, std::string_view reason,
                     std::string_view message) {
  set_condition(conditions_, Condition{type, status, std::string(reason), std::string(message)},
                view_.now);
}

void JobPlanner::tell(bool warning, std::string_view reason, std::string_view message) {
  plan_.events.push_back({warning, std::string(reason), std::string(message)});
}

void JobPlanner::look_again(std::optional<std::chrono::milliseconds> after) {
  if (after && (!plan_.look_again || *after < *plan_.look_again)) plan_.look_again = after;
}

JobPlan JobPlanner::plan() {
  if (holds(kComplete) || holds(kFailed)) {
    plan_after_end();
    return std::move(plan_);
  }
  start_or_suspend();
  judge();
  plan_.untrack = count_.ended;
  if (holds(kSucceeding) || holds(kFailing)) {
    end_pods();
    note_end();
  } else if (!is_being_deleted(job_)) {
    keep_pods_running();
  }
  Json told = status();
  const Json* before = find(job_, "status");
  if (before == nullptr || *before != told) plan_.status = std::move(told);
  return std::move(plan_);
}

void JobPlanner::plan_after_end() {
  for (const ObjectPtr& pod : view_.pods) {
    if (is_tracked(pod->body())) plan_.untrack.push_back(pod);
  }
  if (find(job_, "spec.ttlSecondsAfterFinished") == nullptr || is_being_deleted(job_)) return;
  const Json* end = find_condition(conditions_, holds(kComplete) ? kComplete : kFailed);
  const WallTime since =
      parse_time(string_at(*end, "lastTransitionTime")).value_or(WallTime(view_.now));
  const WallTime until = since + std::chrono::seconds(int_at(job_, "spec.ttlSecondsAfterFinished"));
  plan_.remove_job = until <= view_.now;
  if (!plan_.remove_job) {
    look_again(std::chrono::ceil<std::chrono::milliseconds>(until - view_.now));
  }
}

void JobPlanner::start_or_suspend() {
  if (bool_at(job_, "spec.suspend")) {
    if (!holds(kSuspended)) tell(false, "Suspended", "Job suspended");
    set(kSuspended, "True", "JobSuspended", "Job suspended");
    start_.clear();
    return;
  }
  if (holds(kSuspended)) {
    set(kSuspended, "False", "JobResumed", "Job resumed");
    tell(false, "Resumed", "Job resumed");
  }
  if (!start_.empty()) return;
  start_ = format_time(view_.now);
  warn_of_what_is_ignored();
}

void JobPlanner::warn_of_what_is_ignored() {
  for (const char* field :
       {"podFailurePolicy", "successPolicy", "backoffLimitPerIndex", "maxFailedIndexes"}) {
    if (find(job_, fmt::format("spec.{}", field)) == nullptr) continue;
    tell(true, "NotSupported", fmt::format("spec.{} has no effect on this server", field));
  }
}

/// Decides how it is going to end. That is never taken back.
void JobPlanner::judge() {
  if (holds(kSucceeding) || holds(kFailing)) return;
  if (is_past_deadline()) {
    set(kFailing, "True", "DeadlineExceeded", "Job was active longer than specified deadline");
  } else if (has_failed_too_often()) {
    set(kFailing, "True", "BackoffLimitExceeded", "Job has reached the specified backoff limit");
  } else if (has_succeeded()) {
    set(kSucceeding, "True", "CompletionsReached", "Reached expected number of succeeded pods");
  }
}

bool JobPlanner::is_past_deadline() {
  const auto start = parse_time(start_);
  if (!start || find(job_, "spec.activeDeadlineSeconds") == nullptr) return false;
  const auto end = *start + std::chrono::seconds(int_at(job_, "spec.activeDeadlineSeconds"));
  if (end <= view_.now) return true;
  look_again(std::chrono::ceil<std::chrono::milliseconds>(end - view_.now));
  return false;
}

/// Containers that are started again within their pod count as well.
bool JobPlanner::has_failed_too_often() const {
  const std::int64_t limit = int_at(job_, "spec.backoffLimit", 6);
  if (count_.failed > limit) return true;
  if (string_at(job_, "spec.template.spec.restartPolicy") != "OnFailure") return false;
  std::int64_t restarts = 0;
  for (const ObjectPtr& pod : count_.active) restarts += restarts_of(pod->body());
  return restarts > 0 && restarts >= limit;
}

bool JobPlanner::has_succeeded() const {
  if (find(job_, "spec.completions") != nullptr) {
    return count_.succeeded >= int_at(job_, "spec.completions");
  }
  return count_.succeeded > 0 && count_.active.empty();
}

void JobPlanner::end_pods() {
  (holds(kFailing) ? plan_.end : plan_.spare) = count_.active;
}

/// Once nothing runs any more and every end has been counted.
void JobPlanner::note_end() {
  if (!count_.active.empty() || count_.terminating > 0 || !count_.all_counted()) return;
  const bool failed = holds(kFailing);
  const Json why = *find_condition(conditions_, failed ? kFailing : kSucceeding);
  set(failed ? kFailed : kComplete, "True", string_at(why, "reason"), string_at(why, "message"));
  if (failed) {
    tell(true, string_at(why, "reason"), string_at(why, "message"));
  } else {
    completion_ = format_time(view_.now);
    tell(false, "Completed", "Job completed");
  }
}

std::int64_t JobPlanner::wanted_pods() const {
  if (bool_at(job_, "spec.suspend")) return 0;
  const std::int64_t parallelism = int_at(job_, "spec.parallelism", 1);
  if (find(job_, "spec.completions") != nullptr) {
    return std::min(parallelism, int_at(job_, "spec.completions") - count_.succeeded);
  }
  // When any one will do, none is begun after one has succeeded; those that run may finish.
  const auto active = static_cast<std::int64_t>(count_.active.size());
  return count_.succeeded > 0 ? std::min(parallelism, active) : parallelism;
}

/// Of an Indexed job: pods whose number is done, is another's too, or is none of its numbers.
void JobPlanner::remove_duplicates() {
  Indexes taken = count_.completed;
  const std::int64_t end = int_at(job_, "spec.completions");
  std::vector<ObjectPtr> kept;
  for (const ObjectPtr& pod : count_.active) {
    const auto index = completion_index(pod->body());
    const bool useful = index && *index < end && taken.insert(*index).second;
    (useful ? kept : plan_.spare).push_back(pod);
  }
  count_.active = std::move(kept);
}

void JobPlanner::keep_pods_running() {
  if (is_indexed(job_)) remove_duplicates();
  const auto wanted = static_cast<std::size_t>(std::max<std::int64_t>(0, wanted_pods()));
  std::vector<ObjectPtr> active = count_.active;
  if (active.size() > wanted) {
    std::sort(active.begin(), active.end(), [](const ObjectPtr& a, const ObjectPtr& b) {
      return goes_before(a->body(), b->body());
    });
    active.resize(active.size() - wanted);
    plan_.spare.insert(plan_.spare.end(), active.begin(), active.end());
    return;
  }
  std::size_t missing = wanted - active.size();
  if (string_at(job_, "spec.podReplacementPolicy") == "Failed") {
    missing -= std::min(missing, static_cast<std::size_t>(count_.terminating));
  }
  if (missing == 0) return;
  if (const auto wait = wait_after_failures(view_)) {
    look_again(wait);
    return;
  }
  create_pods(std::min(missing, kBurst));
}

void JobPlanner::create_pods(std::size_t count) {
  if (!is_indexed(job_)) {
    plan_.create.assign(count, std::nullopt);
    return;
  }
  Indexes taken = count_.completed;
  for (const ObjectPtr& pod : count_.active) taken.insert(*completion_index(pod->body()));
  const std::int64_t end = int_at(job_, "spec.completions");
  for (std::int64_t index = 0; index < end && plan_.create.size() < count; ++index) {
    if (!taken.contains(index)) plan_.create.emplace_back(index);
  }
}

Json JobPlanner::status() const {
  const auto uids = [](const std::vector<std::string>& from) {
    JsonArray list;
    for (const std::string& uid : from) list.emplace_back(uid);
    return list;
  };
  JsonObject uncounted;
  if (!count_.succeeded_uids.empty()) uncounted["succeeded"] = uids(count_.succeeded_uids);
  if (!count_.failed_uids.empty()) uncounted["failed"] = uids(count_.failed_uids);
  const auto size = [](const auto& list) { return static_cast<std::int64_t>(list.size()); };
  const std::int64_t succeeded =
      is_indexed(job_) ? count_.succeeded : count_.succeeded - size(count_.succeeded_uids);
  const std::int64_t failed = count_.failed - size(count_.failed_uids);
  JsonObject status;
  if (!conditions_.empty()) status["conditions"] = conditions_;
  if (!start_.empty()) status["startTime"] = start_;
  if (!completion_.empty()) status["completionTime"] = completion_;
  if (!count_.active.empty()) status["active"] = size(count_.active);
  if (succeeded > 0) status["succeeded"] = succeeded;
  if (failed > 0) status["failed"] = failed;
  status["terminating"] = count_.terminating;
  status["ready"] = count_.ready;
  if (!count_.completed.empty()) status["completedIndexes"] = format_indexes(count_.completed);
  status["uncountedTerminatedPods"] = std::move(uncounted);
  return status;
}

}  // namespace

JobPlan plan_job(const JobView& view) {
  return JobPlanner(view).plan();
}

}  // namespace trainyard::workloads
