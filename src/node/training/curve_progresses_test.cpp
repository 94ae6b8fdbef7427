#include "node/training/curve_progresses.h"

#include "base/fake_clock.h"
#include "base/files/test_folder.h"
#include "base/test_loop.h"
#include "client/fake_api.h"
#include "monitor/events/event_writer.h"
#include "node/volumes/volumes.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>

namespace trainyard::node {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using Told = std::vector<std::optional<monitor::CurveProgress>>;

constexpr WallTime kBegin{1000s};

class CurveProgressesTest : public testing::Test {
 protected:
  CurveProgressesTest()
      : clock_(loop_.executor()),
        api_(loop_.executor(), clock_),
        reader_(loop_.executor(), api_, clock_),
        progresses_(reader_, clock_) {
    const ObjectPtr claim = api_.put(
        kVolumeClaims,
        {{"metadata", {{"namespace", "ns"}, {"name", "data"}}}, {"spec", {{"volumeName", "v"}}}});
    api_.put(kVolumes, {{"metadata", {{"name", "v"}}},
                        {"spec",
                         {{"claimRef", {{"uid", uid_of(claim->body())}}},
                          {"hostPath", {{"path", folder_.path().string()}}}}}});
  }
  ~CurveProgressesTest() override { loop_.run(reader_.stop()); }

  /// Steps of one second each.
  void write(const std::string& folder, int from, int to) {
    fs::create_directories(folder_.path() / folder);
    std::ofstream file(folder_.path() / folder / "events.out.tfevents.1",
                       std::ios::binary | std::ios::app);
    for (int step = from; step < to; ++step) {
      file << monitor::writing::record(
          monitor::writing::scalar_event(1000 + step, step, "loss", 0.5F));
    }
  }
  static CurvesOfJob job(const std::string& name) {
    return {"uid-" + name, "ns", {{"data", name}}, kBegin};
  }
  Told ask(std::vector<CurvesOfJob> jobs) { return loop_.run(progresses_.tell(std::move(jobs))); }

  TestFolder folder_;
  TestLoop loop_;
  FakeClock clock_;
  client::FakeApi api_;
  CurveReader reader_;
  CurveProgresses progresses_;
};

TEST_F(CurveProgressesTest, TellsStepRateAndValues) {
  write("a", 0, 10);
  const Told told = ask({job("a"), job("silent")});
  ASSERT_EQ(told.size(), 2U);
  ASSERT_TRUE(told[0]);
  EXPECT_EQ(told[0]->step, 9);
  EXPECT_DOUBLE_EQ(told[0]->rate.value_or(0), 1);
  EXPECT_EQ(told[0]->values, (std::vector<std::pair<std::string, double>>{{"loss", 0.5}}));
  EXPECT_FALSE(told[1]);
  EXPECT_TRUE(ask({}).empty());
}

TEST_F(CurveProgressesTest, LooksAgainAfterAFewSeconds) {
  write("a", 0, 10);
  EXPECT_EQ(ask({job("a")})[0]->step, 9);
  write("a", 10, 20);
  EXPECT_EQ(ask({job("a")})[0]->step, 9);
  clock_.advance(6s);
  EXPECT_EQ(ask({job("a")})[0]->step, 19);
}

TEST_F(CurveProgressesTest, KnowsNothingOfAJobThatWritesElsewhereOrBeganAnew) {
  write("a", 0, 10);
  EXPECT_TRUE(ask({job("a")})[0]);
  CurvesOfJob again = job("a");
  again.since = kBegin + 1h;
  EXPECT_FALSE(ask({again})[0]);
  CurvesOfJob moved = job("a");
  moved.folders = {{"data", "b"}};
  EXPECT_FALSE(ask({moved})[0]);
  moved.folders = {{"gone", "a"}};
  EXPECT_FALSE(ask({moved})[0]);
}

TEST_F(CurveProgressesTest, OneQuestionLooksAtSoManyFoldersAndTheNextAtOthers) {
  std::vector<CurvesOfJob> jobs;
  for (int i = 0; i < 300; ++i) {
    write(fmt::format("{}", i), 0, 2);
    jobs.push_back(job(fmt::format("{}", i)));
  }
  const auto known = [](const Told& told) {
    return std::count_if(told.begin(), told.end(), [](const auto& one) { return one.has_value(); });
  };
  const auto descriptors = [] {
    return std::distance(fs::directory_iterator("/proc/self/fd"), fs::directory_iterator());
  };
  const auto before = descriptors();
  EXPECT_EQ(known(ask(jobs)), 256);
  EXPECT_EQ(descriptors(), before) << "what is remembered holds no folder open";
  EXPECT_EQ(reader_.open_logs(), 256U);
  EXPECT_EQ(known(ask(jobs)), 300);
}

TEST_F(CurveProgressesTest, AJobThatNamesManyFoldersIsLookedAtInAFew) {
  CurvesOfJob greedy = job("a");
  for (int i = 0; i < 1000; ++i) greedy.folders.push_back({"data", fmt::format("{}", i)});
  write("a", 0, 2);
  EXPECT_TRUE(ask({greedy})[0]);
  EXPECT_EQ(reader_.open_logs(), 8U);
}

}  // namespace
}  // namespace trainyard::node
