#include "cli/logs/log_sources.h"

#include "cli/command/job_facts.h"

#include <gtest/gtest.h>

namespace trainyard::cli {
namespace {

Json labels(const char* job, const char* index) {
  return Json{
      {std::string(kOwnerNameLabel), job}, {"replica-type", "node"}, {"replica-index", index}};
}

ObjectPtr pod(const char* uid, const char* index) {
  return std::make_shared<const StoredObject>(Json{{"metadata",
                                                    {{"namespace", "team"},
                                                     {"name", "fit-node"},
                                                     {"uid", uid},
                                                     {"labels", labels("fit", index)}}}},
                                              1);
}

client::KeptLog kept(const char* uid, const char* index, const char* job = "fit") {
  return {Key{"team", "fit-node"}, uid, labels(job, index), {}};
}

std::string uids(const std::vector<LogSource>& sources) {
  std::string text;
  for (const LogSource& source : sources) {
    text += source.replica + "=" + source.uid + (source.previous ? "(previous) " : " ");
  }
  return text;
}

LogsOptions options(bool previous = false, std::string replica = "") {
  LogsOptions made;
  made.job = "fit";
  made.previous = previous;
  made.replica = std::move(replica);
  return made;
}

TEST(UnreadableLog, IsToldWithItsNode) {
  const Error why(Code::kUnavailable, "connection refused");
  const Error told =
      unreadable({"worker-0", Key{"default", "fit-worker-0"}, "u", false, "n1"}, why);
  EXPECT_EQ(told.message(),
            "the log of fit-worker-0 on node n1 cannot be read: connection refused");
  EXPECT_EQ(told.code(), Code::kUnavailable);
  EXPECT_EQ(unreadable({"worker-0", Key{"default", "p"}, "u"}, why).message(),
            "the log of p cannot be read: connection refused");
}

TEST(ChooseLogs, APodIsPreferredToWhatItReplaced) {
  EXPECT_EQ(
      uids(choose_logs({pod("u3", "0")}, {kept("u1", "0"), kept("u2", "0")}, "fit", options())),
      "node-0=u3 ");
}

TEST(ChooseLogs, OfAJobWithoutPodsTheLastOnesAreTaken) {
  EXPECT_EQ(
      uids(choose_logs({}, {kept("u1", "0"), kept("u2", "1"), kept("u3", "0")}, "fit", options())),
      "node-0=u3 node-1=u2 ");
}

TEST(ChooseLogs, AReplicaIsWantedByItsNameOrItsType) {
  const std::vector<client::KeptLog> all = {kept("u1", "0"), kept("u2", "1"), kept("u3", "10")};
  const auto chosen = [&](const char* wanted) {
    return uids(choose_logs({}, all, "fit", options(false, wanted)));
  };
  EXPECT_EQ(chosen("node-1"), "node-1=u2 ");
  EXPECT_EQ(chosen("node"), "node-0=u1 node-1=u2 node-10=u3 ");
  EXPECT_EQ(chosen("no"), "");
  EXPECT_EQ(chosen("node-2"), "");
}

TEST(ChooseLogs, PreviousIsOneBack) {
  const std::vector<client::KeptLog> before = {kept("u1", "0"), kept("u2", "0"), kept("u4", "1")};
  EXPECT_EQ(uids(choose_logs({}, before, "fit", options(true))), "node-0=u1 ");
  EXPECT_EQ(uids(choose_logs({pod("u3", "0")}, before, "fit", options(true))),
            "node-0=u3(previous) ");
}

TEST(ChooseLogs, OtherJobsAndReplicasAreLeftOut) {
  EXPECT_EQ(uids(choose_logs({pod("u1", "0"), pod("u2", "10"), pod("u3", "9")},
                             {kept("u4", "0", "other")}, "fit", options())),
            "node-0=u1 node-9=u3 node-10=u2 ");
  EXPECT_EQ(
      uids(choose_logs({pod("u1", "0"), pod("u2", "1")}, {}, "fit", options(false, "node-1"))),
      "node-1=u2 ");
}

TEST(ChooseLogs, OfAllAttemptsEachIsNumberedWhereThereAreSeveral) {
  LogsOptions all = options();
  all.all = true;
  EXPECT_EQ(uids(choose_logs({pod("u3", "0"), pod("u4", "1")}, {kept("u1", "0"), kept("u2", "0")},
                             "fit", all)),
            "node-0#1=u1 node-0#2=u2 node-0#3=u3 node-1=u4 ");
}

}  // namespace
}  // namespace trainyard::cli
