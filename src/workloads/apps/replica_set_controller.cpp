#include "workloads/apps/replica_set_controller.h"

#include "client/watching/parallel.h"
#include "object/values/selector.h"
#include "workloads/apps/apps.h"
#include "workloads/apps/ownership.h"
#include "workloads/apps/pods.h"
#include "workloads/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace trainyard::workloads {
namespace {

constexpr std::size_t kWritesAtOnce = 32;
constexpr std::size_t kLarge = 64 << 10;  // of this size, pods are made one after the other

}  // namespace

ReplicaSetController::ReplicaSetController(Executor loop, client::Api& api, Clock& clock)
    : api_(api),
      clock_(clock),
      events_(api, clock, "replicaset-controller"),
      controller_("replica sets", loop, clock, *this),
      sets_(loop, api, clock, kReplicaSets),
      pods_(loop, api, clock, kPods),
      tasks_(loop) {
  sets_.add_index(client::kByNamespace, client::own_namespace);
  pods_.add_index(client::kByOwner, client::owner_uids);
  sets_.add_listener([this](const ObjectPtr& set, bool) { controller_.add(key_of(set->body())); });
  pods_.add_listener([this](const ObjectPtr& pod, bool) { heard_of_pod(pod->body()); });
  pods_.on_gap([this] { controller_.add_all(sets_.objects()); });
}

void ReplicaSetController::start() {
  tasks_.spawn("watch replica sets", sets_.run());
  tasks_.spawn("watch pods of replica sets", pods_.run());
  controller_.start(/*workers=*/8);
}

awaitable<void> ReplicaSetController::stop() {
  co_await tasks_.stop();
  co_await controller_.stop();
}

void ReplicaSetController::heard_of_pod(const Json& pod) {
  const std::string ns(namespace_of(pod));
  if (const Json* owner = controller_of(pod)) {
    if (string_at(*owner, "kind") == "ReplicaSet") {
      controller_.add(Key{ns, std::string(string_at(*owner, "name"))});
    }
    return;
  }
  // Nobody's: whoever selects it may adopt it.
  for (const ObjectPtr& set : sets_.by_index(client::kByNamespace, ns)) {
    const auto text = selector_text(json_at(set->body(), "spec.selector"));
    if (!text || text->empty()) continue;
    const auto selector = LabelSelector::parse(*text);
    if (selector && selector->matches(pod)) controller_.add(key_of(set->body()));
  }
}

awaitable<Result<client::Requeue>> ReplicaSetController::reconcile(Key key) {
  auto set = co_await api_.get(kReplicaSets, key);
  if (set.failed_with(Code::kNotFound)) co_return client::Requeue();  // its pods go with it
  if (!set) co_return std::move(set).error();
  ReplicaSetView view;
  view.set = *set;
  CO_TRY(view.pods, co_await claim_pods(*set));
  view.now = clock_.wall();
  const ReplicaSetPlan plan = plan_replica_set(view);
  std::optional<ReplicaSetFailure> failure;
  Result<> done = co_await create_pods(*set, plan.create);
  if (!done) failure = ReplicaSetFailure{"FailedCreate", done.error().message()};
  if (!plan.remove.empty()) {
    done = co_await client::run_parallel(plan.remove.size(), kWritesAtOnce, [&](std::size_t index) {
      return remove_pod(*set, plan.remove[index]);
    });
    if (!done) failure = ReplicaSetFailure{"FailedDelete", done.error().message()};
  }
  ReplicaSetStatus status = replica_set_status(view, failure);
  const client::Requeue next(status.look_again);
  CO_TRY_OK(co_await write_status(*set, std::move(status.status)));
  if (!done) co_return std::move(done).error();
  co_return next;
}

/// Its own pods, as they are now; for those it may have to release it trusts the watch.
awaitable<Result<std::vector<ObjectPtr>>> ReplicaSetController::claim_pods(ObjectPtr set) {
  const Json& body = set->body();
  CO_TRY(const std::string text, selector_text(json_at(body, "spec.selector")));
  client::ListOptions where;
  where.ns = namespace_of(body);
  where.labels = text;
  CO_TRY(client::Listing listing, co_await api_.list(kPods, where));
  std::vector<ObjectPtr> candidates = std::move(listing.items);
  std::set<std::string> known;
  for (const ObjectPtr& pod : candidates) known.emplace(uid_of(pod->body()));
  for (const ObjectPtr& pod : pods_.by_index(client::kByOwner, std::string(uid_of(body)))) {
    if (!known.contains(std::string(uid_of(pod->body())))) candidates.push_back(pod);
  }
  CO_TRY(Claims claims, sort_claims(body, text, candidates));
  for (const ObjectPtr& pod : claims.adopt) {
    if (!is_active_pod(pod->body())) continue;
    CO_TRY(ObjectPtr adopted, co_await adopt_object(api_, kPods, pod, set));
    claims.owned.push_back(std::move(adopted));
  }
  for (const ObjectPtr& pod : claims.release) {
    CO_TRY_OK(co_await release_object(api_, kPods, pod, std::string(uid_of(body))));
  }
  co_return std::move(claims.owned);
}

/// One, then two, then four …: when pods cannot be made, few are tried in vain.
awaitable<Result<>> ReplicaSetController::create_pods(ObjectPtr set, std::int64_t count) {
  for (std::int64_t batch = 1; count > 0; batch *= 2) {
    const std::int64_t now = std::min(batch, count);
    const std::size_t width = set->text_size() > kLarge ? 1 : kWritesAtOnce;
    CO_TRY_OK(co_await client::run_parallel(static_cast<std::size_t>(now), width,
                                            [&](std::size_t) { return create_pod(set); }));
    count -= now;
  }
  co_return Ok();
}

awaitable<Result<>> ReplicaSetController::create_pod(ObjectPtr set) {
  const Json& body = set->body();
  Json pod = pod_from_template(json_at(body, "spec.template"), body);
  auto created = co_await api_.create(kPods, std::string(namespace_of(body)), std::move(pod));
  if (!created) {
    co_await events_.warning(set, "FailedCreate",
                             fmt::format("Error creating: {}", created.error().message()));
    co_return std::move(created).error();
  }
  co_await events_.normal(set, "SuccessfulCreate",
                          fmt::format("Created pod: {}", name_of((*created)->body())));
  co_return Ok();
}

awaitable<Result<>> ReplicaSetController::remove_pod(ObjectPtr set, ObjectPtr pod) {
  const Key key = key_of(pod->body());
  client::DeleteOptions options;
  options.uid = uid_of(pod->body());
  auto removed = co_await api_.remove(kPods, key, std::move(options));
  if (removed.failed_with(Code::kNotFound) || removed.failed_with(Code::kConflict)) co_return Ok();
  if (!removed) {
    co_await events_.warning(set, "FailedDelete",
                             fmt::format("Error deleting: {}", removed.error().message()));
    co_return removed;
  }
  co_await events_.normal(set, "SuccessfulDelete", fmt::format("Deleted pod: {}", key.name));
  co_return Ok();
}

awaitable<Result<>> ReplicaSetController::write_status(ObjectPtr set, Json status) {
  const Json* before = find(set->body(), "status");
  if (before != nullptr && *before == status) co_return Ok();
  Json updated = set->body();
  updated.get_object()["status"] = std::move(status);
  auto written = co_await api_.update_status(kReplicaSets, std::move(updated));
  if (!written && !written.failed_with(Code::kNotFound)) co_return std::move(written).error();
  co_return Ok();
}

}  // namespace trainyard::workloads
