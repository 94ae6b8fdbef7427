#pragma once

#include "cli/arena/config.h"
#include "cli/arena/log.h"
#include "cli/command/context.h"

#include <optional>
#include <set>
#include <string>

namespace trainyard::cli::arena {

/// Flags that every command has.
struct GlobalFlags {
  std::string ns;
  std::string kubeconfig;
  std::string loglevel = "info";
  std::string arena_namespace = "arena-system";
  bool ignored = false;  // what developers of Arena switch on
};

/// Who runs the command, as the server knows them.
struct Caller {
  std::string name;
  std::string id;  // MD5 of the name, in hex: the label kUidLabel of their jobs
};

inline constexpr const char* kUidLabel = "arena.kubeflow.org/uid";
inline constexpr const char* kUserAnnotation = "arena.kubeflow.org/username";

/// Which jobs the caller may see and touch. In a namespace with the label
/// arena.kubeflow.org/isolate-user=true that is their own, unless they are an administrator of
/// Arena's.
class Visibility {
 public:
  Visibility() = default;
  Visibility(std::set<std::string> isolated_namespaces, std::string caller_id)
      : isolated_(std::move(isolated_namespaces)), caller_id_(std::move(caller_id)) {}
  bool sees(const Json& job) const;

 private:
  std::set<std::string> isolated_;
  std::string caller_id_;
};

/// What a command works with. The server is asked for nothing before a command needs it.
class Context {
 public:
  Context(Flags flags, GlobalFlags globals, Config config, const Log& log)
      : flags_(std::move(flags)),
        globals_(std::move(globals)),
        config_(std::move(config)),
        log_(log) {}

  const Log& log() const { return log_; }
  const Config& config() const { return config_; }
  const GlobalFlags& globals() const { return globals_; }
  /// Opens the connection at its first call.
  Result<Session*> session();
  /// -n, else the config file's, else the kubeconfig's. The session must have been opened.
  const std::string& ns() const { return ns_; }
  /// Whether that is the one which commands use when nobody says another.
  bool is_default_namespace() const { return ns_ == default_ns_; }

  Result<Caller> caller();
  /// Also an error when the namespace does not exist.
  Result<Visibility> visibility(bool all_namespaces);
  /// Whether the caller is one of the users whom isolation does not bind.
  Result<bool> is_administrator(const Caller& caller);

 private:
  Result<std::set<std::string>> isolated_namespaces(bool all_namespaces);

  Flags flags_;
  GlobalFlags globals_;
  Config config_;
  const Log& log_;
  std::unique_ptr<Session> session_;
  std::string ns_;
  std::string default_ns_;
  std::optional<Caller> caller_;
};

/// Said when somebody reaches for a job that is not theirs.
Error not_yours(const std::string& job);

}  // namespace trainyard::cli::arena
