#include "jobs/engine/world/port_leases.h"

#include "base/fake_clock.h"
#include "base/task_group.h"
#include "base/test_loop.h"
#include "client/fake_api.h"
#include "jobs/engine/form/names.h"

#include <gtest/gtest.h>

namespace trainyard::jobs {
namespace {

const Resource kOtherJobs{"kubeflow.org", "v1", "pytorchjobs"};

std::function<bool(std::int64_t)> one_of(std::set<std::int64_t> ports) {
  return [ports = std::move(ports)](std::int64_t port) { return ports.contains(port); };
}

TEST(ChoosePort, TakesOneThatIsNeitherLeasedNorListenedOn) {
  PortRange range;
  range.first = 29500;
  range.last = 29502;
  range.usable = [](std::int64_t port) { return port != 29501; };
  range.spare = 0;
  EXPECT_EQ(choose_port(range, "a", one_of({29500})), 29502);
  EXPECT_EQ(choose_port(range, "a", one_of({29500, 29502})), std::nullopt);
}

TEST(ChoosePort, FindsARowOfPorts) {
  PortRange range;
  range.last = 29505;
  range.spare = 0;
  EXPECT_EQ(choose_port(range, "a", one_of({29502}), 3), 29503);
  EXPECT_EQ(choose_port(range, "a", one_of({29502, 29504}), 3), std::nullopt);
  EXPECT_EQ(choose_port(range, "a", one_of({}), 7), std::nullopt) << "more than there are";
}

TEST(ChoosePort, GoesOnBelowWhenAllAreTaken) {
  PortRange range;
  range.last = 29501;
  range.spare = 2;
  EXPECT_GE(*choose_port(range, "a", one_of({29500})), 29500);
  EXPECT_EQ(choose_port(range, "a", one_of({29500, 29501, 29499})), 29498);
  EXPECT_EQ(choose_port(range, "a", one_of({29500, 29501, 29499, 29498})), std::nullopt);
}

TEST(ChoosePort, OnAClusterItIsTheOnePortWhoeverHasIt) {
  PortRange range;
  range.first = range.last = 29500;
  EXPECT_EQ(choose_port(range, "a", one_of({29500})), 29500);
}

TEST(ChoosePort, DifferentJobsBeginAtDifferentPlaces) {
  std::set<std::int64_t> chosen;
  for (const char* uid : {"a", "b", "c", "d", "e"})
    chosen.insert(*choose_port({}, uid, one_of({})));
  EXPECT_GT(chosen.size(), 3U);
}

awaitable<void> lease_one(PortLeases& leases, Resource kind, ObjectPtr job, int& done) {
  const auto leased = co_await leases.lease(std::move(kind), std::move(job));
  EXPECT_TRUE(leased);
  ++done;
}

class PortLeasesTest : public testing::Test {
 protected:
  ObjectPtr put(const Resource& kind, const std::string& name, const std::string& phase = "") {
    Json job{{"metadata", {{"name", name}, {"namespace", "demo"}}}};
    if (!phase.empty()) make_path(job, "status.phase") = phase;
    return api_.put(kind, job);
  }
  Result<> lease(PortLeases& leases, const Resource& kind, const std::string& name) {
    auto leased = loop_.run(leases.lease(kind, api_.find(kind, Key{"demo", name})));
    return leased ? Result<>(Ok()) : Result<>(std::move(leased).error());
  }
  std::int64_t port(const Resource& kind, const std::string& name) {
    return leased_port(api_.find(kind, Key{"demo", name})->body());
  }
  ~PortLeasesTest() override {
    if (leases_) loop_.run(leases_->stop());
  }
  PortLeases& leases_of(std::int64_t count) {
    PortRange range;
    range.last = range.first + count - 1;
    range.spare = 0;
    leases_ = std::make_unique<PortLeases>(loop_.executor(), api_, clock_, range,
                                           std::vector{kPyTorchTrainingJobs, kOtherJobs});
    leases_->start();
    return *leases_;
  }

  TestLoop loop_;
  FakeClock clock_{loop_.executor()};
  client::FakeApi api_{loop_.executor(), clock_};
  std::unique_ptr<PortLeases> leases_;
};

TEST_F(PortLeasesTest, JobsOfDifferentKindsNeverShareAPort) {
  PortLeases& leases = leases_of(2);
  put(kPyTorchTrainingJobs, "a");
  put(kOtherJobs, "b");
  put(kOtherJobs, "late");
  ASSERT_TRUE(lease(leases, kPyTorchTrainingJobs, "a"));
  ASSERT_TRUE(lease(leases, kOtherJobs, "b"));
  EXPECT_NE(port(kPyTorchTrainingJobs, "a"), port(kOtherJobs, "b"));
  const auto third = lease(leases, kOtherJobs, "late");
  ASSERT_TRUE(third.failed_with(Code::kUnavailable));
  EXPECT_NE(third.error().message().find("29500 to 29501"), std::string::npos);
}

TEST_F(PortLeasesTest, AFinishedJobsPortIsFreeAgain) {
  PortLeases& leases = leases_of(2);
  put(kOtherJobs, "a");
  put(kOtherJobs, "b");
  ASSERT_TRUE(lease(leases, kOtherJobs, "a"));
  ASSERT_TRUE(lease(leases, kOtherJobs, "b"));
  Json ended = api_.find(kOtherJobs, Key{"demo", "a"})->body();
  make_path(ended, "status.phase") = "Failed";
  api_.put(kOtherJobs, std::move(ended));
  loop_.run_ready();
  put(kOtherJobs, "c");
  ASSERT_TRUE(lease(leases, kOtherJobs, "c"));
  EXPECT_EQ(port(kOtherJobs, "c"), port(kOtherJobs, "a"));
}

TEST_F(PortLeasesTest, ManyAtOnceNeverGetTheSame) {
  PortLeases& leases = leases_of(20);
  TaskGroup tasks(loop_.executor());
  int done = 0;
  for (int i = 0; i < 20; ++i) {
    const Resource& kind = i % 2 == 0 ? kPyTorchTrainingJobs : kOtherJobs;
    tasks.spawn("lease", lease_one(leases, kind, put(kind, "j" + std::to_string(i)), done));
  }
  loop_.run_until([&] { return done == 20; });
  std::set<std::int64_t> ports;
  for (int i = 0; i < 20; ++i) {
    ports.insert(port(i % 2 == 0 ? kPyTorchTrainingJobs : kOtherJobs, "j" + std::to_string(i)));
  }
  EXPECT_EQ(ports.size(), 20U);
  loop_.run(tasks.stop());
}

TEST_F(PortLeasesTest, AJobThatIsGoneNeedsNone) {
  PortLeases& leases = leases_of(1000);
  put(kOtherJobs, "a");
  const ObjectPtr job = api_.find(kOtherJobs, Key{"demo", "a"});
  api_.erase(kOtherJobs, Key{"demo", "a"});
  EXPECT_EQ(*loop_.run(leases.lease(kOtherJobs, job)), nullptr);
}

TEST_F(PortLeasesTest, WhatAnotherServerOnTheMachineClaimsIsNotGivenAway) {
  std::map<std::int64_t, std::weak_ptr<const void>> claims;
  PortRange range;
  range.last = range.first + 2;
  range.spare = 0;
  range.claim = [&](std::int64_t port) -> std::shared_ptr<const void> {
    if (port == 29501 || !claims[port].expired()) return nullptr;
    const std::shared_ptr<const void> claim = std::make_shared<int>();
    claims[port] = claim;
    return claim;
  };
  const auto claimed = [&] {
    return std::count_if(claims.begin(), claims.end(),
                         [](auto& one) { return !one.second.expired(); });
  };
  leases_ =
      std::make_unique<PortLeases>(loop_.executor(), api_, clock_, range, std::vector{kOtherJobs});
  leases_->start();
  for (const char* name : {"a", "b", "c"}) put(kOtherJobs, name);
  ASSERT_TRUE(lease(*leases_, kOtherJobs, "a"));
  EXPECT_EQ(claimed(), 1) << "those only looked at are let go";
  ASSERT_TRUE(lease(*leases_, kOtherJobs, "b"));
  EXPECT_EQ(port(kOtherJobs, "a") + port(kOtherJobs, "b"), 29500 + 29502);
  EXPECT_TRUE(lease(*leases_, kOtherJobs, "c").failed_with(Code::kUnavailable));
  loop_.run_ready();
  EXPECT_EQ(claimed(), 2) << "still held when the informer tells of them";
  EXPECT_TRUE(leases_->are_usable(api_.find(kOtherJobs, Key{"demo", "a"})->body()));
  api_.erase(kOtherJobs, Key{"demo", "a"});
  loop_.run_ready();
  EXPECT_EQ(claimed(), 1);
  Json lost{
      {"metadata",
       {{"name", "lost"}, {"namespace", "demo"}, {"annotations", {{kPortAnnotation, "29501"}}}}}};
  api_.put(kOtherJobs, lost);
  loop_.run_ready();
  EXPECT_FALSE(leases_->are_usable(api_.find(kOtherJobs, Key{"demo", "lost"})->body()))
      << "another server took it while this one was down";
}

TEST_F(PortLeasesTest, WhatEarlierServersGaveAwayIsTaken) {
  Json job{
      {"metadata",
       {{"name", "old"}, {"namespace", "demo"}, {"annotations", {{kPortAnnotation, "29500"}}}}}};
  api_.put(kOtherJobs, job);
  PortLeases& leases = leases_of(2);
  put(kOtherJobs, "new");
  ASSERT_TRUE(lease(leases, kOtherJobs, "new"));
  EXPECT_EQ(port(kOtherJobs, "new"), 29501);
}

}  // namespace
}  // namespace trainyard::jobs
