#pragma once

#include "base/clock.h"
#include "contract/audit_entry.h"
#include "server/audit/audit_file.h"

#include <boost/asio/thread_pool.hpp>

#include <atomic>
#include <cstdint>

namespace trainyard::server {

/// Who did what to what: see contract::AuditEntry. add() is called on the loop and never waits: a
/// thread writes. Where it cannot, or cannot keep up, lines are left out: the log says so once, the
/// next line that is written says how many, and nobody's request fails for it.
class AuditLog {
 public:
  AuditLog(std::filesystem::path data_dir, AuditLimits limits, const Clock& clock)
      : clock_(clock), file_(std::move(data_dir), limits), tokens_at_(clock.now()) {}
  /// Writes what was handed over.
  ~AuditLog();
  AuditLog(const AuditLog&) = delete;
  AuditLog& operator=(const AuditLog&) = delete;

  /// Gives the entry its time.
  void add(contract::AuditEntry entry);
  /// Lines that were not written since the start.
  std::uint64_t lost() const { return lost_; }

  /// Who is known to nobody cannot push out what others did: so many refusals of strangers are
  /// written at once, and then one a second.
  static constexpr double kStrangersAtOnce = 200;
  static constexpr std::size_t kMostWaiting = 10'000;

 private:
  bool is_one_too_many(const contract::AuditEntry& entry);
  void leave_out();
  void write(contract::AuditEntry entry);

  const Clock& clock_;
  AuditFile file_;        // of the thread
  bool failing_ = false;  // of the thread
  double tokens_ = kStrangersAtOnce;
  TimePoint tokens_at_;
  std::atomic<std::size_t> waiting_ = 0;
  std::atomic<std::uint64_t> left_out_ = 0;  // and no line has said so yet
  std::atomic<std::uint64_t> lost_ = 0;
  boost::asio::thread_pool thread_{1};
};

}  // namespace trainyard::server
