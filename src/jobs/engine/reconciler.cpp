#include "jobs/engine/reconciler.h"

#include "base/ids.h"
#include "jobs/engine/names.h"
#include "jobs/engine/status.h"
#include "object/status.h"

#include <fmt/format.h>

namespace trainyard::jobs {
namespace {

/// AlreadyExists is as good as success: an earlier run got that far.
bool tolerable(const Result<ObjectPtr>& created) {
  return created || created.failed_with(Code::kAlreadyExists);
}

}  // namespace

JobReconciler::JobReconciler(client::Api& api, Clock& clock, const JobKind& kind, PortRange ports)
    : api_(api),
      clock_(clock),
      kind_(kind),
      ports_(std::move(ports)),
      events_(api, clock, "trainyard-jobs") {}

awaitable<Result<client::Requeue>> JobReconciler::reconcile(Key key) {
  auto job = co_await api_.get(kind_.resource(), key);
  if (job.failed_with(Code::kNotFound)) co_return client::Requeue();  // its children go with it
  if (!job) co_return std::move(job).error();
  CO_TRY(const JobView view, co_await load(*job));
  JobPlan plan = plan_job(kind_, view);
  const client::Requeue next(plan.look_again);
  CO_TRY_OK(co_await apply(*job, std::move(plan)));
  co_return next;
}

awaitable<Result<JobView>> JobReconciler::load(ObjectPtr job) {
  const Json& body = job->body();
  JobView view;
  view.job = job;
  view.now = clock_.wall();
  client::ListOptions owned;
  owned.ns = namespace_of(body);
  owned.labels = fmt::format("{}={}", kOwnerNameLabel, name_of(body));
  CO_TRY(const client::Listing pods, co_await api_.list(kPods, owned));
  for (const ObjectPtr& pod : pods.items) {
    const Json* owner = controller_of(pod->body());
    if (owner != nullptr && string_at(*owner, "uid") == uid_of(body)) {
      view.pods[std::string(name_of(pod->body()))] = pod;
    }
  }
  const Key service{owned.ns, service_name(body)};
  view.has_service = (co_await api_.get(kServices, service)).has_value();
  const Key group{owned.ns, std::string(name_of(body))};
  view.has_pod_group = (co_await api_.get(kPodGroups, group)).has_value();
  co_return view;
}

awaitable<Result<>> JobReconciler::create_missing(Resource resource, std::string ns, Json object) {
  auto created = co_await api_.create(std::move(resource), std::move(ns), std::move(object));
  if (!tolerable(created)) co_return std::move(created).error();
  co_return Ok();
}

awaitable<Result<>> JobReconciler::apply(ObjectPtr job, JobPlan plan) {
  const std::string ns(namespace_of(job->body()));
  if (plan.create_service) {
    CO_TRY_OK(co_await create_missing(kServices, ns, *std::move(plan.create_service)));
  }
  if (plan.create_pod_group) {
    CO_TRY_OK(co_await create_missing(kPodGroups, ns, *std::move(plan.create_pod_group)));
  }
  for (Json& pod : plan.create_pods) {
    CO_TRY_OK(co_await create_missing(kPods, ns, std::move(pod)));
  }
  for (PodRemoval& removal : plan.remove_pods) {
    const Key key{ns, removal.name};
    client::DeleteOptions options;
    options.uid = removal.uid;
    auto removed = co_await api_.remove(kPods, key, std::move(options));
    if (!removed && !removed.failed_with(Code::kNotFound)) co_return removed;
  }
  if (plan.status) {
    Json updated = job->body();
    updated.get_object()["status"] = *std::move(plan.status);
    CO_TRY_OK(co_await api_.update_status(kind_.resource(), std::move(updated)));
  }
  for (PlannedEvent& event : plan.events) {
    if (event.warning) {
      co_await events_.warning(job, std::move(event.reason), std::move(event.message));
    } else {
      co_await events_.normal(job, std::move(event.reason), std::move(event.message));
    }
  }
  if (plan.needs_port) co_return co_await lease_port(job);
  co_return Ok();
}

awaitable<Result<>> JobReconciler::lease_port(ObjectPtr job) {
  client::ListOptions everywhere;
  CO_TRY(const client::Listing jobs, co_await api_.list(kind_.resource(), everywhere));
  std::set<std::int64_t> taken;
  for (const auto& [uid, port] : leases_) taken.insert(port);
  for (const ObjectPtr& other : jobs.items) {
    if (has_ended(other->body())) continue;
    taken.insert(leased_port(other->body()));
  }
  const std::string uid(uid_of(job->body()));
  const std::optional<std::int64_t> free = free_port(uid, taken);
  if (!free) {
    co_return Error(Code::kUnavailable,
                    fmt::format("no port from {} to {} is free for job {}", ports_.first,
                                ports_.last, name_of(job->body())));
  }
  const std::int64_t port = *free;
  // Held here until it can be read back from the job, so that two jobs never get the same one.
  leases_[uid] = port;
  Json patch{
      {"metadata", {{"uid", uid}, {"annotations", {{kPortAnnotation, std::to_string(port)}}}}}};
  auto patched = co_await api_.patch(kind_.resource(), key_of(job->body()),
                                     client::PatchType::kMerge, std::move(patch), "");
  leases_.erase(uid);
  if (!patched && !patched.failed_with(Code::kNotFound)) co_return std::move(patched).error();
  co_return Ok();
}

/// The search begins at a place of the job's own: another server on the machine may have given away
/// a port a moment ago that nobody listens on yet.
std::optional<std::int64_t> JobReconciler::free_port(const std::string& uid,
                                                     const std::set<std::int64_t>& taken) const {
  const std::int64_t count = ports_.last - ports_.first + 1;
  if (count == 1) return ports_.first;
  const auto start = static_cast<std::int64_t>(fnv1a(uid) % static_cast<std::uint64_t>(count));
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t port = ports_.first + (start + i) % count;
    if (!taken.contains(port) && ports_.usable(port)) return port;
  }
  return std::nullopt;
}

}  // namespace trainyard::jobs
