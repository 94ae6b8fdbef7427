#include "jobs/kubeflow/conditions.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace trainyard::jobs {
namespace {

const WallTime kEarly = *parse_time("2026-03-01T10:00:00Z");
const WallTime kLate = *parse_time("2026-03-01T10:00:05Z");

std::string told(const Json& status) {
  std::string text;
  for (const Json& one : array_at(status, "conditions")) {
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", string_at(one, "type"),
                        string_at(one, "status"));
  }
  return text;
}

Json status_with(const std::vector<std::pair<std::string, bool>>& conditions) {
  Json status = JsonObject();
  for (const auto& [type, value] : conditions) {
    set_kubeflow_condition(status, type, value, "Job" + type, "", kEarly);
  }
  return status;
}

TEST(KubeflowConditions, WhatHappenedLastIsLast) {
  EXPECT_EQ(told(status_with({{"Created", true}, {"Running", true}})), "Created=True Running=True");
  EXPECT_EQ(told(status_with({{"Created", true}, {"Suspended", true}, {"Running", true}})),
            "Created=True Suspended=True Running=True");
}

TEST(KubeflowConditions, RunningAndRestartingDriveEachOtherOut) {
  EXPECT_EQ(told(status_with({{"Running", true}, {"Restarting", true}})), "Restarting=True");
  EXPECT_EQ(told(status_with({{"Running", true}, {"Restarting", true}, {"Running", true}})),
            "Running=True");
}

TEST(KubeflowConditions, TheEndMakesRunningFalse) {
  EXPECT_EQ(told(status_with({{"Running", true}, {"Succeeded", true}})),
            "Running=False Succeeded=True");
  EXPECT_EQ(told(status_with({{"Running", true}, {"Failed", true}})), "Running=False Failed=True");
  EXPECT_EQ(told(status_with({{"Restarting", true}, {"Failed", true}})),
            "Restarting=False Failed=True");
}

TEST(KubeflowConditions, NothingChangesAfterAFailure) {
  EXPECT_EQ(told(status_with({{"Failed", true}, {"Running", true}, {"Succeeded", true}})),
            "Failed=True");
}

TEST(KubeflowConditions, TimesTellOfTheFirstMomentOfAStatus) {
  Json status = status_with({{"Running", true}});
  set_kubeflow_condition(status, "Running", true, "JobRunning", "again", kLate);
  EXPECT_EQ(string_at(array_at(status, "conditions")[0], "message"), "") << "nothing is new";
  set_kubeflow_condition(status, "Running", true, "Other", "other", kLate);
  const Json& running = array_at(status, "conditions")[0];
  EXPECT_EQ(string_at(running, "lastTransitionTime"), "2026-03-01T10:00:00Z");
  EXPECT_EQ(string_at(running, "lastUpdateTime"), "2026-03-01T10:00:05Z");
}

}  // namespace
}  // namespace trainyard::jobs
