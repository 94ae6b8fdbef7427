#pragma once

#include "base/files/unique_fd.h"
#include "base/result.h"

#include <cstdint>
#include <filesystem>
#include <string_view>

namespace trainyard::server {

/// How much of the audit log is kept.
struct AuditLimits {
  std::int64_t bytes = 64 << 20;  // of one file
  int kept = 4;                   // full ones, beside the one that is written
};

/// DATA_DIR/audit.log and its elder brothers. Waits for the disk: for a thread of its own.
class AuditFile {
 public:
  AuditFile(std::filesystem::path data_dir, AuditLimits limits)
      : data_dir_(std::move(data_dir)), limits_(limits) {}

  /// Appends in one write; a line is there whole or not at all.
  Result<> append(std::string_view line);

 private:
  Result<> open();
  Result<> rotate();
  bool was_moved() const;

  std::filesystem::path data_dir_;
  AuditLimits limits_;
  UniqueFd file_;
  std::int64_t size_ = 0;
};

}  // namespace trainyard::server
