#include "node/usage/usage_meter.h"

#include "base/elsewhere.h"

#include <algorithm>

namespace trainyard::node {
namespace {

using namespace std::chrono_literals;

constexpr auto kShortest = 500ms;  // less says little of how busy something is
constexpr auto kLongest = 30s;     // more is no longer "at the moment"

template <class Item>
void note_window(contract::Measured<Item>& measured, std::chrono::nanoseconds window) {
  measured.window = std::max(measured.window, window);
}

}  // namespace

awaitable<UsageMeter::Readings> UsageMeter::read(std::vector<UsageTarget> targets) {
  // The work may outlive its asker, so it has a reader of its own.
  auto work = [reader = reader_, targets = std::move(targets)] { return reader.read(targets); };
  co_return co_await run_elsewhere(files_, std::move(work));
}

awaitable<UsageMeter::Spans> UsageMeter::measure(std::vector<UsageTarget> targets) {
  const TimePoint begun = clock_.now();
  std::erase_if(last_, [&](const auto& entry) { return begun - entry.second.time > kLongest; });
  Readings before;
  std::vector<UsageTarget> unknown;
  for (const UsageTarget& target : targets) {
    const auto known = last_.find(target);
    if (known != last_.end() && begun - known->second.time >= kShortest) {
      before.insert(*known);
    } else {
      unknown.push_back(target);
    }
  }
  if (!unknown.empty()) {
    before.merge(co_await read(std::move(unknown)));
    co_await clock_.sleep_for(kShortest);
  }
  Readings after = co_await read(std::move(targets));
  Spans spans;
  for (auto& [target, now] : after) {
    const auto then = before.find(target);
    if (then == before.end()) continue;
    spans.emplace(target, Span{then->second, now});
    last_.insert_or_assign(target, std::move(now));
  }
  co_return spans;
}

awaitable<contract::Measured<contract::PodUsage>> UsageMeter::measure_pods(
    std::vector<ObjectPtr> pods) {
  std::vector<UsageTarget> targets;
  for (const ObjectPtr& pod : pods) {
    for (UsageTarget& target : running_in(pod->body())) targets.push_back(std::move(target));
  }
  contract::Measured<contract::PodUsage> measured;
  if (targets.empty()) co_return measured;
  const Spans spans = co_await measure(std::move(targets));
  measured.time = clock_.wall();
  for (const ObjectPtr& pod : pods) {
    contract::PodUsage one;
    one.pod = pod;
    for (const UsageTarget& target : running_in(pod->body())) {
      const auto found = spans.find(target);
      if (found == spans.end()) continue;
      note_window(measured, found->second.after.time - found->second.before.time);
      one.containers.push_back(
          {target.container, usage_between(found->second.before, found->second.after)});
    }
    if (!one.containers.empty()) measured.items.push_back(std::move(one));
  }
  co_return measured;
}

awaitable<contract::Measured<contract::NodeUsage>> UsageMeter::measure_nodes(
    std::vector<ObjectPtr> nodes) {
  const auto is_ours = [&](const ObjectPtr& node) {
    return std::any_of(config_.nodes.begin(), config_.nodes.end(),
                       [&](const NodeSpec& spec) { return spec.name == name_of(node->body()); });
  };
  std::erase_if(nodes, [&](const ObjectPtr& node) { return !is_ours(node); });
  if (nodes.empty()) co_return contract::Measured<contract::NodeUsage>();
  if (config_.nodes.size() == 1) co_return co_await measure_machine(nodes.front());
  co_return co_await measure_shares(std::move(nodes));
}

/// One node is the machine, with all that runs on it.
awaitable<contract::Measured<contract::NodeUsage>> UsageMeter::measure_machine(ObjectPtr node) {
  std::vector<UsageTarget> machine(1);
  const Spans spans = co_await measure(std::move(machine));
  contract::Measured<contract::NodeUsage> measured;
  measured.time = clock_.wall();
  for (const auto& [target, span] : spans) {
    measured.window = span.after.time - span.before.time;
    measured.items.push_back({node, usage_between(span.before, span.after)});
  }
  co_return measured;
}

/// Several nodes share the machine: each is what its pods use.
awaitable<contract::Measured<contract::NodeUsage>> UsageMeter::measure_shares(
    std::vector<ObjectPtr> nodes) {
  client::ListOptions placed;
  placed.fields = "spec.nodeName!=";
  auto listing = co_await api_.list(kPods, std::move(placed));
  std::vector<ObjectPtr> pods;
  if (listing) pods = std::move(listing->items);
  const auto of_pods = co_await measure_pods(std::move(pods));
  contract::Measured<contract::NodeUsage> measured;
  measured.time = clock_.wall();
  measured.window = of_pods.window;
  for (const ObjectPtr& node : nodes) {
    contract::NodeUsage one;
    one.node = node;
    for (const contract::PodUsage& pod : of_pods.items) {
      if (string_at(pod.pod->body(), "spec.nodeName") != name_of(node->body())) continue;
      for (const contract::ContainerUsage& container : pod.containers) {
        one.usage.cpu_nanos += container.usage.cpu_nanos;
        one.usage.memory_bytes += container.usage.memory_bytes;
      }
    }
    measured.items.push_back(std::move(one));
  }
  co_return measured;
}

}  // namespace trainyard::node
