#include "node/registration.h"

#include "base/log.h"
#include "client/watching/parallel.h"
#include "node/node_object.h"

#include <algorithm>

namespace trainyard::node {

using namespace std::chrono_literals;

namespace {

const Resource kLeases{"coordination.k8s.io", "v1", "leases"};
constexpr std::size_t kAtOnce = 16;
// As kubelets do it: the Lease is small and often, the status large and seldom.
constexpr std::chrono::seconds kLeasePause = 10s;
constexpr int kLeasesAStatus = 30;

const Json& status_of(const Json& node) {
  static const Json kNothing = JsonObject();
  const Json* status = find(node, "status");
  return status == nullptr ? kNothing : *status;
}

}  // namespace

awaitable<Result<>> Registration::register_nodes() {
  co_return co_await client::run_parallel(config_.nodes.size(), kAtOnce, [this](std::size_t i) {
    return register_node(config_.nodes[i]);
  });
}

awaitable<Result<>> Registration::register_node(NodeSpec spec) {
  const Key key{"", spec.name};
  auto node = co_await api_.create(kNodes, "", make_node(spec, machine_));
  if (node.failed_with(Code::kAlreadyExists)) {
    CO_TRY(const ObjectPtr existing, co_await api_.get(kNodes, key));
    Json update = node_update(existing->body(), spec, machine_);
    node = co_await api_.patch(kNodes, key, client::PatchType::kMerge, std::move(update), "");
  }
  if (!node) co_return std::move(node).error();
  const Json& body = (*node)->body();
  Json status{{"status", node_status(spec, machine_, status_of(body), clock_.wall())}};
  CO_TRY_OK(
      co_await api_.patch(kNodes, key, client::PatchType::kMerge, std::move(status), "status"));
  Json lease = make_lease(body, clock_.wall());
  auto made = co_await api_.create(kLeases, "kube-node-lease", lease);
  if (made || !made.failed_with(Code::kAlreadyExists)) {
    co_return made ? Result<>(Ok()) : Result<>(std::move(made).error());
  }
  const Key lease_key = key_of(lease);
  lease.get_object().erase("apiVersion");
  lease.get_object().erase("kind");
  CO_TRY_OK(
      co_await api_.patch(kLeases, lease_key, client::PatchType::kMerge, std::move(lease), ""));
  co_return Ok();
}

awaitable<Result<>> Registration::remove_former() {
  const client::ListOptions all;
  CO_TRY(const client::Listing listing, co_await api_.list(kNodes, all));
  for (const ObjectPtr& node : listing.items) {
    const Key key = key_of(node->body());
    const auto is_it = [&](const NodeSpec& spec) { return spec.name == key.name; };
    if (annotation_of(node->body(), kMachineAnnotation) != machine_.host ||
        std::any_of(config_.nodes.begin(), config_.nodes.end(), is_it)) {
      continue;
    }
    client::DeleteOptions options;
    options.uid = uid_of(node->body());
    auto removed = co_await api_.remove(kNodes, key, std::move(options));
    if (!removed && !removed.failed_with(Code::kNotFound)) co_return removed;
    log_info("removed a node that is presented no longer", {{"node", key.name}});
  }
  co_return Ok();
}

awaitable<Result<>> Registration::renew(std::string name, bool with_status) {
  const std::string now = format_time_micro(clock_.wall());
  Json renewed{{"spec", {{"renewTime", now}}}};
  const Key lease{"kube-node-lease", name};
  CO_TRY_OK(co_await api_.patch(kLeases, lease, client::PatchType::kMerge, std::move(renewed), ""));
  if (!with_status) co_return Ok();
  const Key key{"", name};
  CO_TRY(const ObjectPtr node, co_await api_.get(kNodes, key));
  Json conditions = JsonArray(array_at(node->body(), "status.conditions"));
  for (Json& condition : conditions.get_array()) {
    condition.get_object()["lastHeartbeatTime"] = format_time(clock_.wall());
  }
  Json status{{"status", {{"conditions", std::move(conditions)}}}};
  CO_TRY_OK(
      co_await api_.patch(kNodes, key, client::PatchType::kMerge, std::move(status), "status"));
  co_return Ok();
}

awaitable<void> Registration::keep_alive() {
  for (int round = 1;; ++round) {
    co_await clock_.sleep_for(kLeasePause);
    const bool with_status = round % kLeasesAStatus == 0;
    const Result<> renewed = co_await client::run_parallel(
        config_.nodes.size(), kAtOnce,
        [this, with_status](std::size_t i) { return renew(config_.nodes[i].name, with_status); });
    // A node that was deleted on purpose has no Lease any more.
    if (!renewed && !renewed.failed_with(Code::kNotFound)) {
      log_warn("node's lease not renewed", {{"cause", renewed.error().message()}});
    }
  }
}

}  // namespace trainyard::node
