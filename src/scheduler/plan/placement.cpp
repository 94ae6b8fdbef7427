#include "scheduler/plan/placement.h"

#include <fmt/format.h>

#include <optional>

namespace trainyard::scheduler {
namespace {

Quantity amount(const Resources& resources, const std::string& name) {
  const auto found = resources.find(name);
  return found == resources.end() ? Quantity() : found->second;
}

class Placer {
 public:
  explicit Placer(ClusterView view) : view_(std::move(view)) {}

  SchedulePlan run() {
    for (const GangView& gang : view_.gangs) place(gang);
    return std::move(plan_);
  }

 private:
  void place(const GangView& gang) {
    const auto members = static_cast<std::int64_t>(gang.pending.size()) + gang.placed;
    if (members < gang.min_members) {
      wait(gang, fmt::format("{} of the gang's {} pods exist; it is placed when all do", members,
                             gang.min_members));
      plan_.waiting.back().incomplete = true;
      return;
    }
    const std::vector<NodeView> before = view_.nodes;
    Placed placed{gang.key, {}};
    for (const PodView& pod : gang.pending) {
      NodeView* node = best_node(pod);
      if (node == nullptr) {
        std::string reason = explain(gang, pod, before);
        view_.nodes = before;
        wait(gang, std::move(reason));
        return;
      }
      for (const auto& [name, request] : pod.requests) node->used[name] += request;
      placed.pods.push_back(Placement{pod.key, node->name});
    }
    plan_.placed.push_back(std::move(placed));
  }

  bool counts(const std::string& resource) const {
    return !(view_.overcommit_cpu && resource == "cpu");
  }

  /// The resource of which the node has too little; nothing when the pod fits.
  std::optional<std::string> lacking(const NodeView& node, const PodView& pod) const {
    for (const auto& [name, request] : pod.requests) {
      if (!counts(name)) continue;
      if (amount(node.used, name) + request > amount(node.allocatable, name)) return name;
    }
    return std::nullopt;
  }

  NodeView* best_node(const PodView& pod) {
    NodeView* best = nullptr;
    for (NodeView& node : view_.nodes) {
      if (lacking(node, pod)) continue;
      if (best == nullptr || free_memory(node) < free_memory(*best)) best = &node;
    }
    return best;
  }

  static Quantity free_memory(const NodeView& node) {
    return amount(node.allocatable, "memory") - amount(node.used, "memory");
  }

  std::string explain(const GangView& gang, const PodView& pod,
                      const std::vector<NodeView>& before) const {
    if (before.empty()) return "there is no node yet";
    const NodeView& node = view_.nodes.front();
    const std::string resource = lacking(node, pod).value_or("memory");
    Quantity wanted;
    for (const PodView& member : gang.pending) wanted += amount(member.requests, resource);
    const Quantity all = amount(node.allocatable, resource);
    const Quantity free = all - amount(before.front().used, resource);
    const auto shown = [&](const Quantity& value) {
      if (resource == "memory") return fmt::format("{:.1f}Gi", value.as_double() / (1 << 30));
      return fmt::format("{:g}", value.as_double());
    };
    std::string text = fmt::format("the gang asks for {} of {}, and node {} has {} free of {}",
                                   shown(wanted), resource, node.name, shown(free), shown(all));
    if (wanted > all) text += ": it can never fit; ask for less or use fewer replicas";
    return text;
  }

  void wait(const GangView& gang, std::string reason) {
    Waiting waiting{gang.key, {}, std::move(reason), false};
    for (const PodView& pod : gang.pending) waiting.pods.push_back(pod.key);
    plan_.waiting.push_back(std::move(waiting));
  }

  ClusterView view_;
  SchedulePlan plan_;
};

}  // namespace

SchedulePlan plan_placements(ClusterView view) {
  return Placer(std::move(view)).run();
}

}  // namespace trainyard::scheduler
