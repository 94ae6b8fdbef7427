#pragma once

#include "client/api.h"
#include "client/pod_sessions.h"
#include "node/config.h"

#include <filesystem>
#include <string>

namespace trainyard::node {

/// Serves exec and attach for the pods on this machine, through their shims. Needs no worker.
class ContainerSessions final : public client::PodSessions {
 public:
  ContainerSessions(Executor loop, client::Api& api, Clock& clock, const NodeConfig& config)
      : loop_(std::move(loop)),
        api_(api),
        clock_(clock),
        config_(config),
        paths_(config.data_dir) {}

  awaitable<Result<std::unique_ptr<client::PodSession>>> exec(
      Key pod, client::SessionOptions options, std::vector<std::string> command) override;
  awaitable<Result<std::unique_ptr<client::PodSession>>> attach(
      Key pod, client::SessionOptions options) override;
  awaitable<Result<>> check(Key pod, client::SessionOptions options, bool attach) override;

 private:
  /// A container that runs.
  struct Target {
    Json spec;
    std::filesystem::path run;
  };
  awaitable<Result<Target>> find(Key pod, client::SessionOptions options, bool attach);

  Executor loop_;
  client::Api& api_;
  Clock& clock_;
  const NodeConfig& config_;
  Paths paths_;
};

}  // namespace trainyard::node
