#include "scheduler/plan/reason.h"

#include "scheduler/plan/advice.h"
#include "scheduler/plan/suitability.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

namespace trainyard::scheduler {
namespace {

using Verdict = Neighbours::Verdict;

const char* verdict_words(Verdict verdict) {
  switch (verdict) {
    case Verdict::kAffinity:
      return "node(s) didn't match pod affinity rules";
    case Verdict::kAntiAffinity:
      return "node(s) didn't match pod anti-affinity rules";
    case Verdict::kOthersAntiAffinity:
      return "node(s) didn't satisfy existing pods anti-affinity rules";
    case Verdict::kSpread:
      return "node(s) didn't match pod topology spread constraints";
    case Verdict::kWelcome:
      break;
  }
  return "";
}

std::vector<std::string> room_words(const Board& board, Board::Index node, const Needs& needs) {
  std::vector<std::string> words;
  for (ResourceId id = 0; id < needs.requests.size(); ++id) {
    const std::int64_t wanted = needs.requests[id];
    if (wanted <= 0 || !board.counts(id) || board.free(node, id) >= wanted) continue;
    words.push_back(id == kPodCount ? "Too many pods"
                                    : "Insufficient " + board.cluster().resources().name(id));
  }
  return words;
}

/// Why a node does not take the pod, as Kubernetes words it.
std::vector<std::string> node_words(const Board& board, Board::Index index, Misfit& misfit,
                                    const std::optional<Neighbours>& neighbours) {
  const Needs& needs = *misfit.left->needs;
  const Suitability suitability = check_node(board.node(index), needs);
  switch (suitability.refusal) {
    case Refusal::kUnschedulable:
      return {"node(s) were unschedulable"};
    case Refusal::kTaint:
      return {fmt::format("node(s) had untolerated taint {{{}: {}}}", suitability.taint->key,
                          suitability.taint->value)};
    case Refusal::kAffinity:
      return {"node(s) didn't match Pod's node affinity/selector"};
    case Refusal::kNone:
      break;
  }
  std::vector<std::string> words = room_words(board, index, needs);
  if (!words.empty() || !neighbours) return words;
  const Verdict verdict = neighbours->check(index);
  if (verdict == Verdict::kWelcome) return {};
  misfit.obstacle = verdict;
  return {verdict_words(verdict)};
}

std::optional<Neighbours> neighbours_of(const Board& board, const PodView& pod) {
  if (!pod.needs->depends_on_pods() && !board.has_loners()) return std::nullopt;
  return std::optional<Neighbours>(std::in_place, board, pod);
}

}  // namespace

std::string gang_words(const GangKey& gang) {
  return (gang.alone ? "pod " : "job ") + gang.name;
}

std::string Explainer::summarize(const Board& board, Misfit& misfit) const {
  if (board.size() == 0) return "no nodes available to schedule pods.";
  const std::optional<Neighbours> neighbours = neighbours_of(board, *misfit.left);
  std::map<std::string, int> counts;
  for (Board::Index i = 0; i < board.size(); ++i) {
    for (std::string& words : node_words(board, i, misfit, neighbours)) ++counts[std::move(words)];
  }
  std::vector<std::string> parts;
  for (const auto& [words, count] : counts) parts.push_back(fmt::format("{} {}", count, words));
  std::sort(parts.begin(), parts.end());
  return fmt::format("0/{} nodes are available{}{}.", board.size(), parts.empty() ? "" : ": ",
                     fmt::join(parts, ", "));
}

std::string Explainer::advise(const Board& board, const Misfit& misfit) {
  const Needs& needs = *misfit.left->needs;
  if (board.size() == 0) {
    return "waits for a node: a restart of the server registers this machine again";
  }
  if (!needs.unsupported.empty()) {
    return fmt::format("asks for {}, which this scheduler does not support: remove it",
                       fmt::join(needs.unsupported, " and "));
  }
  std::vector<Board::Index> suitable;
  for (Board::Index i = 0; i < board.size(); ++i) {
    if (check_node(board.node(i), needs).refusal == Refusal::kNone) suitable.push_back(i);
  }
  if (suitable.empty()) return advise_on_rules(board, misfit);
  if (misfit.obstacle) return advise_on_neighbours(misfit);
  return advise_on_room(board, misfit, suitable, trials_left_);
}

}  // namespace trainyard::scheduler
