#pragma once

#include "client/api.h"
#include "client/pod_streams.h"
#include "node/config.h"
#include "node/container_run.h"
#include "node/log_archive.h"

namespace trainyard::node {

/// Serves the logs of the pods on this machine from the files that their shims write, and those
/// that are kept of pods that are gone. Needs no worker.
class LogStreams final : public client::PodStreams {
 public:
  LogStreams(Executor loop, client::Api& api, Clock& clock, const NodeConfig& config,
             LogArchive& archive)
      : loop_(std::move(loop)),
        api_(api),
        clock_(clock),
        config_(config),
        paths_(config.data_dir),
        archive_(archive) {}

  awaitable<Result<std::unique_ptr<client::ByteStream>>> open_log(
      Key pod, client::LogOptions options) override;
  awaitable<Result<std::vector<client::KeptLog>>> kept_logs(std::string ns) override;

 private:
  /// The run that is meant of a pod that is there; the error says why there is none.
  Result<ContainerRun> find_run(const Json& pod, const std::string& container,
                                const client::LogOptions& options) const;
  awaitable<Result<std::unique_ptr<client::ByteStream>>> open_run(std::filesystem::path folder,
                                                                  client::LogOptions options,
                                                                  std::function<bool()> ended);
  awaitable<Result<std::unique_ptr<client::ByteStream>>> open_kept(KeptPod pod,
                                                                   client::LogOptions options);

  Executor loop_;
  client::Api& api_;
  Clock& clock_;
  const NodeConfig& config_;
  Paths paths_;
  LogArchive& archive_;
};

}  // namespace trainyard::node
