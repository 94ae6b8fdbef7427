#pragma once

#include "object/json/json.h"

#include <chrono>
#include <optional>
#include <vector>

namespace trainyard::node {

/// A probe of a container, with Kubernetes' defaults filled in.
struct Probe {
  enum class Kind : std::uint8_t { kStartup, kReadiness, kLiveness };
  Kind kind = Kind::kReadiness;
  Json action;  // the probe itself: exec, httpGet or tcpSocket says what is done
  std::chrono::seconds initial_delay{0};
  std::chrono::seconds period{10};
  std::chrono::seconds timeout{1};
  std::int64_t success_threshold = 1;
  std::int64_t failure_threshold = 3;
  std::optional<std::int64_t> grace_seconds;  // of the container that it condemns
};

/// Startup, Readiness, Liveness: as events name them.
const char* word_of(Probe::Kind kind);

std::vector<Probe> probes_of(const Json& container);

/// Counts the results of a probe until they decide something.
class ProbeCount {
 public:
  explicit ProbeCount(const Probe& probe)
      : success_threshold_(probe.success_threshold), failure_threshold_(probe.failure_threshold) {}

  /// What the results so far say together; nothing before a threshold is reached.
  std::optional<bool> add(bool success);

 private:
  std::int64_t success_threshold_;
  std::int64_t failure_threshold_;
  bool last_ = false;
  std::int64_t same_ = 0;  // how many in a row were like the last
};

}  // namespace trainyard::node
