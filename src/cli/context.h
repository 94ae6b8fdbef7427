#pragma once

#include "base/clock.h"
#include "cli/server_process.h"
#include "client/remote_api.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>

#include <exception>
#include <optional>
#include <string>

namespace trainyard::cli {

/// Flags that every command understands.
struct Flags {
  std::filesystem::path data_dir = default_data_dir();
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

  client::RemoteApi& api() { return *api_; }
  Clock& clock() { return clock_; }
  Executor loop() { return loop_.get_executor(); }
  const std::string& ns() const { return ns_; }
  /// Where the server is and what it is trusted by.
  const http::ClientOptions& server() const { return server_; }
  /// By which it knows us; may be empty.
  const std::string& token() const { return token_; }

  /// Runs a coroutine to its end.
  template <class T>
  T run(awaitable<T> task) {
    std::optional<T> result;
    boost::asio::co_spawn(loop_, std::move(task), [&](const std::exception_ptr& failure, T value) {
      if (failure) std::rethrow_exception(failure);
      result = std::move(value);
    });
    loop_.restart();
    while (!result) loop_.run_one();
    return *std::move(result);
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
