#pragma once

#include "scheduler/plan/board.h"

#include <cstddef>
#include <vector>

namespace trainyard::scheduler {

/// Pods of a gang that ask for the same, and are placed alike.
struct PodClass {
  std::vector<const PodView*> pods;
  const Needs& needs() const { return *pods.front()->needs; }
};

/// Pods that ask for the same together; where somebody keeps pods away by their labels, only those
/// with the same labels.
std::vector<PodClass> classify(const Board& board, const std::vector<const PodView*>& pods);

struct GangOutcome {
  std::size_t put = 0;                  // how many pods now lie on the board
  const PodView* first_left = nullptr;  // one of the first kind that did not fit whole
  /// How many of that kind the board took before anything of the gang lay on it; an upper bound for
  /// every later look, as room only shrinks while a plan is made. Unset when neighbours decide.
  std::int64_t most = -1;
};

/// Puts as many of the pods down as fit, on as few nodes as it can: the fullest nodes first, those
/// that the gang uses already before others. Whether that is enough is the caller's to say.
GangOutcome put_gang(Board& board, const std::vector<const PodView*>& pods);

}  // namespace trainyard::scheduler
