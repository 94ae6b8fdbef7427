#pragma once

#include "base/clock.h"
#include "base/run_to_end.h"
#include "cli/command/server_process.h"
#include "client/remote/remote_api.h"

#include <boost/asio/io_context.hpp>

#include <string>

namespace trainyard::cli {

/// Flags that every command understands.
struct Flags {
  std::filesystem::path data_dir = default_data_dir();
  bool data_dir_named = false;  // by flag or variable
  std::string kubeconfig;
  std::string context;  // of the kubeconfig; empty: its current one
  std::string ns;
  bool all_namespaces = false;
  std::string output;  // "", json, yaml, name; of some commands wide
};

/// A command's connection to its server, and the loop it runs on.
class Session {
 public:
  /// Chooses the cluster: --kubeconfig, KUBECONFIG, the running embedded server, ~/.kube/config,
  /// and in a pod the cluster that it runs in.
  static Result<std::unique_ptr<Session>> open(const Flags& flags);
  /// Whether there is no cluster to talk to, and none was named: neither by flag, nor by
  /// KUBECONFIG, nor by a file in its usual place.
  static bool finds_none(const Flags& flags);
  /// With a cluster that was chosen already.
  static std::unique_ptr<Session> with(client::Connection connection);

  client::RemoteApi& api() { return *api_; }
  Clock& clock() { return clock_; }
  Executor loop() { return executor_of(loop_); }
  const std::string& ns() const { return ns_; }
  /// Where the server is and what it is trusted by.
  const http::ClientOptions& server() const { return server_; }
  /// By which it knows us; may be empty.
  const std::string& token() const { return token_; }

  /// Runs a coroutine to its end.
  template <class T>
  T run(awaitable<T> task) {
    return run_to_end(loop_, std::move(task));
  }

 private:
  Session(client::Connection connection, std::string ns);
  boost::asio::io_context loop_{1};
  SystemClock clock_;
  std::string ns_;
  http::ClientOptions server_;
  std::string token_;
  std::unique_ptr<client::RemoteApi> api_;
};

}  // namespace trainyard::cli
