#pragma once

#include "shim/files.h"
#include "shim/log/log_writer.h"
#include "shim/process/container.h"
#include "shim/process/exit_report.h"
#include "shim/process/sessions.h"
#include "shim/process/signals.h"

#include <cstdint>
#include <optional>
#include <poll.h>
#include <string>
#include <vector>

namespace trainyard::shim {

/// Watches one container from its fork to its end, in one poll loop:
///
///   starting --exec--> running --main process ends--> ending --all reaped, pipes empty--> report
///       \---exec failed------------------------------/
///
/// SIGTERM to the shim can come at any time and starts the grace period. In `ending` everything
/// that is left of the container has been sent SIGKILL.
class Supervisor {
 public:
  struct Options {
    int dir = -1;  // DIR, open
    bool namespaces = true;
    std::uint32_t grace_seconds = 30;
  };

  Supervisor(Options options, Container container, LogWriter log, Sessions sessions);

  /// Returns when nothing of the container is left and its log is on disk.
  ExitReport run();

 private:
  bool is_done(std::int64_t now) const;
  int poll_timeout(std::int64_t now) const;
  void wait_for_events();
  void read_output(Stream stream, Fd& pipe, std::int64_t now);
  void act_on_time(std::int64_t now);

  void read_start_status();
  void write_started();

  void read_signals(std::int64_t now);
  void terminate(std::int64_t now);
  std::uint32_t current_grace() const;
  void kill_all();
  void reap(std::int64_t now);
  ExitReport make_report();

  Options options_;
  Container container_;
  LogWriter log_;
  Sessions sessions_;
  std::vector<pollfd> polled_;
  SignalReader signals_;

  std::string start_text_;       // what came through the status pipe
  std::string unwritten_start_;  // DIR/started that the disk has yet to accept
  std::optional<int> main_status_;
  timespec finished_{};
  bool children_left_ = true;
  std::optional<std::int64_t> kill_at_;
  bool killed_after_grace_ = false;
  bool told_to_end_ = false;
  std::optional<std::int64_t> drain_until_;  // for pipes that somebody outside holds open
  std::optional<std::int64_t> stuck_until_;  // for a full disk
  std::int64_t retry_at_ = 0;
};

}  // namespace trainyard::shim
