#include "start_settings.h"

#include "base/crypto/ids.h"
#include "base/files/files.h"
#include "base/log.h"
#include "embedded/shim.h"
#include "flag_values.h"
#include "node/linux/nvml.h"
#include "node/node_spec.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

namespace trainyard {
namespace {

Result<std::string> load_or_make_secret(const std::filesystem::path& file) {
  auto text = read_file(file);
  if (text || !text.failed_with(Code::kNotFound)) return text;
  std::string secret = random_hex(24);
  TRY_OK(write_file(file, secret, 0600));
  return secret;
}

std::string environment_or(const char* name, const char* fallback) {
  const char* value = std::getenv(name);
  return value != nullptr && *value != '\0' ? value : fallback;
}

/// Pods that really run need a server that looks after them.
Result<> check_no_pods(const std::filesystem::path& data_dir) {
  std::error_code failed;
  const std::filesystem::directory_iterator pods(node::Paths(data_dir).pods(), failed);
  if (failed || pods == std::filesystem::directory_iterator()) return Ok();
  return Error(Code::kInvalid,
               fmt::format("--fake-runtime: there are pods in {} that were really run; choose "
                           "another folder with --data-dir",
                           data_dir.string()));
}

/// Pods find our own commands behind all others.
std::string path_of_pods() {
  std::string path = environment_or("PATH", "/usr/local/bin:/usr/bin:/bin");
  std::error_code unknown;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", unknown);
  if (!unknown) path += ":" + program.parent_path().string();
  return path;
}

}  // namespace

Result<std::filesystem::path> unpack_shim(const std::filesystem::path& data_dir) {
  const std::string_view bytes = embedded::shim().front().bytes;
  const std::filesystem::path file = data_dir / "bin" / fmt::format("shim-{:016x}", fnv1a(bytes));
  if (std::filesystem::exists(file)) return file;
  TRY_OK(make_folders(file.parent_path(), 0700));
  TRY_OK(write_file(file, bytes, 0700));
  return file;
}

Result<Identity> load_identity(const std::filesystem::path& data_dir, const std::string& host) {
  const std::filesystem::path folder = data_dir / "pki";
  TRY_OK(make_folders(folder, 0700));
  http::TlsIdentity authority;
  if (!std::filesystem::exists(folder / "ca.crt")) {
    TRY(authority, http::make_authority("trainyard"));
    TRY_OK(write_file(folder / "ca.key", authority.key_pem, 0600));
    TRY_OK(write_file(folder / "ca.crt", authority.certificate_pem, 0600));
  } else {
    TRY(authority.key_pem, read_file(folder / "ca.key"));
    TRY(authority.certificate_pem, read_file(folder / "ca.crt"));
  }
  Identity identity;
  identity.ca_pem = authority.certificate_pem;
  // The server's own certificate is made anew at each start: it costs a millisecond, and --listen
  // may have changed.
  TRY(identity.tls,
      http::make_server_certificate(authority, {host, "localhost", "127.0.0.1", "kubernetes",
                                                "kubernetes.default", "kubernetes.default.svc"}));
  TRY(identity.admin_token, load_or_make_secret(folder / "admin.token"));
  TRY(identity.session_key, load_or_make_secret(folder / "session.key"));
  return identity;
}

Result<contract::IdleLimits> idle_limits(const cli::UpOptions& options) {
  contract::IdleLimits limits;
  TRY(limits.idle_after, parse_span(options.idle_after, "--idle-after"));
  TRY(limits.suspend_after, parse_span(options.suspend_after, "--suspend-after"));
  return limits;
}

Result<node::NodeConfig> node_config(const cli::UpOptions& options, std::filesystem::path shim) {
  node::NodeConfig config;
  node::NodeFlags flags{options.nodes, options.fake_gpus, 0};
  if (!options.fake_gpus) {
    // A driver that does not work is no reason to run nothing at all.
    const auto gpus = node::find_gpus();
    if (!gpus) log_warn("no GPUs", {{"cause", gpus.error().message()}});
    if (gpus) flags.found_gpus = static_cast<std::int64_t>(gpus->size());
  }
  TRY(config.nodes, node::read_nodes(flags));
  TRY(config.log.limit, parse_size(options.log_limit, "--log-limit"));
  TRY(config.kept_logs.age, parse_age(options.keep_logs, "--keep-logs"));
  TRY(config.kept_logs.bytes, parse_size(options.keep_logs_size, "--keep-logs-size"));
  TRY(config.activity.quiet, parse_span(options.stall_after, "--stall-after"));
  TRY(config.kept_usage.age, parse_age(options.keep_usage, "--keep-usage"));
  TRY(config.kept_usage.bytes, parse_size(options.keep_usage_size, "--keep-usage-size"));
  // A small limit is kept by small files: the newest two always stay.
  if (config.log.limit > 0) {
    config.log.segment = std::clamp<std::int64_t>(config.log.limit / 4, 4096, config.log.segment);
  }
  config.data_dir = options.data_dir;
  config.shim = std::move(shim);
  config.path = path_of_pods();
  config.home = environment_or("HOME", "/");
  config.strict_images = options.strict_images;
  config.fake_runtime = options.fake_runtime;
  if (config.fake_runtime) TRY_OK(check_no_pods(options.data_dir));
  return config;
}

}  // namespace trainyard
