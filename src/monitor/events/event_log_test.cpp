#include "monitor/events/event_log.h"

#include "base/files/test_folder.h"
#include "monitor/events/event_writer.h"

#include <gtest/gtest.h>

#include <fstream>

namespace trainyard::monitor {
namespace {

namespace fs = std::filesystem;
using writing::record;
using writing::scalar_event;

std::string points(int from, int to, float value = 1) {
  std::string bytes;
  for (int step = from; step < to; ++step) bytes += record(scalar_event(step, step, "loss", value));
  return bytes;
}

class EventLogTest : public testing::Test {
 protected:
  void write(const std::string& name, std::string_view bytes,
             std::ios::openmode mode = std::ios::trunc) {
    const fs::path path = folder_.path() / name;
    fs::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary | mode)
        .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  }
  void append(const std::string& name, std::string_view bytes) {
    write(name, bytes, std::ios::app);
  }
  void refresh() {
    ASSERT_TRUE(log_.find_runs());
    log_.refresh();
  }
  std::vector<std::string> runs() const {
    std::vector<std::string> names;
    for (const auto& run : log_.runs()) names.push_back(run->name());
    return names;
  }
  /// Points of the only tag of a run.
  std::uint64_t count(const std::string& name = ".") const {
    for (const auto& run : log_.runs()) {
      if (run->name() == name && !run->data().tags().empty())
        return run->data().tags().front().scalars()->size();
    }
    return 0;
  }

  TestFolder folder_;
  std::unique_ptr<LogFolder> opened_ = *open_log_folder(folder_.path());
  EventLog log_{*opened_, {}};
};

TEST_F(EventLogTest, FindsNestedRuns) {
  write("events.out.tfevents.1", points(0, 3));
  write("a/b/events.out.tfevents.1", points(0, 5));
  write("a/events.out.tfevents.1.host", points(0, 4));
  write("a/model.pt", "no events");
  refresh();
  EXPECT_EQ(runs(), (std::vector<std::string>{".", "a", "a/b"}));
  EXPECT_EQ(count(), 3U);
  EXPECT_EQ(count("a"), 4U);
  EXPECT_EQ(count("a/b"), 5U);
  EXPECT_TRUE(log_.notes().sentences().empty());
}

TEST_F(EventLogTest, FollowsAFileThatGrowsByteByByte) {
  const std::string bytes = points(0, 20);
  write("events.out.tfevents.1", "");
  for (std::size_t i = 0; i < bytes.size(); i += 7) {
    append("events.out.tfevents.1", std::string_view(bytes).substr(i, 7));
    refresh();
    EXPECT_EQ(count(),
              (std::min(i + 7, bytes.size())) / record(scalar_event(1, 1, "loss", 1)).size());
  }
  EXPECT_EQ(count(), 20U);
  EXPECT_EQ(log_.runs()[0]->notes().rereadings, 0U);
  append("events.out.tfevents.1", points(20, 21).substr(0, 30));
  refresh();
  EXPECT_EQ(log_.notes().unfinished_files, 1U);
}

TEST_F(EventLogTest, ReadsLaterFilesOfARunWithoutReadingTheFirstAgain) {
  write("events.out.tfevents.1", points(0, 10));
  refresh();
  const std::uint64_t before = log_.runs()[0]->bytes_read();
  write("events.out.tfevents.2", points(10, 15));
  refresh();
  EXPECT_EQ(count(), 15U);
  EXPECT_EQ(log_.runs()[0]->bytes_read() - before, points(10, 15).size());
}

TEST_F(EventLogTest, BeginsAnewWhenAFileWasReplacedTruncatedOrRewritten) {
  const std::string file = "events.out.tfevents.1";
  write(file, points(0, 10));
  refresh();
  write(file, points(0, 4));  // truncated
  refresh();
  EXPECT_EQ(count(), 4U);
  write("other", points(0, 6));
  fs::rename(folder_.path() / "other", folder_.path() / file);  // another file
  refresh();
  EXPECT_EQ(count(), 6U);
  write(file, points(100, 109, 5));  // the same file, longer than before
  refresh();
  EXPECT_EQ(count(), 9U);
  EXPECT_EQ(log_.notes().rereadings, 3U);
  EXPECT_EQ(log_.runs()[0]->generation(), 3U);
  append(file, points(109, 110));
  refresh();
  EXPECT_EQ(log_.runs()[0]->generation(), 3U);  // grown only
  fs::remove(folder_.path() / file);
  refresh();
  EXPECT_TRUE(log_.runs().empty());
}

TEST_F(EventLogTest, FollowsNoLinks) {
  TestFolder elsewhere;
  std::ofstream(elsewhere.path() / "events.out.tfevents.9") << points(0, 3);
  fs::create_symlink(elsewhere.path() / "events.out.tfevents.9",
                     folder_.path() / "events.out.tfevents.9");
  fs::create_directory_symlink(elsewhere.path(), folder_.path() / "linked");
  fs::create_directory_symlink(folder_.path(), folder_.path() / "circle");
  write("good/events.out.tfevents.1", points(0, 3));
  refresh();
  EXPECT_EQ(runs(), std::vector<std::string>{"good"});
  EXPECT_EQ(log_.notes().links, 3U);
  // A file that becomes a link after it was found.
  ASSERT_TRUE(log_.find_runs());
  fs::remove(folder_.path() / "good/events.out.tfevents.1");
  fs::create_symlink(elsewhere.path() / "events.out.tfevents.9",
                     folder_.path() / "good/events.out.tfevents.1");
  append("good/events.out.tfevents.1", points(3, 5));  // through the link
  log_.refresh();
  EXPECT_EQ(count("good"), 3U);
  EXPECT_EQ(log_.notes().unreadable_files, 1U);
}

TEST_F(EventLogTest, ReadsRecordsLargerThanItsBuffer) {
  const std::string large(3 << 20, 'x');
  write("events.out.tfevents.1", points(0, 3) + record(writing::field(4, large)) + points(3, 6));
  refresh();
  EXPECT_EQ(count(), 6U);
  EXPECT_TRUE(log_.notes().sentences().empty());
}

TEST_F(EventLogTest, KeepsWithinItsMemory) {
  write("a/events.out.tfevents.1", points(0, 40'000));
  write("b/events.out.tfevents.1", points(0, 40'000));
  EventLogOptions options;
  options.most_bytes = 100'000;
  EventLog small(*opened_, options);
  ASSERT_TRUE(small.find_runs());
  small.refresh();
  EXPECT_EQ(small.notes().thinned, 2U);
  for (const auto& run : small.runs()) {
    EXPECT_EQ(run->data().tags()[0].scalars()->seen(), 40'000U);
    EXPECT_EQ(run->data().tags()[0].scalars()->last().step, 39'999);
  }
}

}  // namespace
}  // namespace trainyard::monitor
