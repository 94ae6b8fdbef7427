#include "jobs/engine/world/reconciler.h"

#include "base/crash_record.h"
#include "base/crypto/ids.h"
#include "base/crypto/ssh_key.h"
#include "client/watching/parallel.h"
#include "jobs/engine/form/names.h"
#include "jobs/engine/form/status.h"
#include "jobs/engine/plan/tensorboard.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace trainyard::jobs {
namespace {

constexpr const char* kSetAside =
    "The server has crashed twice while it planned this job, and leaves it alone until its spec is "
    "changed. The server's log says more: please report it.";

constexpr std::size_t kAtOnce = 32;  // writes under way together share a commit

/// What a plan creates, in the order in which it must become visible.
std::vector<std::pair<Resource, Json>> take_creations(JobPlan& plan) {
  std::vector<std::pair<Resource, Json>> made;
  for (Json& service : plan.create_services) made.emplace_back(kServices, std::move(service));
  if (plan.create_pod_group) made.emplace_back(kPodGroups, *std::move(plan.create_pod_group));
  if (plan.create_tensorboard) {
    made.emplace_back(kTensorBoards, *std::move(plan.create_tensorboard));
  }
  for (Json& pod : plan.create_pods) made.emplace_back(kPods, std::move(pod));
  plan.create_services.clear();
  plan.create_pod_group.reset();
  plan.create_tensorboard.reset();
  plan.create_pods.clear();
  return made;
}

bool creates(const JobPlan& plan) {
  return !plan.create_support.empty() || !plan.create_services.empty() || plan.create_pod_group ||
         plan.create_tensorboard || !plan.create_pods.empty();
}

/// Two plans of one look tell some things twice: the first one's status was never written.
void put_before(std::vector<PlannedEvent> earlier, std::vector<PlannedEvent>& events) {
  const auto is_told = [&](const PlannedEvent& event) {
    return std::any_of(earlier.begin(), earlier.end(), [&](const PlannedEvent& other) {
      return other.reason == event.reason && other.message == event.message;
    });
  };
  for (PlannedEvent& event : events) {
    if (!is_told(event)) earlier.push_back(std::move(event));
  }
  events = std::move(earlier);
}

bool has_same_owner(const Json& wanted, const Json& found) {
  const Json* owner = controller_of(found);
  return owner != nullptr && string_at(*owner, "uid") == string_at(*controller_of(wanted), "uid");
}

/// Fills a Secret's empty keys. They are made here, where they are written, and nowhere kept.
void put_keys(Json& secret) {
  const SshKeyPair pair = make_ssh_key_pair(name_of(secret));
  secret.get_object()["data"] = JsonObject{{kPrivateKeyField, base64_encode(pair.private_key)},
                                           {kPublicKeyField, base64_encode(pair.public_key)}};
}

}  // namespace

JobReconciler::JobReconciler(Executor loop, client::Api& api, Clock& clock, const JobKind& kind,
                             PortLeases& ports, OwnedObjects& owned)
    : api_(api),
      clock_(clock),
      kind_(kind),
      ports_(ports),
      owned_(owned),
      recorder_(api, clock, kind.event_source()),
      events_(loop, recorder_) {}

awaitable<Result<client::Requeue>> JobReconciler::reconcile(Key key) {
  auto found = co_await api_.get(kind_.resource(), key);
  if (found.failed_with(Code::kNotFound)) co_return client::Requeue();  // its children go with it
  if (!found) co_return std::move(found).error();
  ObjectPtr job = *found;
  if (crash_record::is_set_aside(work_on(job->body()))) {
    events_.warning(job, "SetAside", kSetAside);
    co_return client::Requeue();
  }
  CO_TRY(JobView view, co_await load(job));
  JobPlan plan = make_plan(view);
  if (plan.needs_port) {
    CO_TRY(job,
           co_await ports_.lease(kind_.resource(), job, kind_.read(job->body()).meeting.ports));
    if (job == nullptr) co_return client::Requeue();
    CO_TRY(view, co_await load(job));
    plan = make_plan(view);
  }
  // A job's first status need not tell of pods that are about to come: what was created is looked
  // at once more, and one write tells all. As after a crash at this line.
  if (creates(plan) && plan.remove_pods.empty()) {
    if (auto created = co_await create_children(key.ns, plan); !created) {
      co_return co_await give_way(job, std::move(created).error());
    }
    std::vector<PlannedEvent> told = std::move(plan.events);
    CO_TRY(view, co_await load(job));
    plan = make_plan(view);
    put_before(std::move(told), plan.events);
  }
  const client::Requeue next(plan.look_again);
  CO_TRY_OK(co_await apply(job, std::move(plan)));
  co_return next;
}

/// A crash in there names the job, in this form of it.
JobPlan JobReconciler::make_plan(const JobView& view) const {
  const std::string work = work_on(view.job->body());
  const WorkingOn here(work);
  return plan_job(kind_, view);
}

std::string JobReconciler::work_on(const Json& job) const {
  return fmt::format("plan {} {} {} {}", kind_.resource().plural, key_of(job), uid_of(job),
                     int_at(job, "metadata.generation"));
}

awaitable<void> JobReconciler::tell_internal_error(Key key, std::string text) {
  const auto job = co_await api_.get(kind_.resource(), std::move(key));
  if (job) events_.warning(*job, "InternalError", std::move(text));
}

awaitable<Result<JobView>> JobReconciler::load(ObjectPtr job) {
  const Json& body = job->body();
  const std::string uid(uid_of(body));
  JobView view;
  view.job = job;
  view.now = clock_.wall();
  for (const ObjectPtr& pod : owned_.of(kPods, uid)) {
    view.pods[std::string(name_of(pod->body()))] = pod;
  }
  // Nobody meets there yet: whoever has taken it since may keep it.
  if (view.pods.empty()) view.port_is_usable = ports_.are_usable(body);
  for (const ObjectPtr& service : owned_.of(kServices, uid)) {
    view.services.emplace(name_of(service->body()), uid_of(service->body()));
  }
  const Key group{std::string(namespace_of(body)), std::string(name_of(body))};
  if (const auto found = co_await api_.get(kPodGroups, group)) {
    view.has_pod_group = true;
    view.group_members = int_at((*found)->body(), "spec.minMember");
    const Json* owner = controller_of((*found)->body());
    if (owner != nullptr && string_at(*owner, "uid") != uid) {
      view.group_taken_by =
          fmt::format("{} {}", string_at(*owner, "kind"), string_at(*owner, "name"));
    }
  }
  for (const ObjectPtr& board : owned_.of(kTensorBoards, uid)) {
    if (name_of(board->body()) == tensorboard_name(body)) view.tensorboard = board;
  }
  co_return view;
}

awaitable<Result<>> JobReconciler::create_support(std::string ns, SupportObject support) {
  if (support.takes_keys) put_keys(support.object);
  const Key key{ns, std::string(name_of(support.object))};
  auto made = co_await api_.create(support.resource, std::move(ns), support.object);
  if (made) co_return Ok();
  if (!made.failed_with(Code::kAlreadyExists)) co_return std::move(made).error();
  CO_TRY(const ObjectPtr found, co_await api_.get(support.resource, key));
  if (!has_same_owner(support.object, found->body())) {
    co_return Error(Code::kInvalid,
                    fmt::format("the {} {} is there and is not the job's: delete it, or give the "
                                "job another name",
                                string_at(support.object, "kind"), key.name));
  }
  const Json* wanted = find(support.object, "data");
  if (support.takes_keys || wanted == nullptr) co_return Ok();
  // Of an earlier try, before the job was given another port, or of fewer replicas.
  const Json* data = find(found->body(), "data");
  if (data != nullptr && *data == *wanted) co_return Ok();
  Json updated = found->body();
  updated.get_object()["data"] = *wanted;
  auto written = co_await api_.update(support.resource, std::move(updated));
  co_return written ? Result<>(Ok()) : Result<>(std::move(written).error());
}

awaitable<Result<>> JobReconciler::create_children(std::string ns, JobPlan& plan) {
  std::vector<SupportObject> support = std::move(plan.create_support);
  plan.create_support.clear();
  CO_TRY_OK(co_await client::run_parallel(support.size(), kAtOnce, [&](std::size_t i) {
    return create_support(ns, std::move(support[i]));
  }));
  std::vector<std::pair<Resource, Json>> made = take_creations(plan);
  co_return co_await client::run_parallel(made.size(), kAtOnce, [&](std::size_t i) {
    return owned_.create(made[i].first, ns, std::move(made[i].second));
  });
}

awaitable<Result<>> JobReconciler::remove_all(Resource resource, std::string ns,
                                              std::vector<Removal> removals) {
  co_return co_await client::run_parallel(removals.size(), kAtOnce, [&](std::size_t i) {
    return remove(resource, ns, std::move(removals[i]));
  });
}

awaitable<Result<>> JobReconciler::resize_pod_group(Key group, std::int64_t members) {
  Json patch{{"spec", {{"minMember", members}}}};
  auto patched = co_await api_.patch(kPodGroups, std::move(group), client::PatchType::kMerge,
                                     std::move(patch), "");
  if (!patched && !patched.failed_with(Code::kNotFound)) co_return std::move(patched).error();
  co_return Ok();
}

awaitable<Result<>> JobReconciler::remove(Resource resource, std::string ns, Removal removal) {
  Key key{std::move(ns), std::move(removal.name)};
  client::DeleteOptions options;
  options.uid = std::move(removal.uid);
  options.resource_version = std::move(removal.version);
  auto removed = co_await api_.remove(std::move(resource), std::move(key), std::move(options));
  if (!removed && !removed.failed_with(Code::kNotFound)) co_return removed;
  co_return Ok();
}

awaitable<Result<>> JobReconciler::remove_job(ObjectPtr job) {
  const Json& body = job->body();
  Removal removal{std::string(name_of(body)), std::string(uid_of(body)), ""};
  co_return co_await remove(kind_.resource(), std::string(namespace_of(body)), std::move(removal));
}

awaitable<Result<client::Requeue>> JobReconciler::give_way(ObjectPtr job, Error why) {
  if (why.code() != Code::kForbidden && why.code() != Code::kInvalid) co_return why;
  CO_TRY(JobView view, co_await load(job));
  view.refusal = why.message();
  JobPlan plan = plan_job(kind_, view);
  CO_TRY_OK(co_await apply(job, std::move(plan)));
  co_return why;
}

awaitable<Result<>> JobReconciler::apply(ObjectPtr job, JobPlan plan) {
  const std::string ns(namespace_of(job->body()));
  if (creates(plan)) CO_TRY_OK(co_await create_children(ns, plan));
  if (!plan.remove_pods.empty()) {
    CO_TRY_OK(co_await remove_all(kPods, ns, std::move(plan.remove_pods)));
  }
  if (plan.resize_pod_group) {
    CO_TRY_OK(co_await resize_pod_group(key_of(job->body()), *plan.resize_pod_group));
  }
  if (!plan.remove_services.empty()) {
    CO_TRY_OK(co_await remove_all(kServices, ns, std::move(plan.remove_services)));
  }
  if (plan.status) {
    Json updated = job->body();
    updated.get_object()["status"] = *std::move(plan.status);
    auto written = co_await api_.update_status(kind_.resource(), std::move(updated));
    if (written.failed_with(Code::kNotFound)) co_return Ok();  // nobody is left to be told
    if (!written) co_return std::move(written).error();
  }
  for (PlannedEvent& event : plan.events) {
    if (event.warning) {
      events_.warning(job, std::move(event.reason), std::move(event.message));
    } else {
      events_.normal(job, std::move(event.reason), std::move(event.message));
    }
  }
  if (plan.remove_job) co_return co_await remove_job(job);
  if (!plan.needs_port) co_return Ok();
  auto leased = co_await ports_.lease(kind_.resource(), job, kind_.read(job->body()).meeting.ports);
  co_return leased ? Result<>(Ok()) : Result<>(std::move(leased).error());
}

}  // namespace trainyard::jobs
