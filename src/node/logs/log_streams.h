#pragma once

#include "client/api.h"
#include "client/pod_streams.h"
#include "node/config.h"
#include "node/logs/line_index.h"
#include "node/logs/log_archive.h"
#include "node/run/container_run.h"

#include <boost/asio/thread_pool.hpp>

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
  awaitable<Result<client::LogLines>> read_lines(Key pod, client::LogOptions options,
                                                 client::LineRange range) override;
  awaitable<Result<client::LogFindings>> find_lines(Key pod, client::LogOptions options,
                                                    client::LogQuestion question) override;
  awaitable<Result<std::vector<client::KeptLog>>> kept_logs(std::string ns) override;

 private:
  /// The run that is meant of a pod that is there; the error says why there is none.
  Result<ContainerRun> find_run(const Json& pod, const std::string& container,
                                const client::LogOptions& options) const;
  /// The folder of a run's log.
  struct Found {
    std::filesystem::path folder;
    std::function<bool()> ended;
  };
  awaitable<Result<Found>> find_log(Key pod, client::LogOptions options);
  static Result<Found> find_kept(const KeptPod& pod, const client::LogOptions& options);

  Executor loop_;
  client::Api& api_;
  Clock& clock_;
  const NodeConfig& config_;
  Paths paths_;
  LogArchive& archive_;
  std::shared_ptr<LineIndexes> indexes_ =
      std::make_shared<LineIndexes>();  // used on `lines_` alone
  boost::asio::thread_pool lines_{1};   // where lines are counted and searched
};

}  // namespace trainyard::node
