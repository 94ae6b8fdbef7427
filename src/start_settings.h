#pragma once

#include "cli/command/server_process.h"
#include "contract/web_apps.h"
#include "http/certificate.h"
#include "node/config.h"
#include "server/audit/audit_file.h"

#include <filesystem>
#include <string>

namespace trainyard {

/// What a server starts with, from its flags, its data folder and the machine.

/// The shim outlives this process and this binary: it gets a place of its own, by content.
Result<std::filesystem::path> unpack_shim(const std::filesystem::path& data_dir);

struct Identity {
  http::TlsIdentity tls;
  std::string ca_pem;
  std::string admin_token;
  std::string session_key;
};
Result<Identity> load_identity(const std::filesystem::path& data_dir, const std::string& host);

Result<contract::IdleLimits> idle_limits(const cli::UpOptions& options);
Result<server::AuditLimits> audit_limits(const cli::UpOptions& options);
Result<node::NodeConfig> node_config(const cli::UpOptions& options, std::filesystem::path shim);

}  // namespace trainyard
