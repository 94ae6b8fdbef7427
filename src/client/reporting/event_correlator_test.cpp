#include "client/reporting/event_correlator.h"

#include <gtest/gtest.h>

namespace trainyard::client {
namespace {

using namespace std::chrono_literals;

EventCorrelator::Happening happening(const std::string& message,
                                     const std::string& reason = "Failed") {
  return {"pod-1", "Warning", reason, message};
}

TEST(EventCorrelator, CountsTheSameEvent) {
  EventCorrelator correlator;
  const auto first = correlator.correlate(happening("a"), {});
  const auto second = correlator.correlate(happening("a"), {});
  ASSERT_TRUE(first && second);
  EXPECT_EQ(first->before, 0);
  EXPECT_EQ(second->before, 1);
  EXPECT_EQ(first->id, second->id);
}

TEST(EventCorrelator, CombinesTheEleventhMessageOfOneReason) {
  EventCorrelator correlator;
  std::set<std::string> ids;
  for (int i = 0; i < 10; ++i)
    ids.insert(correlator.correlate(happening(std::to_string(i)), {})->id);
  EXPECT_EQ(ids.size(), 10U);
  const auto eleventh = correlator.correlate(happening("10"), {});
  const auto twelfth = correlator.correlate(happening("11"), {});
  ASSERT_TRUE(eleventh && twelfth);
  EXPECT_EQ(eleventh->id, twelfth->id);
  EXPECT_FALSE(ids.contains(eleventh->id));
  EXPECT_EQ(twelfth->message, "(combined from similar events): 11");
  // One that was told before keeps its own event.
  EXPECT_EQ(correlator.correlate(happening("3"), {})->message, "3");
}

TEST(EventCorrelator, BeginsAnewAfterTenQuietMinutes) {
  EventCorrelator correlator;
  for (int i = 0; i < 11; ++i) (void)correlator.correlate(happening(std::to_string(i)), {});
  const auto later = correlator.correlate(happening("late"), TimePoint() + 601s);
  ASSERT_TRUE(later);
  EXPECT_EQ(later->message, "late");
}

TEST(EventCorrelator, SilencesAReasonThatDoesNotStopAndNoOther) {
  EventCorrelator correlator;
  int written = 0;
  for (int i = 0; i < 100; ++i) written += correlator.correlate(happening("x"), {}) ? 1 : 0;
  EXPECT_EQ(written, 25);
  EXPECT_TRUE(correlator.correlate(happening("end", "Succeeded"), {}));
  EXPECT_TRUE(correlator.correlate(happening("x"), TimePoint() + 301s));
}

TEST(EventCorrelator, ForgetsTheOldestWhenItsMemoryIsFull) {
  EventCorrelator correlator;
  for (int i = 0; i < 10'000; ++i) {
    auto one = happening("x");
    one.object = std::to_string(i);
    EXPECT_TRUE(correlator.correlate(one, TimePoint() + i * 1s));
  }
}

}  // namespace
}  // namespace trainyard::client
