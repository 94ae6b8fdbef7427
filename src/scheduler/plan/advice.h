#pragma once

#include "scheduler/plan/reason.h"

#include <string>
#include <vector>

namespace trainyard::scheduler {

/// No node may take the pod, however much room there is: which node comes closest, and what would
/// let it in.
std::string advise_on_rules(const Board& board, const Misfit& misfit);

/// Nodes suit and have room, but other pods on them are in the way, or missing.
std::string advise_on_neighbours(const Misfit& misfit);

/// The nodes in `suitable` would take the pods and have too little room: who has it, whose end
/// would help, or which flag. `trials`: how often placing may still be tried out for that.
std::string advise_on_room(const Board& board, const Misfit& misfit,
                           const std::vector<Board::Index>& suitable, int& trials);

}  // namespace trainyard::scheduler
