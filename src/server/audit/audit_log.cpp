#include "server/audit/audit_log.h"

#include "base/log.h"

#include <boost/asio/post.hpp>

#include <algorithm>
#include <utility>

namespace trainyard::server {

AuditLog::~AuditLog() {
  thread_.join();
}

bool AuditLog::is_one_too_many(const contract::AuditEntry& entry) {
  if (!entry.user.empty()) return false;
  const TimePoint now = clock_.now();
  const std::chrono::duration<double> rested = now - std::exchange(tokens_at_, now);
  tokens_ = std::min(kStrangersAtOnce, tokens_ + rested.count());
  if (tokens_ < 1) return true;
  tokens_ -= 1;
  return false;
}

void AuditLog::leave_out() {
  ++left_out_;
  ++lost_;
}

void AuditLog::add(contract::AuditEntry entry) {
  if (is_one_too_many(entry) || waiting_ >= kMostWaiting) {
    leave_out();
    return;
  }
  ++waiting_;
  entry.time = clock_.wall();
  boost::asio::post(thread_, [this, entry = std::move(entry)]() mutable {
    write(std::move(entry));
    --waiting_;
  });
}

void AuditLog::write(contract::AuditEntry entry) {
  entry.left_out = left_out_.exchange(0);
  const Result<> written = file_.append(contract::to_line(entry));
  if (!written) {
    left_out_ += entry.left_out;
    leave_out();
    if (!std::exchange(failing_, true)) {
      log_error("lines of the audit log are lost", {{"cause", written.error().message()}});
    }
    return;
  }
  if (std::exchange(failing_, false)) {
    log_warn("the audit log is written again", {{"lost", entry.left_out}});
  }
}

}  // namespace trainyard::server
