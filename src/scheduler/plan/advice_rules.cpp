#include "scheduler/plan/advice.h"
#include "scheduler/plan/suitability.h"

#include <fmt/format.h>

#include <algorithm>

namespace trainyard::scheduler {
namespace {

using Operator = Requirement::Operator;

const char* effect_word(Effect effect) {
  switch (effect) {
    case Effect::kNoSchedule:
      return "NoSchedule";
    case Effect::kNoExecute:
      return "NoExecute";
    case Effect::kPreferNoSchedule:
      break;
  }
  return "PreferNoSchedule";
}

std::string taint_advice(const NodeView& node, const Taint& taint) {
  const char* effect = effect_word(taint.effect);
  if (taint.key.starts_with("node.kubernetes.io/")) {
    return fmt::format("{} says of itself {}", node.name, taint.key);
  }
  return fmt::format(
      "{0} has the taint {1}={2}:{3}, tolerate it or `kubectl taint node {0} {1}:{3}-`", node.name,
      taint.key, taint.value, effect);
}

/// The command that makes a requirement hold; empty when no label does.
std::string label_command(const std::string& node, const Requirement& requirement) {
  switch (requirement.op) {
    case Operator::kIn:
      if (requirement.values.empty()) return {};
      return fmt::format("`kubectl label node {} {}={}`", node, requirement.key,
                         requirement.values.front());
    case Operator::kExists:
      return fmt::format("`kubectl label node {} {}=`", node, requirement.key);
    case Operator::kNotIn:
    case Operator::kDoesNotExist:
      return fmt::format("`kubectl label node {} {}-`", node, requirement.key);
    default:
      return {};
  }
}

/// What of the node's labels and name is not as asked; of several alternatives the first.
Requirements failing(const NodeView& node, const Needs& needs) {
  Requirements failed;
  for (const Requirement& one : needs.node_selector) {
    if (!holds(one, node.labels)) failed.push_back(one);
  }
  if (!failed.empty() || needs.node_terms.empty()) return failed;
  const JsonObject fields{{"metadata.name", node.name}};
  for (const Requirement& one : needs.node_terms.front().names) {
    if (!holds(one, fields)) failed.push_back(one);
  }
  for (const Requirement& one : needs.node_terms.front().labels) {
    if (!holds(one, node.labels)) failed.push_back(one);
  }
  return failed;
}

std::string affinity_advice(const NodeView& node, const Needs& needs) {
  const Requirements failed = failing(node, needs);
  if (failed.empty()) return "its node affinity has no term that any node could match";
  std::string commands;
  for (const Requirement& one : failed) {
    if (one.key == "metadata.name") continue;
    const std::string command = label_command(node.name, one);
    if (!command.empty()) commands += (commands.empty() ? "" : " and ") + command;
  }
  std::string text = fmt::format("no node is {}", to_words(failed));
  if (!commands.empty()) text += fmt::format(", {} would let it in", commands);
  return text;
}

std::string refusal_advice(const NodeView& node, const Needs& needs, Refusal refusal) {
  switch (refusal) {
    case Refusal::kUnschedulable:
      return fmt::format("{0} is cordoned (unschedulable), `kubectl uncordon {0}` opens it",
                         node.name);
    case Refusal::kTaint:
      return taint_advice(node, *untolerated_taint(node, needs));
    case Refusal::kAffinity:
      return affinity_advice(node, needs);
    case Refusal::kNone:
      break;
  }
  return {};
}

}  // namespace

std::string advise_on_rules(const Board& board, const Misfit& misfit) {
  const Needs& needs = *misfit.left->needs;
  Board::Index nearest = 0;
  std::size_t fewest = 99;
  for (Board::Index i = 0; i < board.size(); ++i) {
    const std::size_t refusals = all_refusals(board.node(i), needs).size();
    if (refusals < fewest) {
      fewest = refusals;
      nearest = i;
    }
  }
  const NodeView& node = board.node(nearest);
  std::vector<std::string> parts;
  for (const Refusal refusal : all_refusals(node, needs)) {
    parts.push_back(refusal_advice(node, needs, refusal));
  }
  return fmt::format("waits: {}", fmt::join(parts, "; and "));
}

std::string advise_on_neighbours(const Misfit& misfit) {
  const Neighbours::Verdict verdict = *misfit.obstacle;
  const Needs& needs = *misfit.left->needs;
  const auto selector = [](const std::optional<Requirements>& meant) {
    return meant && !meant->empty() ? to_words(*meant) : std::string("any label");
  };
  if (verdict == Neighbours::Verdict::kAffinity && !needs.near.empty()) {
    const PodTerm& term = needs.near.front();
    return fmt::format("waits for a pod with {} to be placed within reach (the same {})",
                       selector(term.selector), term.topology);
  }
  if (verdict == Neighbours::Verdict::kAntiAffinity && !needs.apart.empty()) {
    const PodTerm& term = needs.apart.front();
    return fmt::format(
        "may not share a {} with pods that have {}: waits for one of them to end, "
        "or add a node in --nodes",
        term.topology, selector(term.selector));
  }
  if (verdict == Neighbours::Verdict::kSpread) {
    const auto required = std::find_if(needs.spreads.begin(), needs.spreads.end(),
                                       [](const Spread& spread) { return spread.required; });
    return fmt::format(
        "would be spread more unevenly over {} than maxSkew {} allows: waits for "
        "room elsewhere, or raise maxSkew",
        required->topology, required->max_skew);
  }
  return "waits for pods to end that keep others away by their anti-affinity";
}

}  // namespace trainyard::scheduler
