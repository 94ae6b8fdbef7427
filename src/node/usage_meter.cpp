#include "node/usage_meter.h"

#include "base/elsewhere.h"
#include "node/container_id.h"

#include <algorithm>

namespace trainyard::node {
namespace {

using namespace std::chrono_literals;

constexpr auto kShortest = 500ms;  // less says little of how busy something is
constexpr auto kLongest = 30s;     // more is no longer "at the moment"

template <class Item>
void note_window(client::Measured<Item>& measured, std::chrono::nanoseconds window) {
  measured.window = std::max(measured.window, window);
}

/// What has passed between the two, of the connections that are still open. Of one that is new,
/// all.
Traffic passed(const TrafficOfSockets& before, const TrafficOfSockets& after) {
  Traffic sum;
  for (const auto& [socket, now] : after) {
    const auto known = before.find(socket);
    const Traffic then = known == before.end() ? Traffic() : known->second;
    sum.received_bytes += now.received_bytes - then.received_bytes;
    sum.sent_bytes += now.sent_bytes - then.sent_bytes;
  }
  return sum;
}

}  // namespace

std::vector<UsageTarget> UsageMeter::running_in(const Json& pod) {
  std::vector<UsageTarget> targets;
  for (const char* list : {"status.initContainerStatuses", "status.containerStatuses"}) {
    for (const Json& status : array_at(pod, list)) {
      if (find(status, "state.running") == nullptr) continue;
      UsageTarget target{std::string(uid_of(pod)), std::string(string_at(status, "name")), 0};
      target.number = std::max(number_in(string_at(status, "containerID")), 0);
      targets.push_back(std::move(target));
    }
  }
  return targets;
}

awaitable<UsageMeter::Readings> UsageMeter::read(std::vector<UsageTarget> targets) {
  const TimePoint time = clock_.now();
  // The work may outlive its asker, so it has a reader of its own.
  auto work = [reader = reader_, targets = std::move(targets)] { return reader.read(targets); };
  auto counted = co_await run_elsewhere(files_, std::move(work));
  Readings readings;
  for (auto& [target, counters] : counted) {
    readings.emplace(target, Reading{time, std::move(counters)});
  }
  co_return readings;
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

client::Usage UsageMeter::usage_of(const Span& span) {
  const ContainerCounters& before = span.before.counters.own;
  const ContainerCounters& after = span.after.counters.own;
  const std::chrono::duration<double> window = span.after.time - span.before.time;
  const auto a_second = [&](std::int64_t amount) {
    // Less than before: processes have ended whose end nobody has waited for.
    if (window.count() <= 0 || amount <= 0) return std::int64_t{0};
    return static_cast<std::int64_t>(static_cast<double>(amount) / window.count());
  };
  const Traffic network = passed(span.before.counters.sockets, span.after.counters.sockets);
  client::Usage usage;
  usage.cpu_nanos = a_second((after.cpu_microseconds - before.cpu_microseconds) * 1000);
  usage.memory_bytes = after.memory_bytes;
  usage.disk_read = a_second(after.disk_read_bytes - before.disk_read_bytes);
  usage.disk_written = a_second(after.disk_written_bytes - before.disk_written_bytes);
  usage.network_received = a_second(network.received_bytes);
  usage.network_sent = a_second(network.sent_bytes);
  return usage;
}

awaitable<client::Measured<client::PodUsage>> UsageMeter::measure_pods(
    std::vector<ObjectPtr> pods) {
  std::vector<UsageTarget> targets;
  for (const ObjectPtr& pod : pods) {
    for (UsageTarget& target : running_in(pod->body())) targets.push_back(std::move(target));
  }
  client::Measured<client::PodUsage> measured;
  if (targets.empty()) co_return measured;
  const Spans spans = co_await measure(std::move(targets));
  measured.time = clock_.wall();
  for (const ObjectPtr& pod : pods) {
    client::PodUsage one;
    one.pod = pod;
    for (const UsageTarget& target : running_in(pod->body())) {
      const auto found = spans.find(target);
      if (found == spans.end()) continue;
      note_window(measured, found->second.after.time - found->second.before.time);
      one.containers.push_back({target.container, usage_of(found->second)});
    }
    if (!one.containers.empty()) measured.items.push_back(std::move(one));
  }
  co_return measured;
}

awaitable<client::Measured<client::NodeUsage>> UsageMeter::measure_nodes(
    std::vector<ObjectPtr> nodes) {
  const auto is_ours = [&](const ObjectPtr& node) {
    return std::any_of(config_.nodes.begin(), config_.nodes.end(),
                       [&](const NodeSpec& spec) { return spec.name == name_of(node->body()); });
  };
  std::erase_if(nodes, [&](const ObjectPtr& node) { return !is_ours(node); });
  if (nodes.empty()) co_return client::Measured<client::NodeUsage>();
  if (config_.nodes.size() == 1) co_return co_await measure_machine(nodes.front());
  co_return co_await measure_shares(std::move(nodes));
}

/// One node is the machine, with all that runs on it.
awaitable<client::Measured<client::NodeUsage>> UsageMeter::measure_machine(ObjectPtr node) {
  std::vector<UsageTarget> machine(1);
  const Spans spans = co_await measure(std::move(machine));
  client::Measured<client::NodeUsage> measured;
  measured.time = clock_.wall();
  for (const auto& [target, span] : spans) {
    measured.window = span.after.time - span.before.time;
    measured.items.push_back({node, usage_of(span)});
  }
  co_return measured;
}

/// Several nodes share the machine: each is what its pods use.
awaitable<client::Measured<client::NodeUsage>> UsageMeter::measure_shares(
    std::vector<ObjectPtr> nodes) {
  client::ListOptions placed;
  placed.fields = "spec.nodeName!=";
  auto listing = co_await api_.list(kPods, std::move(placed));
  std::vector<ObjectPtr> pods;
  if (listing) pods = std::move(listing->items);
  const auto of_pods = co_await measure_pods(std::move(pods));
  client::Measured<client::NodeUsage> measured;
  measured.time = clock_.wall();
  measured.window = of_pods.window;
  for (const ObjectPtr& node : nodes) {
    client::NodeUsage one;
    one.node = node;
    for (const client::PodUsage& pod : of_pods.items) {
      if (string_at(pod.pod->body(), "spec.nodeName") != name_of(node->body())) continue;
      for (const client::ContainerUsage& container : pod.containers) {
        one.usage.cpu_nanos += container.usage.cpu_nanos;
        one.usage.memory_bytes += container.usage.memory_bytes;
      }
    }
    measured.items.push_back(std::move(one));
  }
  co_return measured;
}

}  // namespace trainyard::node
