#include "jobs/engine/reconciler.h"

#include "jobs/engine/names.h"
#include "jobs/engine/status.h"
#include "jobs/engine/tensorboard.h"

#include <fmt/format.h>

namespace trainyard::jobs {
namespace {

/// AlreadyExists is as good as success: an earlier run got that far.
bool tolerable(const Result<ObjectPtr>& created) {
  return created || created.failed_with(Code::kAlreadyExists);
}

bool is_owned_by(const StoredObject& object, const Json& job) {
  const Json* owner = controller_of(object.body());
  return owner != nullptr && string_at(*owner, "uid") == uid_of(job);
}

}  // namespace

JobReconciler::JobReconciler(client::Api& api, Clock& clock, const JobKind& kind, PortLeases& ports)
    : api_(api), clock_(clock), kind_(kind), ports_(ports), events_(api, clock, "trainyard-jobs") {}

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
    if (is_owned_by(*pod, body)) view.pods[std::string(name_of(pod->body()))] = pod;
  }
  // Nobody meets there yet: whoever has taken it since may keep it.
  if (view.pods.empty()) view.port_is_usable = ports_.is_usable(leased_port(body));
  CO_TRY(const client::Listing services, co_await api_.list(kServices, owned));
  for (const ObjectPtr& service : services.items) {
    if (is_owned_by(*service, body)) view.services.emplace(name_of(service->body()));
  }
  const Key group{owned.ns, std::string(name_of(body))};
  view.has_pod_group = (co_await api_.get(kPodGroups, group)).has_value();
  if (wants_tensorboard(body)) {
    const Key board{owned.ns, tensorboard_name(body)};
    auto found = co_await api_.get(kTensorBoards, board);
    if (found && is_owned_by(**found, body)) view.tensorboard = *found;
  }
  co_return view;
}

awaitable<Result<>> JobReconciler::create_missing(Resource resource, std::string ns, Json object) {
  auto created = co_await api_.create(std::move(resource), std::move(ns), std::move(object));
  if (!tolerable(created)) co_return std::move(created).error();
  co_return Ok();
}

awaitable<Result<>> JobReconciler::apply(ObjectPtr job, JobPlan plan) {
  const std::string ns(namespace_of(job->body()));
  for (Json& service : plan.create_services) {
    CO_TRY_OK(co_await create_missing(kServices, ns, std::move(service)));
  }
  if (plan.create_pod_group) {
    CO_TRY_OK(co_await create_missing(kPodGroups, ns, *std::move(plan.create_pod_group)));
  }
  if (plan.create_tensorboard) {
    CO_TRY_OK(co_await create_missing(kTensorBoards, ns, *std::move(plan.create_tensorboard)));
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
  if (plan.needs_port) co_return co_await ports_.lease(kind_.resource(), job);
  co_return Ok();
}

}  // namespace trainyard::jobs
