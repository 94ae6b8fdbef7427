#include "workloads/batch/job_controller.h"

#include "client/watching/parallel.h"
#include "workloads/apps/ownership.h"
#include "workloads/batch/job_pods.h"
#include "workloads/text.h"

#include <fmt/format.h>

#include <algorithm>

namespace trainyard::workloads {
namespace {

constexpr std::size_t kPodsAtOnce = 32;
constexpr const char* kByJob = "job";
constexpr const char* kController = "kubernetes.io/job-controller";

/// For the index of pods that are held for a Job, whether it is there or not.
std::vector<std::string> holding_job(const Json& pod) {
  const std::string_view name = label_of(pod, kJobNameLabel);
  if (name.empty() || !is_tracked(pod)) return {};
  return {fmt::format("{}/{}", namespace_of(pod), name)};
}

bool is_of(const Json& pod, std::string_view job_uid) {
  const Json* owner = controller_of(pod);
  return owner != nullptr && string_at(*owner, "uid") == job_uid;
}

bool is_gone(const Result<>& result) {
  return result.failed_with(Code::kNotFound) || result.failed_with(Code::kConflict);
}

}  // namespace

JobController::JobController(Executor loop, client::Api& api, Clock& clock)
    : api_(api),
      clock_(clock),
      events_(api, clock, "job-controller"),
      controller_("batch jobs", loop, clock, *this),
      jobs_(loop, api, clock, kJobs),
      pods_(loop, api, clock, kPods),
      tasks_(loop) {
  pods_.add_index(kByJob, holding_job);
  jobs_.add_listener([this](const ObjectPtr& job, bool) { controller_.add(key_of(job->body())); });
  pods_.add_listener([this](const ObjectPtr& pod, bool) { heard_of_pod(pod->body()); });
  pods_.on_gap([this] { controller_.add_all(jobs_.objects()); });
}

void JobController::start() {
  tasks_.spawn("watch batch jobs", jobs_.run());
  tasks_.spawn("watch pods of batch jobs", pods_.run());
  controller_.start(/*workers=*/8);
}

awaitable<void> JobController::stop() {
  co_await tasks_.stop();
  co_await controller_.stop();
}

void JobController::heard_of_pod(const Json& pod) {
  const std::string ns(namespace_of(pod));
  const Json* owner = controller_of(pod);
  if (owner != nullptr && string_at(*owner, "kind") == "Job" &&
      string_at(*owner, "apiVersion") == kJobs.api_version()) {
    controller_.add(Key{ns, std::string(string_at(*owner, "name"))});
  } else if (!holding_job(pod).empty()) {
    controller_.add(Key{ns, std::string(label_of(pod, kJobNameLabel))});
  }
}

awaitable<Result<client::Requeue>> JobController::reconcile(Key key) {
  auto found = co_await api_.get(kJobs, key);
  if (!found && !found.failed_with(Code::kNotFound)) co_return std::move(found).error();
  const std::string uid(found ? uid_of((*found)->body()) : "");
  CO_TRY_OK(co_await let_orphans_go(key, uid));
  if (!found) co_return client::Requeue();
  const ObjectPtr job = *found;
  const std::string_view manager = string_at(job->body(), "spec.managedBy", kController);
  if (manager != kController) co_return client::Requeue();
  CO_TRY(const JobView view, co_await look_at(job));
  JobPlan plan = plan_job(view);
  const client::Requeue next(plan.look_again);
  CO_TRY_OK(co_await carry_out(job, std::move(plan)));
  co_return next;
}

awaitable<Result<JobView>> JobController::look_at(ObjectPtr job) {
  client::ListOptions where;
  where.ns = namespace_of(job->body());
  CO_TRY(where.labels, selector_text(json_at(job->body(), "spec.selector")));
  CO_TRY(const client::Listing listing, co_await api_.list(kPods, where));
  JobView view;
  view.job = job;
  for (const ObjectPtr& pod : listing.items) {
    if (is_of(pod->body(), uid_of(job->body()))) view.pods.push_back(pod);
  }
  view.now = clock_.wall();
  co_return view;
}

awaitable<Result<>> JobController::carry_out(ObjectPtr job, JobPlan plan) {
  if (plan.status) CO_TRY_OK(co_await write_status(job, *std::move(plan.status)));
  for (const JobEvent& event : plan.events) {
    if (event.warning) {
      co_await events_.warning(job, event.reason, event.message);
    } else {
      co_await events_.normal(job, event.reason, event.message);
    }
  }
  CO_TRY_OK(co_await client::run_parallel(plan.untrack.size(), kPodsAtOnce, [&](std::size_t index) {
    return untrack(plan.untrack[index]);
  }));
  CO_TRY_OK(co_await client::run_parallel(plan.spare.size(), kPodsAtOnce, [&](std::size_t index) {
    return end_pod(job, plan.spare[index], false);
  }));
  CO_TRY_OK(co_await client::run_parallel(plan.end.size(), kPodsAtOnce, [&](std::size_t index) {
    return end_pod(job, plan.end[index], true);
  }));
  if (plan.remove_job) co_return co_await remove_job(job);
  co_return co_await create_pods(job, std::move(plan.create));
}

awaitable<Result<>> JobController::write_status(ObjectPtr job, Json status) {
  Json updated = job->body();
  updated.get_object()["status"] = std::move(status);
  CO_TRY_OK(co_await api_.update_status(kJobs, std::move(updated)));
  co_return Ok();
}

/// One, then two, then four …: when pods cannot be made, few are tried in vain.
awaitable<Result<>> JobController::create_pods(ObjectPtr job,
                                               std::vector<std::optional<std::int64_t>> indexes) {
  std::size_t done = 0;
  for (std::size_t batch = 1; done < indexes.size(); batch *= 2) {
    const std::size_t now = std::min(batch, indexes.size() - done);
    CO_TRY_OK(co_await client::run_parallel(now, kPodsAtOnce, [&](std::size_t index) {
      return create_pod(job, indexes[done + index]);
    }));
    done += now;
  }
  co_return Ok();
}

awaitable<Result<>> JobController::create_pod(ObjectPtr job, std::optional<std::int64_t> index) {
  Json pod = make_job_pod(job->body(), index);
  const std::string ns(namespace_of(job->body()));
  auto created = co_await api_.create(kPods, ns, std::move(pod));
  if (!created) {
    co_await events_.warning(job, "FailedCreate",
                             fmt::format("Error creating: {}", created.error().message()));
    co_return std::move(created).error();
  }
  co_await events_.normal(job, "SuccessfulCreate",
                          fmt::format("Created pod: {}", name_of((*created)->body())));
  co_return Ok();
}

awaitable<Result<>> JobController::untrack(ObjectPtr pod) {
  Json patch = untracking_patch(pod->body());
  auto patched = co_await api_.patch(kPods, key_of(pod->body()), client::PatchType::kMerge,
                                     std::move(patch), "");
  if (!patched && !patched.failed_with(Code::kNotFound)) co_return std::move(patched).error();
  co_return Ok();
}

/// One that shall not be counted is let go first.
awaitable<Result<>> JobController::end_pod(ObjectPtr job, ObjectPtr pod, bool counted) {
  if (!counted && is_tracked(pod->body())) CO_TRY_OK(co_await untrack(pod));
  const Key key = key_of(pod->body());
  client::DeleteOptions options;
  options.uid = uid_of(pod->body());
  auto removed = co_await api_.remove(kPods, key, std::move(options));
  if (is_gone(removed)) co_return Ok();
  if (!removed) {
    co_await events_.warning(job, "FailedDelete",
                             fmt::format("Error deleting: {}", removed.error().message()));
    co_return removed;
  }
  co_await events_.normal(job, "SuccessfulDelete", fmt::format("Deleted pod: {}", key.name));
  co_return Ok();
}

awaitable<Result<>> JobController::remove_job(ObjectPtr job) {
  client::DeleteOptions options;
  options.uid = uid_of(job->body());
  // Its time after the end may have been changed this very moment.
  options.resource_version = string_at(job->body(), "metadata.resourceVersion");
  options.propagation = "Foreground";
  auto removed = co_await api_.remove(kJobs, key_of(job->body()), std::move(options));
  if (!removed && !removed.failed_with(Code::kNotFound)) co_return removed;
  co_return Ok();
}

/// Pods that are held for a Job that is gone, or that they no longer belong to.
awaitable<Result<>> JobController::let_orphans_go(Key key, std::string job_uid) {
  for (const ObjectPtr& known : pods_.by_index(kByJob, fmt::format("{}/{}", key.ns, key.name))) {
    if (!job_uid.empty() && is_of(known->body(), job_uid)) continue;
    auto pod = co_await api_.get(kPods, key_of(known->body()));
    if (pod.failed_with(Code::kNotFound)) continue;
    if (!pod) co_return std::move(pod).error();
    if (!is_tracked((*pod)->body()) || is_of((*pod)->body(), job_uid)) continue;
    CO_TRY_OK(co_await untrack(*pod));
  }
  co_return Ok();
}

}  // namespace trainyard::workloads
