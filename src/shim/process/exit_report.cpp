#include "shim/process/exit_report.h"

#include "shim/files.h"
#include "shim/stamp.h"

#include <signal.h>
#include <sys/wait.h>

namespace trainyard::shim {

ExitReport report_of_status(int wait_status, const timespec& finished) {
  ExitReport report;
  report.finished = finished;
  if (WIFSIGNALED(wait_status)) {
    report.signal = WTERMSIG(wait_status);
    report.code = 128 + report.signal;
    if (report.signal == SIGSYS) {
      report.message =
          "killed: it made a system call that containers do not have, as 32-bit programs do";
    }
  } else {
    report.code = WEXITSTATUS(wait_status);
  }
  return report;
}

ExitReport report_of_failure(const Failure& failure, const timespec& finished) {
  ExitReport report;
  report.code = failure.code;
  report.finished = finished;
  report.message = failure.message;
  report.start_error = true;
  return report;
}

void blame_memory(ExitReport& report, std::string_view limit) {
  if (report.code == 0 || report.start_error) return;
  report.out_of_memory = true;
  if (!report.message.empty()) report.message += "; ";
  report.message += "killed by the kernel: the container has used up its memory limit of ";
  report.message += limit;
}

std::string format_report(const ExitReport& report) {
  constexpr std::size_t kOtherLines = 256;
  std::string message = report.message.substr(0, kExitReportLimit - kOtherLines);
  for (char& character : message) {
    if (static_cast<unsigned char>(character) < ' ') character = ' ';
  }
  return "code=" + std::to_string(report.code) + "\nsignal=" + std::to_string(report.signal) +
         "\nfinished=" + format_stamp(report.finished) + "\nmessage=" + message + "\n" +
         (report.start_error     ? "reason=StartError\n"
          : report.out_of_memory ? "reason=OOMKilled\n"
                                 : "") +
         (report.lost_bytes > 0 ? "lost=" + std::to_string(report.lost_bytes) + "\n" : "");
}

void write_report(int dir, const ExitReport& report) {
  constexpr unsigned kPauseMicroseconds = 250'000;
  constexpr int kTries = 20;
  std::string text = format_report(report);
  for (int i = 0; i < kTries && !replace_file(dir, "exit", text, Sync::kYes); ++i) {
    // Other errors (the server deleted the folder, a broken disk) do not get better by waiting.
    if (errno != ENOSPC && errno != EDQUOT) return;
    ::usleep(kPauseMicroseconds);
  }
}

}  // namespace trainyard::shim
