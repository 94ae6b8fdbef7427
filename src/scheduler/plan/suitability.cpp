#include "scheduler/plan/suitability.h"

#include <algorithm>

namespace trainyard::scheduler {
namespace {

constexpr std::int64_t kAvoidance = 10'000;  // more than all weights of a pod's preferences

const Taint kCordon{"node.kubernetes.io/unschedulable", "", Effect::kNoSchedule};

bool matches_term(const NodeView& node, const NodeTerm& term) {
  if (term.labels.empty() && term.names.empty()) return false;  // an empty term matches nothing
  if (!all_hold(term.labels, node.labels)) return false;
  if (term.names.empty()) return true;
  const JsonObject fields{{"metadata.name", node.name}};
  return all_hold(term.names, fields);
}

bool is_cordoned_for(const NodeView& node, const Needs& needs) {
  return node.unschedulable && !tolerates(needs.tolerations, kCordon);
}

}  // namespace

bool tolerates(const Toleration& toleration, const Taint& taint) {
  if (toleration.effect && *toleration.effect != taint.effect) return false;
  if (!toleration.key.empty() && toleration.key != taint.key) return false;
  if (toleration.key.empty() && !toleration.any_value) return false;
  return toleration.any_value || toleration.value == taint.value;
}

bool tolerates(const std::vector<Toleration>& tolerations, const Taint& taint) {
  return std::any_of(tolerations.begin(), tolerations.end(),
                     [&](const Toleration& toleration) { return tolerates(toleration, taint); });
}

bool matches_affinity(const NodeView& node, const Needs& needs) {
  if (!all_hold(needs.node_selector, node.labels)) return false;
  if (!needs.has_node_terms) return true;
  return std::any_of(needs.node_terms.begin(), needs.node_terms.end(),
                     [&](const NodeTerm& term) { return matches_term(node, term); });
}

const Taint* untolerated_taint(const NodeView& node, const Needs& needs) {
  for (const Taint& taint : node.taints) {
    if (taint.effect != Effect::kPreferNoSchedule && !tolerates(needs.tolerations, taint)) {
      return &taint;
    }
  }
  return nullptr;
}

Suitability check_node(const NodeView& node, const Needs& needs) {
  if (is_cordoned_for(node, needs)) return {Refusal::kUnschedulable, nullptr};
  if (const Taint* taint = untolerated_taint(node, needs)) return {Refusal::kTaint, taint};
  if (!matches_affinity(node, needs)) return {Refusal::kAffinity, nullptr};
  return {};
}

std::vector<Refusal> all_refusals(const NodeView& node, const Needs& needs) {
  std::vector<Refusal> refusals;
  if (is_cordoned_for(node, needs)) refusals.push_back(Refusal::kUnschedulable);
  if (untolerated_taint(node, needs) != nullptr) refusals.push_back(Refusal::kTaint);
  if (!matches_affinity(node, needs)) refusals.push_back(Refusal::kAffinity);
  return refusals;
}

std::int64_t preference(const NodeView& node, const Needs& needs) {
  std::int64_t sum = 0;
  for (const NodeTerm& term : needs.preferred_nodes) {
    if (matches_term(node, term)) sum += term.weight;
  }
  for (const Taint& taint : node.taints) {
    if (taint.effect == Effect::kPreferNoSchedule && !tolerates(needs.tolerations, taint)) {
      sum -= kAvoidance;
    }
  }
  return sum;
}

}  // namespace trainyard::scheduler
