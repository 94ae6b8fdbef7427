#pragma once

#include "client/api.h"
#include "client/pod_streams.h"
#include "node/config.h"

namespace trainyard::node {

/// Serves the logs of the pods on this machine from the files that their shims write. Needs no
/// worker: logs can be read as long as the pod's folder is there.
class LogStreams final : public client::PodStreams {
 public:
  LogStreams(Executor loop, client::Api& api, Clock& clock, const NodeConfig& config)
      : loop_(std::move(loop)),
        api_(api),
        clock_(clock),
        config_(config),
        paths_(config.data_dir) {}

  awaitable<Result<std::unique_ptr<client::ByteStream>>> open_log(
      Key pod, client::LogOptions options) override;

 private:
  Executor loop_;
  client::Api& api_;
  Clock& clock_;
  const NodeConfig& config_;
  Paths paths_;
};

}  // namespace trainyard::node
