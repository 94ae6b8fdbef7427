#pragma once

#include "client/api.h"
#include "contract/usage.h"
#include "node/config.h"
#include "node/usage/usage_rates.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace trainyard::node {

/// Measures when somebody asks, and costs nothing otherwise: counters are read twice, half a second
/// apart, unless somebody has asked shortly before. On the loop; two may ask at once.
class UsageMeter final : public contract::UsageSource {
 public:
  /// `files`: where counters are read, which takes a while when there are many.
  UsageMeter(client::Api& api, Clock& clock, Executor files, const NodeConfig& config,
             const Cgroups& cgroups)
      : api_(api),
        clock_(clock),
        files_(std::move(files)),
        config_(config),
        reader_(clock, config, cgroups) {}

  awaitable<contract::Measured<contract::PodUsage>> measure_pods(
      std::vector<ObjectPtr> pods) override;
  awaitable<contract::Measured<contract::NodeUsage>> measure_nodes(
      std::vector<ObjectPtr> nodes) override;

 private:
  using Readings = std::map<UsageTarget, UsageReading>;
  struct Span {
    UsageReading before;
    UsageReading after;
  };
  using Spans = std::map<UsageTarget, Span>;

  awaitable<Readings> read(std::vector<UsageTarget> targets);
  awaitable<Spans> measure(std::vector<UsageTarget> targets);
  awaitable<contract::Measured<contract::NodeUsage>> measure_machine(ObjectPtr node);
  awaitable<contract::Measured<contract::NodeUsage>> measure_shares(std::vector<ObjectPtr> nodes);

  client::Api& api_;
  Clock& clock_;
  Executor files_;
  const NodeConfig& config_;
  UsageReader reader_;
  Readings last_;
};

}  // namespace trainyard::node
