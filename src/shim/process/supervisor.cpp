#include "shim/process/supervisor.h"

#include "shim/process/descendants.h"
#include "shim/spec.h"
#include "shim/stamp.h"

#include <algorithm>
#include <array>
#include <poll.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <utility>

namespace trainyard::shim {
namespace {

constexpr std::int64_t kDrainMs = 2'000;
/// How long the end of a container waits for a full disk to take the rest of its log: who told it
/// to end does not wait for its last lines.
constexpr std::int64_t kStuckMs = 30'000;
constexpr std::int64_t kStuckWhenToldMs = 1'000;
constexpr std::int64_t kRetryMs = 250;
/// How often it looks again whether everything that was killed is gone.
constexpr std::int64_t kReapMs = 10;

/// What nobody has read of a stream.
std::size_t waiting_in(const Fd& pipe) {
  int bytes = 0;
  if (!pipe.valid() || ::ioctl(pipe.get(), FIONREAD, &bytes) != 0 || bytes < 0) return 0;
  return static_cast<std::size_t>(bytes);
}

}  // namespace

Supervisor::Supervisor(Options options, Container container, LogWriter log, Sessions sessions)
    : options_(options),
      container_(std::move(container)),
      log_(std::move(log)),
      sessions_(std::move(sessions)) {}

ExitReport Supervisor::run() {
  while (!is_done(steady_ms())) wait_for_events();
  return make_report();
}

bool Supervisor::is_done(std::int64_t now) const {
  if (!main_status_ || children_left_) return false;
  if (log_.is_stuck()) return now >= *stuck_until_;
  bool drained = !container_.out.valid() && !container_.err.valid();
  return (drained && !container_.status.valid()) || now >= *drain_until_;
}

int Supervisor::poll_timeout(std::int64_t now) const {
  std::int64_t wake = now + 3'600'000;
  auto at = [&](std::int64_t time) { wake = std::min(wake, time); };
  if (kill_at_) at(*kill_at_);
  if (auto flush = log_.next_flush_ms()) at(*flush);
  if (log_.is_stuck() || !unwritten_start_.empty()) at(retry_at_);
  if (main_status_ && children_left_) at(now + kReapMs);
  if (main_status_ && !children_left_ && !log_.is_stuck()) at(*drain_until_);
  return static_cast<int>(std::max<std::int64_t>(wake - now, 0));
}

void Supervisor::wait_for_events() {
  // A full disk: what is not read stays in the pipe, and the container waits.
  bool reads = !log_.is_stuck();
  polled_ = {{signals_.fd(), POLLIN, 0},
             {container_.status.get(), POLLIN, 0},
             {reads ? container_.out.get() : -1, POLLIN, 0},
             {reads ? container_.err.get() : -1, POLLIN, 0}};
  constexpr std::size_t kOwn = 4;
  sessions_.add_polled(polled_);
  ::poll(polled_.data(), polled_.size(), poll_timeout(steady_ms()));
  std::int64_t now = steady_ms();
  if (polled_[1].revents != 0) read_start_status();
  if (polled_[2].revents != 0) read_output(Stream::kStdout, container_.out, now);
  if (polled_[3].revents != 0) read_output(Stream::kStderr, container_.err, now);
  sessions_.handle(polled_.data() + kOwn, polled_.size() - kOwn);
  read_signals(now);
  reap(now);
  act_on_time(now);
}

void Supervisor::read_output(Stream stream, Fd& pipe, std::int64_t now) {
  if (log_.is_stuck()) return;
  if (log_.take(stream, pipe.get(), now) == LogWriter::Took::kEnd) pipe.reset();
  if (sessions_.has_attached()) log_.flush_now();
  if (log_.is_stuck()) retry_at_ = now + kRetryMs;
}

void Supervisor::act_on_time(std::int64_t now) {
  if (kill_at_ && now >= *kill_at_) {
    killed_after_grace_ = true;
    kill_at_.reset();
    kill_all();
  }
  log_.flush_silent(now);  // also tries again what the disk refused
  // The time for draining counts from when the disk has room again.
  if (log_.is_stuck() && drain_until_) drain_until_ = now + kDrainMs;
  if (now < retry_at_) return;
  if (!unwritten_start_.empty()) write_started();
  retry_at_ = now + kRetryMs;
}

void Supervisor::read_start_status() {
  std::array<char, 4096> buffer;
  ssize_t count = ::read(container_.status.get(), buffer.data(), buffer.size());
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (count > 0) {
    start_text_.append(buffer.data(), static_cast<std::size_t>(count));
    return;
  }
  container_.status.reset();
  if (!start_text_.empty()) return;
  unwritten_start_ = format_stamp(wall_now()) + "\n";
  write_started();
}

void Supervisor::write_started() {
  if (replace_file(options_.dir, "started", unwritten_start_, Sync::kNo)) unwritten_start_.clear();
}

void Supervisor::read_signals(std::int64_t now) {
  for (auto signal = signals_.next(); signal.number != 0; signal = signals_.next()) {
    if (signal.number != SIGTERM) continue;
    // `kill 1` inside a container means its main process, as if that were PID 1 itself.
    bool from_inside = options_.namespaces && signal.sender != 0;
    if (!from_inside) {
      terminate(now);
    } else if (!main_status_) {
      ::kill(container_.pid, SIGTERM);
    }
  }
}

void Supervisor::terminate(std::int64_t now) {
  told_to_end_ = true;
  if (main_status_) stuck_until_ = std::min(stuck_until_.value_or(now), now);
  if (main_status_ || killed_after_grace_) return;
  // Only once: many programs take a second SIGTERM for "stop cleaning up".
  if (!kill_at_) ::kill(container_.pid, SIGTERM);
  std::int64_t deadline = now + std::int64_t{current_grace()} * 1000;
  kill_at_ = std::min(kill_at_.value_or(deadline), deadline);
}

std::uint32_t Supervisor::current_grace() const {
  auto text = read_file(options_.dir, "grace");
  auto seconds = text ? parse_number(*text) : std::nullopt;
  constexpr std::uint64_t kMost = UINT32_MAX;
  return seconds ? static_cast<std::uint32_t>(std::min(*seconds, kMost)) : options_.grace_seconds;
}

void Supervisor::kill_all() {
  if (options_.namespaces) {
    kill_namespace();
  } else {
    kill_descendants();
  }
}

void Supervisor::reap(std::int64_t now) {
  int status = 0;
  pid_t pid = 0;
  while ((pid = ::waitpid(-1, &status, WNOHANG)) > 0) {
    if (pid != container_.pid) {
      sessions_.on_child_end(pid, status);
      continue;
    }
    sessions_.close();
    main_status_ = status;
    finished_ = wall_now();
    kill_at_.reset();
  }
  if (!main_status_) return;
  children_left_ = pid == 0 || errno != ECHILD;
  if (children_left_) kill_all();
  if (!children_left_ && !drain_until_) drain_until_ = now + kDrainMs;
  if (!children_left_ && !stuck_until_) {
    stuck_until_ = now + (told_to_end_ ? kStuckWhenToldMs : kStuckMs);
  }
}

ExitReport Supervisor::make_report() {
  bool log_is_whole = log_.finish();
  ExitReport report = start_text_.empty()
                          ? report_of_status(*main_status_, finished_)
                          : report_of_failure(parse_start_failure(start_text_), finished_);
  if (killed_after_grace_ && report.signal == SIGKILL) {
    report.message = "killed: it did not end within the grace period after SIGTERM";
  }
  if (!log_is_whole) {
    report.lost_bytes = log_.unwritten() + waiting_in(container_.out) + waiting_in(container_.err);
    report.message += report.message.empty() ? "" : "; ";
    report.message += "the end of the log was lost (" + std::to_string(report.lost_bytes) +
                      " bytes), because the disk is full or failing";
  }
  return report;
}

}  // namespace trainyard::shim
