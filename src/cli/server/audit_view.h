#pragma once

#include "contract/audit_entry.h"

#include <string>

namespace trainyard::cli {

/// The heading of the audit log's table. Its columns have their widths before there are rows, since
/// rows may come for ever.
std::string audit_heading();
/// A row; above it one that says how many are missing, if some are. What could be taken for
/// something else (blanks, quotes, control characters) is quoted and escaped.
std::string audit_row(const contract::AuditEntry& entry);

}  // namespace trainyard::cli
