#pragma once

#include "base/async.h"
#include "client/remote/kubeconfig.h"
#include "measure.h"

#include <functional>
#include <string>
#include <vector>

namespace trainyard::bench {

/// The server under load, whichever it is: only what every Kubernetes API server has is used.
class Target {
 public:
  Target(Executor executor, client::Connection connection);

  /// A request that must succeed: 2xx, or the status given.
  awaitable<Result<std::string>> call(std::string method, std::string target, std::string body = "",
                                      std::string type = "application/json");
  awaitable<Result<std::unique_ptr<http::ResponseStream>>> stream(std::string target);
  Executor executor() const { return executor_; }

 private:
  http::ClientRequest make(std::string method, std::string target, std::string body,
                           const std::string& type) const;
  Executor executor_;
  http::Client http_;
  std::string token_;
};

/// Runs `work` on the server that the kubeconfig names; the exit code of the program `name`, which
/// has said what went wrong.
int run_against(const std::string& kubeconfig, const char* name,
                const std::function<awaitable<Result<>>(Target&)>& work);

struct Settings {
  int connections = 16;
  int objects = 5000;  // created, got, patched, deleted
  int lists = 300;     // of 1,000 objects each
  int watchers = 500;
  int updates = 1000;
  std::size_t object_bytes = 256;  // of text inside each
};

/// The kind that the load is made of: a small custom resource, on any server.
inline constexpr const char* kItems = "/apis/bench.trainyard.dev/v1/namespaces/default/items";
awaitable<Result<>> install_kind(Target& target);
std::string item_text(const std::string& name, std::int64_t number, std::size_t bytes);

awaitable<Result<Measurement>> run_creates(Target& target, Settings settings);
awaitable<Result<std::vector<Row>>> run_requests(Target& target, Settings settings);

struct WatchReport {
  Row row;
  std::int64_t events = 0;
  std::int64_t wrong = 0;     // missed, repeated or out of order
  std::int64_t reopened = 0;  // watches that the server cut
};
awaitable<Result<WatchReport>> run_watchers(Target& target, Settings settings);

/// Runs `work(i)` for i below `count`, `width` at a time, and measures each.
awaitable<Result<Measurement>> run_many(Executor executor, int count, int width,
                                        std::function<awaitable<Result<>>(int)> work);

}  // namespace trainyard::bench
