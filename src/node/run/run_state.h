#pragma once

#include "base/clock.h"

#include <cstdint>
#include <optional>
#include <string>

namespace trainyard::node {

/// How a run of a container stands, as its folder tells it.
///
///   kAbsent ── start() ──> kStarting ──> kRunning ──> kEnded
///                              └────────────────────────^   (could not start)
struct RunState {
  enum class Phase : std::uint8_t { kAbsent, kStarting, kRunning, kEnded };
  Phase phase = Phase::kAbsent;
  std::optional<WallTime> started;   // when it runs or ran
  std::optional<WallTime> finished;  // when ended
  std::int64_t exit_code = 0;
  std::int64_t signal = 0;
  std::string reason;           // Completed, Error, StartError, NodeRebooted, Lost
  std::string message;          // for people; may be empty
  std::string telling_line;     // of its log, where it failed; may be empty
  std::int64_t lost_bytes = 0;  // of the end of its log, on a full disk

  bool lives() const { return phase == Phase::kStarting || phase == Phase::kRunning; }
  bool runs() const { return phase == Phase::kRunning; }
  bool has_ended() const { return phase == Phase::kEnded; }
  bool has_succeeded() const { return has_ended() && exit_code == 0; }
};

}  // namespace trainyard::node
