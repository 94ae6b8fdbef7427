#include "node/pod/probe.h"

#include "object/yaml/yaml.h"

#include <gtest/gtest.h>

namespace trainyard::node {
namespace {

using namespace std::chrono_literals;

/// What a row of results (+ and -) decides after each: +, - or a dot for nothing.
std::string verdicts(std::int64_t successes, std::int64_t failures, const std::string& results) {
  Probe probe;
  probe.success_threshold = successes;
  probe.failure_threshold = failures;
  ProbeCount count(probe);
  std::string text;
  for (const char result : results) {
    const auto verdict = count.add(result == '+');
    text += !verdict ? '.' : *verdict ? '+' : '-';
  }
  return text;
}

TEST(ProbeCount, DecidesWhenAThresholdIsReachedInARow) {
  EXPECT_EQ(verdicts(1, 3, "+--+---+"), "+..+..-+");
  EXPECT_EQ(verdicts(2, 1, "+-++-++"), ".-.+-.+");
  EXPECT_EQ(verdicts(1, 1, "-+-+"), "-+-+");
  EXPECT_EQ(verdicts(1, 3, "-----"), "..---");
}

TEST(Probe, HasTheDefaultsOfKubernetes) {
  const auto probes = probes_of(*parse_json_or_yaml(R"(
readinessProbe: {tcpSocket: {port: 80}}
livenessProbe:
  exec: {command: [true]}
  initialDelaySeconds: 5
  periodSeconds: 2
  timeoutSeconds: 3
  failureThreshold: 7
  terminationGracePeriodSeconds: 0
)"));
  ASSERT_EQ(probes.size(), 2U);
  EXPECT_EQ(probes[0].kind, Probe::Kind::kReadiness);
  EXPECT_EQ(probes[0].period, 10s);
  EXPECT_EQ(probes[0].timeout, 1s);
  EXPECT_EQ(probes[0].failure_threshold, 3);
  EXPECT_FALSE(probes[0].grace_seconds);
  EXPECT_EQ(probes[1].kind, Probe::Kind::kLiveness);
  EXPECT_EQ(probes[1].initial_delay, 5s);
  EXPECT_EQ(probes[1].period, 2s);
  EXPECT_EQ(probes[1].timeout, 3s);
  EXPECT_EQ(probes[1].failure_threshold, 7);
  EXPECT_EQ(probes[1].grace_seconds, 0);
}

}  // namespace
}  // namespace trainyard::node
