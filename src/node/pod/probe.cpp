#include "node/pod/probe.h"

#include <algorithm>

namespace trainyard::node {
namespace {

constexpr std::pair<const char*, Probe::Kind> kFields[] = {
    {"startupProbe", Probe::Kind::kStartup},
    {"readinessProbe", Probe::Kind::kReadiness},
    {"livenessProbe", Probe::Kind::kLiveness},
};

Probe read_probe(const Json& action, Probe::Kind kind) {
  const auto at_least = [&](const char* field, std::int64_t least, std::int64_t fallback) {
    return std::max(int_at(action, field, fallback), least);
  };
  Probe probe;
  probe.kind = kind;
  probe.action = action;
  probe.initial_delay = std::chrono::seconds(at_least("initialDelaySeconds", 0, 0));
  probe.period = std::chrono::seconds(at_least("periodSeconds", 1, 10));
  probe.timeout = std::chrono::seconds(at_least("timeoutSeconds", 1, 1));
  probe.success_threshold = at_least("successThreshold", 1, 1);
  probe.failure_threshold = at_least("failureThreshold", 1, 3);
  const std::int64_t grace = int_at(action, "terminationGracePeriodSeconds", -1);
  if (grace >= 0) probe.grace_seconds = grace;
  return probe;
}

}  // namespace

const char* word_of(Probe::Kind kind) {
  switch (kind) {
    case Probe::Kind::kStartup:
      return "Startup";
    case Probe::Kind::kReadiness:
      return "Readiness";
    case Probe::Kind::kLiveness:
      return "Liveness";
  }
  return "";
}

std::vector<Probe> probes_of(const Json& container) {
  std::vector<Probe> probes;
  for (const auto& [field, kind] : kFields) {
    if (const Json* action = find(container, field)) probes.push_back(read_probe(*action, kind));
  }
  return probes;
}

std::optional<bool> ProbeCount::add(bool success) {
  same_ = same_ > 0 && success == last_ ? same_ + 1 : 1;
  last_ = success;
  if (same_ < (success ? success_threshold_ : failure_threshold_)) return std::nullopt;
  return success;
}

}  // namespace trainyard::node
