#include "workloads/batch/job_count.h"

#include "object/values/status.h"
#include "workloads/apps/pods.h"
#include "workloads/batch/job_pods.h"
#include "workloads/text.h"

#include <algorithm>
#include <map>

namespace trainyard::workloads {

using namespace std::chrono_literals;

namespace {

constexpr std::chrono::seconds kFirstWait = 10s;
constexpr std::chrono::seconds kLongestWait = 10min;

bool has_phase(const Json& pod, std::string_view phase) {
  return string_at(pod, "status.phase") == phase;
}

/// One that is being deleted counts as failed, since it may never come to say so itself; a Job that
/// replaces only failed pods waits until no process of it can be left.
bool counts_as_ended(const Json& pod, bool replaces_failed_only) {
  if (has_ended(pod)) return true;
  if (!is_being_deleted(pod)) return false;
  return !replaces_failed_only || int_at(pod, "metadata.deletionGracePeriodSeconds") == 0;
}

/// Of the uids that the status lists: those whose pods still wait stay, the others are now numbers.
std::int64_t settle(const JsonArray& listed, const std::map<std::string, ObjectPtr>& tracked,
                    std::vector<std::string>& waiting) {
  std::int64_t settled = 0;
  for (const Json& uid : listed) {
    std::string text(text_of(uid));
    if (tracked.contains(text)) {
      waiting.push_back(std::move(text));
    } else {
      ++settled;
    }
  }
  return settled;
}

bool contains(const std::vector<std::string>& uids, const std::string& uid) {
  return std::find(uids.begin(), uids.end(), uid) != uids.end();
}

void count_ended(JobCount& count, const std::map<std::string, ObjectPtr>& tracked,
                 bool replaces_failed_only) {
  for (const auto& [uid, pod] : tracked) {
    const Json& body = pod->body();
    if (!counts_as_ended(body, replaces_failed_only)) continue;
    count.ended.push_back(pod);
    if (contains(count.succeeded_uids, uid) || contains(count.failed_uids, uid)) continue;
    (has_phase(body, "Succeeded") ? count.succeeded_uids : count.failed_uids).push_back(uid);
  }
}

}  // namespace

bool is_indexed(const Json& job) {
  return string_at(job, "spec.completionMode") == "Indexed";
}

JobCount count_job(const JobView& view) {
  const Json& job = view.job->body();
  const bool failed_only = string_at(job, "spec.podReplacementPolicy") == "Failed";
  std::map<std::string, ObjectPtr> tracked;
  JobCount count;
  for (const ObjectPtr& pod : view.pods) {
    const Json& body = pod->body();
    if (is_tracked(body)) tracked.emplace(uid_of(body), pod);
    if (is_active_pod(body)) {
      count.active.push_back(pod);
      count.ready += is_ready_pod(body) ? 1 : 0;
    } else if (is_being_deleted(body) && !has_ended(body)) {
      ++count.terminating;
    }
  }
  const JsonArray& succeeded = array_at(job, "status.uncountedTerminatedPods.succeeded");
  const JsonArray& failed = array_at(job, "status.uncountedTerminatedPods.failed");
  count.succeeded =
      int_at(job, "status.succeeded") + settle(succeeded, tracked, count.succeeded_uids);
  count.failed = int_at(job, "status.failed") + settle(failed, tracked, count.failed_uids);
  count_ended(count, tracked, failed_only);
  count.succeeded += static_cast<std::int64_t>(count.succeeded_uids.size());
  count.failed += static_cast<std::int64_t>(count.failed_uids.size());
  if (!is_indexed(job)) return count;
  const std::int64_t end = int_at(job, "spec.completions");
  count.completed = parse_indexes(string_at(job, "status.completedIndexes"), end);
  for (const ObjectPtr& pod : count.ended) {
    const auto index = completion_index(pod->body());
    const bool done = has_phase(pod->body(), "Succeeded");
    if (done && index && *index < end) count.completed.insert(*index);
  }
  count.succeeded = static_cast<std::int64_t>(count.completed.size());
  return count;
}

std::optional<std::chrono::milliseconds> wait_after_failures(const JobView& view) {
  WallTime last_success;
  WallTime last_failure;
  for (const ObjectPtr& pod : view.pods) {
    if (has_phase(pod->body(), "Succeeded")) {
      last_success = std::max(last_success, end_time(pod->body()));
    }
  }
  int failures = 0;
  for (const ObjectPtr& pod : view.pods) {
    if (!has_phase(pod->body(), "Failed")) continue;
    const WallTime when = end_time(pod->body());
    if (when <= last_success) continue;
    ++failures;
    last_failure = std::max(last_failure, when);
  }
  if (failures == 0) return std::nullopt;
  std::chrono::seconds wait = kFirstWait;
  for (int i = 1; i < failures && wait < kLongestWait; ++i) wait *= 2;
  const WallTime again = last_failure + std::min(wait, kLongestWait);
  if (again <= view.now) return std::nullopt;
  return std::chrono::ceil<std::chrono::milliseconds>(again - view.now);
}

}  // namespace trainyard::workloads
