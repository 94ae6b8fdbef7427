#pragma once

#include "contract/audit_entry.h"
#include "server/access/access.h"

namespace trainyard::server {

/// Whether a request is written into the audit log: it changes something, opens a session, reads
/// Secrets, or was refused. `status`: of its answer; 0: who asked had gone before.
bool is_audited(const Access& access, const http::Query& query, int status);

/// What is known of a request before it is answered.
contract::AuditEntry audit_entry(const Access& access, const http::Request& request);

}  // namespace trainyard::server
