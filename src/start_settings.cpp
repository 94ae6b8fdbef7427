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
#include <cctype>
#include <cstdlib>
#include <optional>
#include <unistd.h>

namespace trainyard {
namespace {

/// Long enough not to be guessed, and what a header can hold. Whoever has put in one of their own
/// may have left the end of a line.
std::optional<std::string> secret_in(std::string_view text) {
  constexpr std::size_t kShortest = 32;
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.remove_suffix(1);
  const bool usable = std::all_of(text.begin(), text.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 || (c != 0 && std::string_view("-._~+/=").find(
                                                  static_cast<char>(c)) != std::string_view::npos);
  });
  if (!usable || text.size() < kShortest) return std::nullopt;
  return std::string(text);
}

/// `consequence`: of having another one from now on.
Result<std::string> load_or_make_secret(const std::filesystem::path& file,
                                        const char* consequence) {
  const auto text = read_file(file);
  if (!text && !text.failed_with(Code::kNotFound)) return text.error();
  if (text) {
    if (auto known = secret_in(*text)) return *std::move(known);
    log_warn("a secret that was empty or damaged is made anew",
             {{"file", file.string()}, {"consequence", consequence}});
  }
  std::string secret = random_hex(24);
  TRY_OK(write_file(file, secret, 0600));
  return secret;
}

/// Made at the first start, and never after: everybody's kubeconfig names it. The certificate is
/// written last, so a first start that was cut short left a key alone, and no store.
Result<http::TlsIdentity> load_authority(const std::filesystem::path& data_dir) {
  const std::filesystem::path key_file = data_dir / "pki" / "ca.key";
  const std::filesystem::path certificate_file = data_dir / "pki" / "ca.crt";
  const auto is_there = [](const std::filesystem::path& file) {
    std::error_code unknown;
    return std::filesystem::exists(file, unknown) || unknown;
  };
  const auto refuse = [&](const std::string& why) {
    return Error(Code::kInvalid,
                 fmt::format("{} and {} are no certificate authority ({}): put both back from a "
                             "backup, or remove both; the server then makes a new one, and "
                             "everybody needs a new kubeconfig",
                             certificate_file.string(), key_file.string(), why));
  };
  const bool used = is_there(data_dir / "store.db");
  const bool has_certificate = is_there(certificate_file);
  http::TlsIdentity authority;
  if (has_certificate && is_there(key_file)) {
    TRY(authority.key_pem, read_file(key_file));
    TRY(authority.certificate_pem, read_file(certificate_file));
    if (auto usable = http::check_authority(authority); !usable) {
      return refuse(usable.error().message());
    }
    return authority;
  }
  if (has_certificate) return refuse("the key is missing");
  if (used && is_there(key_file)) return refuse("the certificate is missing");
  if (used) {
    log_warn("there is a new certificate authority: everybody needs a new kubeconfig",
             {{"file", certificate_file.string()}});
  }
  TRY(authority, http::make_authority("trainyard"));
  TRY_OK(write_file(key_file, authority.key_pem, 0600));
  TRY_OK(write_file(certificate_file, authority.certificate_pem, 0600));
  return authority;
}

bool is_whole_program(const std::filesystem::path& file, std::string_view bytes) {
  const auto content = read_file(file);
  return content && *content == bytes && ::access(file.c_str(), X_OK) == 0;
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
  // Another one than ours is for tests of what an earlier version has started.
  if (const char* given = std::getenv("TRAINYARD_SHIM")) return std::filesystem::path(given);
  const std::string_view bytes = embedded::shim().front().bytes;
  const std::filesystem::path file = data_dir / "bin" / fmt::format("shim-{:016x}", fnv1a(bytes));
  if (is_whole_program(file, bytes)) return file;
  std::error_code unknown;
  if (std::filesystem::exists(file, unknown)) {
    log_warn("a program that was damaged is written anew", {{"file", file.string()}});
  }
  TRY_OK(make_folders(file.parent_path(), 0700));
  TRY_OK(write_file(file, bytes, 0700));
  return file;
}

Result<Identity> load_identity(const std::filesystem::path& data_dir, const std::string& host) {
  const std::filesystem::path folder = data_dir / "pki";
  TRY_OK(make_folders(folder, 0700));
  TRY(const http::TlsIdentity authority, load_authority(data_dir));
  Identity identity;
  identity.ca_pem = authority.certificate_pem;
  // The server's own certificate is made anew at each start: it costs a millisecond, and --listen
  // may have changed.
  TRY(identity.tls,
      http::make_server_certificate(authority, {host, "localhost", "127.0.0.1", "kubernetes",
                                                "kubernetes.default", "kubernetes.default.svc"}));
  TRY(identity.admin_token,
      load_or_make_secret(folder / "admin.token",
                          "copies of the administrator's kubeconfig must be made anew"));
  TRY(identity.session_key,
      load_or_make_secret(folder / "session.key",
                          "addresses of notebooks and TensorBoards are others"));
  return identity;
}

Result<contract::IdleLimits> idle_limits(const cli::UpOptions& options) {
  contract::IdleLimits limits;
  TRY(limits.idle_after, parse_span(options.idle_after, "--idle-after"));
  TRY(limits.suspend_after, parse_span(options.suspend_after, "--suspend-after"));
  return limits;
}

Result<server::AuditLimits> audit_limits(const cli::UpOptions& options) {
  constexpr std::int64_t kLeast = 16 << 10;  // of a line there is a longest
  server::AuditLimits limits;
  TRY(limits.bytes, parse_size(options.audit_log_size, "--audit-log-size"));
  if (limits.bytes < kLeast) {
    return Error(Code::kInvalid,
                 fmt::format("--audit-log-size {}: the least is 16Ki", options.audit_log_size));
  }
  limits.kept = options.keep_audit;
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
