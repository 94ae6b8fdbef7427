#include "node/training/curve_reader.h"

#include "base/fake_clock.h"
#include "base/files/test_folder.h"
#include "base/test_loop.h"
#include "client/fake_api.h"
#include "monitor/events/event_writer.h"
#include "node/volumes/volumes.h"

#include <gtest/gtest.h>

#include <fstream>

namespace trainyard::node {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using client::CurveAnswer;
using client::CurveQuestion;
using monitor::writing::record;
using monitor::writing::scalar_event;

const std::string kFile = "log/events.out.tfevents.1";

std::string points(int from, int to) {
  std::string bytes;
  for (int step = from; step < to; ++step) {
    bytes += record(scalar_event(1000 + step, step, "loss", static_cast<float>(step) / 2));
  }
  return bytes;
}

CurveQuestion for_tag(std::string tag) {
  CurveQuestion question;
  question.tags = {std::move(tag)};
  return question;
}
CurveQuestion of_folders(std::vector<contract::LogFolderSource> folders) {
  CurveQuestion question;
  question.folders = std::move(folders);
  return question;
}

class CurveReaderTest : public testing::Test {
 protected:
  CurveReaderTest()
      : clock_(loop_.executor()),
        api_(loop_.executor(), clock_),
        reader_(loop_.executor(), api_, clock_) {
    const ObjectPtr claim = api_.put(
        kVolumeClaims,
        {{"metadata", {{"namespace", "ns"}, {"name", "data"}}}, {"spec", {{"volumeName", "v"}}}});
    api_.put(kVolumes, {{"metadata", {{"name", "v"}}},
                        {"spec",
                         {{"claimRef", {{"uid", uid_of(claim->body())}}},
                          {"hostPath", {{"path", folder_.path().string()}}}}}});
  }
  ~CurveReaderTest() override { loop_.run(reader_.stop()); }

  void write(const std::string& name, const std::string& bytes,
             std::ios::openmode mode = std::ios::app) {
    fs::create_directories((folder_.path() / name).parent_path());
    std::ofstream(folder_.path() / name, std::ios::binary | mode) << bytes;
  }
  CurveAnswer ask(CurveQuestion question) {
    clock_.advance(2s);
    question.ns = "ns";
    if (question.folders.empty()) question.folders = {{"data", "log"}};
    const auto answer = loop_.run(reader_.tell(std::move(question)));
    EXPECT_TRUE(answer);
    return answer ? *answer : CurveAnswer();
  }

  TestFolder folder_;
  TestLoop loop_;
  FakeClock clock_;
  client::FakeApi api_;
  CurveReader reader_;
};

TEST_F(CurveReaderTest, TellsRunsTagsAndPoints) {
  write(kFile, points(0, 500));
  write("log/eval/events.out.tfevents.2", points(0, 3));
  const CurveAnswer there = ask({});
  ASSERT_EQ(there.runs.size(), 2U);
  EXPECT_EQ(there.runs[0].name, ".");
  EXPECT_EQ(there.runs[1].name, "eval");
  const client::CurveFacts& facts = there.runs[0].curves.at(0);
  EXPECT_EQ(facts.tag, "loss");
  EXPECT_EQ(facts.points, 500U);
  EXPECT_EQ(facts.last.step, 499);
  EXPECT_EQ(facts.last.wall_time, 1499);
  EXPECT_EQ(facts.greatest, 249.5);
  EXPECT_TRUE(there.warnings.empty());
  CurveQuestion question = for_tag("loss");
  question.runs = {"."};
  question.points = 20;
  const CurveAnswer drawn = ask(std::move(question));
  ASSERT_EQ(drawn.curves.size(), 1U);
  EXPECT_LE(drawn.curves[0].points.size(), 20U);
  EXPECT_EQ(drawn.curves[0].points.back().value, 249.5);
  EXPECT_TRUE(ask(for_tag("accuracy")).curves.empty());
}

TEST_F(CurveReaderTest, TellsWhatHasComeSince) {
  write(kFile, points(0, 10));
  const CurveAnswer first = ask(for_tag("loss"));
  write(kFile, points(10, 12));
  CurveQuestion question = for_tag("loss");
  question.since = 9;
  const CurveAnswer later = ask(std::move(question));
  ASSERT_EQ(later.curves.size(), 1U);
  EXPECT_EQ(later.curves[0].points.size(), 2U);
  EXPECT_EQ(later.curves[0].written, 12U);
  EXPECT_EQ(later.curves[0].version, first.curves.at(0).version);
  write(kFile, points(0, 4), std::ios::trunc);
  EXPECT_NE(ask(for_tag("loss")).curves.at(0).version, first.curves[0].version);
}

TEST_F(CurveReaderTest, WaitsForAFolderThatTheJobHasYetToMake) {
  EXPECT_TRUE(ask({}).runs.empty());
  EXPECT_TRUE(ask({}).warnings.empty());
  write(kFile, points(0, 2));
  EXPECT_EQ(ask({}).runs.size(), 1U);
  fs::remove_all(folder_.path() / "log");
  EXPECT_TRUE(ask({}).runs.empty());
  write(kFile, points(0, 5));
  EXPECT_EQ(ask({}).runs.at(0).curves.at(0).points, 5U);
}

TEST_F(CurveReaderTest, CountsWhatIsDamagedAndFollowsNoLinkOut) {
  TestFolder elsewhere;
  std::ofstream(elsewhere.path() / "events.out.tfevents.9") << points(0, 3);
  std::string damaged = points(0, 3);
  damaged[20] = static_cast<char>(~damaged[20]);
  write(kFile, damaged);
  fs::create_directory_symlink(elsewhere.path(), folder_.path() / "log/out");
  const CurveAnswer answer = ask({});
  EXPECT_EQ(answer.runs.size(), 1U);
  EXPECT_EQ(answer.warnings.size(), 2U);
  fs::create_directory_symlink(elsewhere.path(), folder_.path() / "away");
  const CurveAnswer away = ask(of_folders({{"data", "away"}}));
  EXPECT_TRUE(away.runs.empty());
  EXPECT_EQ(away.warnings.size(), 1U);
}

TEST_F(CurveReaderTest, SaysWhichVolumeIsMissing) {
  write("a/events.out.tfevents.1", points(0, 3));
  const CurveAnswer answer = ask(of_folders({{"data", "a"}, {"gone", ""}}));
  ASSERT_EQ(answer.runs.size(), 1U);
  EXPECT_EQ(answer.runs[0].name, "data/a");  // as TensorBoard calls it where there are several
  ASSERT_EQ(answer.warnings.size(), 1U);
  EXPECT_NE(answer.warnings[0].find("gone"), std::string::npos) << answer.warnings[0];
}

TEST_F(CurveReaderTest, ForgetsWhatNobodyAsksFor) {
  write(kFile, points(0, 3));
  ask({});
  EXPECT_EQ(reader_.open_logs(), 1U);
  for (int minute = 0; minute < 12; ++minute) {
    clock_.advance(1min);
    loop_.run_ready();
  }
  EXPECT_EQ(reader_.open_logs(), 0U);
  EXPECT_EQ(ask({}).runs.size(), 1U);
}

}  // namespace
}  // namespace trainyard::node
