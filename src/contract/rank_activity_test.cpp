#include "contract/rank_activity.h"

#include <gtest/gtest.h>

namespace trainyard::contract {
namespace {

using namespace std::chrono_literals;

TEST(RankActivity, IsReadAsItWasWritten) {
  RankReport worker;
  worker.container = "pytorch";
  worker.rank = 3;
  worker.world = 4;
  worker.state = RankState::kQuiet;
  worker.pace = RankPace::kWaitsInLock;
  worker.began = true;
  worker.since = WallTime(1'700'000'000'123'456us);
  worker.waits = "reads the FIFO /data/\"x\"";
  worker.stack = {"train.py:33 in main", "train.py:40 in <module>"};
  RankReport side;
  side.container = "side";
  side.since = WallTime(1s);
  const std::vector<RankReport> all{worker, side};
  EXPECT_EQ(read_activity(activity_message(all)), all);
}

TEST(RankActivity, OfWhatIsNoMessageThereIsNone) {
  for (const char* text : {"", "x", "[]", "{}", R"({"ranks":7})", R"({"ranks":[1,"a"]})"}) {
    EXPECT_TRUE(read_activity(text).empty()) << text;
  }
  const auto odd =
      read_activity(R"({"ranks":[{"rank":-1,"state":"Dances","since":"x","stack":[1]}]})");
  ASSERT_EQ(odd.size(), 1U);
  EXPECT_EQ(odd[0], RankReport());
}

}  // namespace
}  // namespace trainyard::contract
