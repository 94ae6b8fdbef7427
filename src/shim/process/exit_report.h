#pragma once

#include "shim/failure.h"

#include <cstddef>
#include <ctime>
#include <string>
#include <string_view>

namespace trainyard::shim {

/// How the container ended: the content of DIR/exit.
struct ExitReport {
  int code = 0;
  int signal = 0;
  timespec finished{};
  std::string message;
  bool start_error = false;
  bool out_of_memory = false;
  std::size_t lost_bytes = 0;  // of the end of its log, for which there was no room
};

/// No report is longer: this much is reserved on disk before the container starts.
inline constexpr std::size_t kExitReportLimit = 4096;

/// From waitpid()'s status; code is 128 + signal when a signal ended it.
ExitReport report_of_status(int wait_status, const timespec& finished);
ExitReport report_of_failure(const Failure& failure, const timespec& finished);

/// The kernel has killed something in the container because it reached `limit`. One that has ended
/// well all the same did not need what was killed.
void blame_memory(ExitReport& report, std::string_view limit);

/// `key=value` lines; the message is brought onto one line and cut to fit.
std::string format_report(const ExitReport& report);

/// Keeps trying for a while when the disk is full, although its room was reserved: nobody else
/// knows how the container ended. But a container that has ended must be gone some day.
void write_report(int dir, const ExitReport& report);

}  // namespace trainyard::shim
