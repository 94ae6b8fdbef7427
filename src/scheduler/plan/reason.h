#pragma once

#include "scheduler/plan/neighbours.h"

#include <optional>
#include <string>
#include <vector>

namespace trainyard::scheduler {

/// A gang that did not fit.
struct Misfit {
  GangKey gang;
  std::vector<const PodView*> pods;  // that wait
  std::size_t needed = 1;            // how many of them must fit at once
  const PodView* left = nullptr;     // one for which no node was found
  /// Why a node with room did not take that one: other pods on it, or missing there.
  std::optional<Neighbours::Verdict> obstacle;
};

/// "job a", "pod b": what people call a gang.
std::string gang_words(const GangKey& gang);

/// Says why pods wait, in words. Finding out what would help takes trying; of very many gangs that
/// wait only the first ones get that.
class Explainer {
 public:
  /// "0/3 nodes are available: 1 node(s) were unschedulable, 2 Insufficient memory.", of a board on
  /// which the rest of the gang lies. Notes the obstacle.
  std::string summarize(const Board& board, Misfit& misfit) const;
  /// What is short and the smallest change that would admit the gang, from a board without it:
  /// "needs 4 × nvidia.com/gpu, node-0 has …". Who needs it is not said: equal gangs share it.
  std::string advise(const Board& board, const Misfit& misfit);

 private:
  int trials_left_ = 200;
};

}  // namespace trainyard::scheduler
