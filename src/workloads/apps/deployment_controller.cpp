#include "workloads/apps/deployment_controller.h"

#include "object/values/selector.h"
#include "workloads/apps/apps.h"
#include "workloads/apps/deployment_status.h"
#include "workloads/apps/ownership.h"
#include "workloads/apps/revision.h"
#include "workloads/text.h"

#include <fmt/format.h>

#include <set>

namespace trainyard::workloads {

DeploymentController::DeploymentController(Executor loop, client::Api& api, Clock& clock)
    : api_(api),
      clock_(clock),
      events_(api, clock, "deployment-controller"),
      controller_("deployments", loop, clock, *this),
      deployments_(loop, api, clock, kDeployments),
      sets_(loop, api, clock, kReplicaSets),
      pods_(loop, api, clock, kPods),
      tasks_(loop) {
  deployments_.add_index(client::kByNamespace, client::own_namespace);
  sets_.add_index(client::kByOwner, client::owner_uids);
  deployments_.add_listener(
      [this](const ObjectPtr& deployment, bool) { controller_.add(key_of(deployment->body())); });
  sets_.add_listener([this](const ObjectPtr& set, bool) { heard_of_set(set->body()); });
  // With strategy Recreate the new pods wait for the last of the old ones.
  pods_.add_listener([this](const ObjectPtr& pod, bool deleted) {
    if (deleted) heard_of_pod(pod->body());
  });
  for (client::Informer* below : {&sets_, &pods_}) {
    below->on_gap([this] { controller_.add_all(deployments_.objects()); });
  }
}

void DeploymentController::start() {
  tasks_.spawn("watch deployments", deployments_.run());
  tasks_.spawn("watch sets of deployments", sets_.run());
  tasks_.spawn("watch pods of deployments", pods_.run());
  controller_.start(/*workers=*/8);
}

awaitable<void> DeploymentController::stop() {
  co_await tasks_.stop();
  co_await controller_.stop();
}

void DeploymentController::heard_of_set(const Json& set) {
  const std::string ns(namespace_of(set));
  if (const Json* owner = controller_of(set)) {
    if (string_at(*owner, "kind") == "Deployment") {
      controller_.add(Key{ns, std::string(string_at(*owner, "name"))});
    }
    return;
  }
  // Nobody's: whoever selects it may adopt it.
  for (const ObjectPtr& deployment : deployments_.by_index(client::kByNamespace, ns)) {
    const auto text = selector_text(json_at(deployment->body(), "spec.selector"));
    if (!text || text->empty()) continue;
    const auto selector = LabelSelector::parse(*text);
    if (selector && selector->matches(set)) controller_.add(key_of(deployment->body()));
  }
}

void DeploymentController::heard_of_pod(const Json& pod) {
  const Json* owner = controller_of(pod);
  if (owner == nullptr || string_at(*owner, "kind") != "ReplicaSet") return;
  const Key key{std::string(namespace_of(pod)), std::string(string_at(*owner, "name"))};
  const auto set = sets_.objects().find(key);
  if (set != sets_.objects().end()) heard_of_set(set->second->body());
}

awaitable<Result<client::Requeue>> DeploymentController::reconcile(Key key) {
  auto deployment = co_await api_.get(kDeployments, key);
  if (deployment.failed_with(Code::kNotFound)) co_return client::Requeue();  // its sets go with it
  if (!deployment) co_return std::move(deployment).error();
  CO_TRY(const DeploymentView view, co_await load(*deployment));
  DeploymentPlan plan = plan_deployment(view);
  const client::Requeue next(plan.look_again);
  CO_TRY_OK(co_await apply(*deployment, std::move(plan)));
  co_return next;
}

awaitable<Result<DeploymentView>> DeploymentController::load(ObjectPtr deployment) {
  DeploymentView view;
  view.deployment = deployment;
  CO_TRY(view.sets, co_await claim_sets(deployment));
  client::ListOptions where;
  where.ns = namespace_of(deployment->body());
  CO_TRY(where.labels, selector_text(json_at(deployment->body(), "spec.selector")));
  CO_TRY(client::Listing pods, co_await api_.list(kPods, where));
  for (ObjectPtr& pod : pods.items) {
    const Json* owner = controller_of(pod->body());
    if (owner != nullptr && string_at(*owner, "kind") == "ReplicaSet") {
      view.pods.push_back(std::move(pod));
    }
  }
  view.now = clock_.wall();
  co_return view;
}

/// Its own sets, as they are now; for those it may have to release it trusts the watch.
awaitable<Result<std::vector<ObjectPtr>>> DeploymentController::claim_sets(ObjectPtr deployment) {
  const Json& body = deployment->body();
  CO_TRY(const std::string text, selector_text(json_at(body, "spec.selector")));
  client::ListOptions where;
  where.ns = namespace_of(body);
  where.labels = text;
  CO_TRY(client::Listing listing, co_await api_.list(kReplicaSets, where));
  std::vector<ObjectPtr> candidates = std::move(listing.items);
  std::set<std::string> known;
  for (const ObjectPtr& set : candidates) known.emplace(uid_of(set->body()));
  for (const ObjectPtr& set : sets_.by_index(client::kByOwner, std::string(uid_of(body)))) {
    if (!known.contains(std::string(uid_of(set->body())))) candidates.push_back(set);
  }
  CO_TRY(Claims claims, sort_claims(body, text, candidates));
  for (const ObjectPtr& set : claims.adopt) {
    CO_TRY(ObjectPtr adopted, co_await adopt_object(api_, kReplicaSets, set, deployment));
    claims.owned.push_back(std::move(adopted));
  }
  for (const ObjectPtr& set : claims.release) {
    CO_TRY_OK(co_await release_object(api_, kReplicaSets, set, std::string(uid_of(body))));
  }
  co_return std::move(claims.owned);
}

awaitable<Result<>> DeploymentController::apply(ObjectPtr deployment, DeploymentPlan plan) {
  if (plan.create_set) {
    CO_TRY_OK(co_await create_set(deployment, *std::move(plan.create_set)));
  }
  for (SetChange& change : plan.change_sets) {
    CO_TRY_OK(co_await change_set(deployment, std::move(change)));
  }
  for (DeploymentEvent& event : plan.events) {
    if (event.warning) {
      co_await events_.warning(deployment, std::move(event.reason), std::move(event.message));
    } else {
      co_await events_.normal(deployment, std::move(event.reason), std::move(event.message));
    }
  }
  for (const ObjectPtr& set : plan.remove_sets) CO_TRY_OK(co_await remove_set(set));
  ObjectPtr latest = deployment;
  if (plan.revision > 0) {
    CO_TRY(latest, co_await write_revision(deployment, plan.revision));
  }
  if (plan.status) CO_TRY_OK(co_await write_status(latest, *std::move(plan.status)));
  co_return Ok();
}

awaitable<Result<>> DeploymentController::create_set(ObjectPtr deployment, Json set) {
  auto created = co_await api_.create(kReplicaSets, std::string(namespace_of(set)), set);
  if (created) co_return Ok();
  if (created.failed_with(Code::kAlreadyExists)) {
    co_return co_await resolve_name_clash(deployment, std::move(set));
  }
  std::string message = fmt::format("Failed to create new replica set \"{}\": {}", name_of(set),
                                    created.error().message());
  co_await events_.warning(deployment, "ReplicaSetCreateError", message);
  CO_TRY_OK(co_await report_failed_set(deployment, std::move(message)));
  co_return std::move(created).error();
}

/// Its own set of the same template was made by a run that died: all is well. Any other is there by
/// chance: the next try takes another name.
awaitable<Result<>> DeploymentController::resolve_name_clash(ObjectPtr deployment, Json set) {
  CO_TRY(const ObjectPtr there, co_await api_.get(kReplicaSets, key_of(set)));
  const Json* owner = controller_of(there->body());
  const bool own = owner != nullptr && string_at(*owner, "uid") == uid_of(deployment->body());
  if (own &&
      same_template(json_at(there->body(), "spec.template"), json_at(set, "spec.template"))) {
    co_return Ok();
  }
  Json updated = deployment->body();
  make_path(updated, "status.collisionCount") = int_at(updated, "status.collisionCount") + 1;
  CO_TRY_OK(co_await api_.update_status(kDeployments, std::move(updated)));
  co_return Error(Code::kConflict, "the name of the new replica set is taken");
}

awaitable<Result<>> DeploymentController::report_failed_set(ObjectPtr deployment,
                                                            std::string message) {
  const Json& body = deployment->body();
  JsonArray conditions = array_at(body, "status.conditions");
  const Condition failed{"Progressing", "False", "ReplicaSetCreateError", std::move(message)};
  set_dated_condition(conditions, failed, clock_.wall(), false);
  if (conditions == array_at(body, "status.conditions")) co_return Ok();
  Json status = json_at(body, "status");
  make_path(status, "conditions") = std::move(conditions);
  co_return co_await write_status(deployment, std::move(status));
}

awaitable<Result<>> DeploymentController::change_set(ObjectPtr deployment, SetChange change) {
  const Key key{std::string(namespace_of(deployment->body())), std::move(change.name)};
  CO_TRY_OK(co_await api_.patch(kReplicaSets, key, client::PatchType::kMerge,
                                std::move(change.patch), ""));
  co_return Ok();
}

awaitable<Result<>> DeploymentController::remove_set(ObjectPtr set) {
  const Key key = key_of(set->body());
  client::DeleteOptions options;
  options.uid = uid_of(set->body());
  options.propagation = "Background";
  auto removed = co_await api_.remove(kReplicaSets, key, std::move(options));
  if (!removed && !removed.failed_with(Code::kNotFound)) co_return removed;
  co_return Ok();
}

awaitable<Result<ObjectPtr>> DeploymentController::write_revision(ObjectPtr deployment,
                                                                  std::int64_t revision) {
  Json patch{{"metadata",
              {{"uid", uid_of(deployment->body())},
               {"resourceVersion", string_at(deployment->body(), "metadata.resourceVersion")},
               {"annotations", {{kRevision, std::to_string(revision)}}}}}};
  co_return co_await api_.patch(kDeployments, key_of(deployment->body()), client::PatchType::kMerge,
                                std::move(patch), "");
}

awaitable<Result<>> DeploymentController::write_status(ObjectPtr deployment, Json status) {
  Json updated = deployment->body();
  updated.get_object()["status"] = std::move(status);
  auto written = co_await api_.update_status(kDeployments, std::move(updated));
  if (!written && !written.failed_with(Code::kNotFound)) co_return std::move(written).error();
  co_return Ok();
}

}  // namespace trainyard::workloads
