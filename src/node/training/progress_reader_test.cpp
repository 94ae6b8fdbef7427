#include "node/training/progress_reader.h"

#include "base/fake_clock.h"
#include "base/files/files.h"
#include "base/files/test_folder.h"
#include "base/test_loop.h"
#include "client/fake_api.h"
#include "monitor/events/event_writer.h"
#include "node/volumes/volumes.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace trainyard::node {
namespace {

using namespace std::chrono_literals;

WallTime at(const char* text) {
  return *parse_time(text);
}

TEST(LogProgress, IsReadFromTheEndOfTheLog) {
  const TestFolder folder;
  EXPECT_FALSE(read_log_progress(folder.path(), WallTime()));
  std::string text(100'000, 'x');  // not a record, and long ago
  text +=
      "\n2026-11-16T01:00:00.000000Z stdout F step 10/100 loss 0.9\n"
      "2026-11-16T01:00:05.000000Z stderr F a warning\n"
      "2026-11-16T01:00:10.000000Z stdout F step 30/100 loss 0.5\n"
      "2026-11-16T01:00:11.000000Z stdout F ste";
  ASSERT_TRUE(write_file_unsynced(folder.path() / "log", text, 0644));
  const auto progress = read_log_progress(folder.path(), at("2026-11-16T01:00:10Z"));
  ASSERT_TRUE(progress);
  EXPECT_EQ(progress->left, 35s);
  const Json json = progress_json(*progress);
  EXPECT_EQ(int_at(json, "step.at"), 30);
  EXPECT_EQ(int_at(json, "secondsLeft"), 35);
  EXPECT_EQ(string_at(json, "words"), "step 30/100 (30 %), 2 steps/s, 35s left, loss 0.5");
}

TEST(LogProgress, FollowsABarThatIsDrawnOverItself) {
  const TestFolder folder;
  ASSERT_TRUE(write_file_unsynced(folder.path() / "log",
                                  "2026-11-16T01:00:00.000000Z stderr P \r 10%|# | 10/100 "
                                  "[00:01<00:09, 9.9it/s]\n"
                                  "2026-11-16T01:00:10.000000Z stderr P \r 20%|## | 20/1\n"
                                  "2026-11-16T01:00:10.000001Z stderr P 00 [00:11<00:40, 1it/s]\n",
                                  0644));
  const auto progress = read_log_progress(folder.path(), at("2026-11-16T01:00:10Z"));
  ASSERT_TRUE(progress);
  EXPECT_EQ(progress->step, (monitor::Counter{20, 100}));
  EXPECT_NEAR(*progress->rate, 1, 0.01);
}

/// Event files that have come to step 40, at two steps a second.
class ProgressReaderTest : public testing::Test {
 protected:
  ProgressReaderTest()
      : clock_(loop_.executor()),
        api_(loop_.executor(), clock_),
        curves_(loop_.executor(), api_, clock_) {
    config_.data_dir = folder_.path() / "data";
    const ObjectPtr claim = api_.put(
        kVolumeClaims,
        {{"metadata", {{"namespace", "ns"}, {"name", "data"}}}, {"spec", {{"volumeName", "v"}}}});
    api_.put(kVolumes, {{"metadata", {{"name", "v"}}},
                        {"spec",
                         {{"claimRef", {{"uid", uid_of(claim->body())}}},
                          {"hostPath", {{"path", folder_.path().string()}}}}}});
    const auto begin = static_cast<double>(at("2026-11-16T01:00:00Z").time_since_epoch() / 1s);
    std::string points;
    for (int step = 0; step <= 40; ++step) {
      points += monitor::writing::record(
          monitor::writing::scalar_event(begin + step / 2.0, step, "loss", 0.5F));
    }
    std::filesystem::create_directories(folder_.path() / "log");
    EXPECT_TRUE(write_file_unsynced(folder_.path() / "log/events.out.tfevents.1", points, 0644));
  }
  ~ProgressReaderTest() override { loop_.run(curves_.stop()); }

  /// A pod that runs, and what its log says.
  ObjectPtr pod(const std::string& name, const std::string& job, const std::string& log) {
    const auto run = Paths(config_.data_dir).run(name, "main", 0);
    std::filesystem::create_directories(run);
    EXPECT_TRUE(write_file_unsynced(run / "log", log, 0644));
    return std::make_shared<const StoredObject>(
        Json{{"metadata",
              {{"name", name},
               {"namespace", "ns"},
               {"uid", name},
               {"annotations", {{"scheduling.k8s.io/group-name", job}}},
               {"ownerReferences", JsonArray{{{"uid", job}, {"controller", true}}}}}},
             {"status",
              {{"startTime", "2026-11-16T01:00:00Z"},
               {"containerStatuses",
                JsonArray{{{"name", "main"}, {"state", {{"running", JsonObject()}}}}}}}}},
        1);
  }
  std::vector<std::string> ask(std::vector<ObjectPtr> pods) {
    ProgressReader reader(clock_, loop_.executor(), config_, curves_);
    contract::LogFoldersOfPod folders = [this](const Json& pod) {
      asked_.emplace_back(name_of(pod));
      return std::vector<contract::LogFolderSource>{{"data", "log"}};
    };
    std::vector<std::string> words;
    for (const auto& told : loop_.run(reader.tell_progress(std::move(pods), std::move(folders)))) {
      words.push_back(
          fmt::format("{}: {}", name_of(told.pod->body()), string_at(told.progress, "words")));
    }
    return words;
  }

  TestFolder folder_;
  TestLoop loop_;
  FakeClock clock_;
  client::FakeApi api_;
  CurveReader curves_;
  NodeConfig config_;
  std::vector<std::string> asked_;
};

TEST_F(ProgressReaderTest, HasOneAnswerAJobFromItsLogsAndItsEventFiles) {
  const std::string step = "2026-11-16T01:00:0{}.000000Z stdout F step {}/80 loss 0.9\n";
  const std::string counted =
      fmt::format(fmt::runtime(step), 0, 1) + fmt::format(fmt::runtime(step), 5, 2);
  const std::string epoch = "2026-11-16T01:00:00.000000Z stdout F epoch 1/4\n";
  const std::vector<std::string> expected{"a-1: step 2/80 (2 %), 0.2 steps/s, 6m30s left, loss 0.9",
                                          "b-0: epoch 1/4, step 40 (0 %), 2 steps/s, loss 0.5",
                                          "c-0: step 40, 2 steps/s, loss 0.5"};
  EXPECT_EQ(ask({pod("a-0", "a", ""), pod("a-1", "a", counted), pod("b-0", "b", epoch),
                 pod("c-0", "c", "")}),
            expected);
  const std::vector<std::string> looked_for{"b-0", "c-0"};
  EXPECT_EQ(asked_, looked_for) << "the log of a says all";
}

}  // namespace
}  // namespace trainyard::node
