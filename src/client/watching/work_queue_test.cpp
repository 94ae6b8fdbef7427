#include "client/watching/work_queue.h"

#include "client/watching/backoff.h"

#include <gtest/gtest.h>

namespace trainyard::client {
namespace {

using namespace std::chrono_literals;

const Key kA{"ns", "a"};
const Key kB{"ns", "b"};
const TimePoint kStart{};

TEST(WorkQueue, GivesAKeyOnceHoweverOftenItWasAdded) {
  WorkQueue queue;
  queue.add(kA);
  queue.add(kB);
  queue.add(kA);
  EXPECT_EQ(queue.take(kStart), kA);
  EXPECT_EQ(queue.take(kStart), kB);
  EXPECT_EQ(queue.take(kStart), std::nullopt);
}

TEST(WorkQueue, GivesAKeyAgainOnlyWhenTheWorkOnItIsDone) {
  WorkQueue queue;
  queue.add(kA);
  queue.take(kStart);
  queue.add(kA);
  EXPECT_EQ(queue.take(kStart), std::nullopt);
  queue.done(kA);
  EXPECT_EQ(queue.take(kStart), kA);
  queue.done(kA);
  EXPECT_EQ(queue.take(kStart), std::nullopt);
}

TEST(WorkQueue, KeepsTheEarliestOfSeveralTimes) {
  WorkQueue queue;
  queue.add_at(kA, kStart + 5s);
  queue.add_at(kA, kStart + 2s);
  queue.add_at(kA, kStart + 9s);
  EXPECT_EQ(queue.next_time(), kStart + 2s);
  EXPECT_EQ(queue.take(kStart + 1s), std::nullopt);
  EXPECT_EQ(queue.take(kStart + 2s), kA);
  EXPECT_EQ(queue.next_time(), std::nullopt);
}

TEST(Backoff, DoublesWithEachFailureAndBeginsAgainAfterSuccess) {
  Backoff backoff;
  const auto first = backoff.failed(kA, kStart);
  EXPECT_GE(first, 5ms);
  EXPECT_LE(first, 5500us);
  const auto second = backoff.failed(kA, kStart);
  EXPECT_GE(second, 10ms);
  for (int i = 0; i < 40; ++i) (void)backoff.failed(kA, kStart + i * 1s);
  EXPECT_GE(backoff.failed(kA, kStart + 60s), 30s);
  EXPECT_LE(backoff.failed(kA, kStart + 61s), 33s);
  backoff.forget(kA);
  EXPECT_LE(backoff.failed(kA, kStart + 62s), 5500us);
}

TEST(Backoff, SpreadsTheRetriesOfVeryManyKeys) {
  Backoff backoff;
  std::chrono::nanoseconds last{};
  for (int i = 0; i < 200; ++i) last = backoff.failed(Key{"", std::to_string(i)}, kStart);
  EXPECT_NEAR(std::chrono::duration<double>(last).count(), 10.0, 0.2);
}

TEST(Backoff, SpreadsKeysThatFailTogether) {
  Backoff backoff;
  for (int i = 0; i < 10; ++i) {
    (void)backoff.failed(kA, kStart);
    (void)backoff.failed(kB, kStart);
  }
  EXPECT_NE(backoff.failed(kA, kStart), backoff.failed(kB, kStart));
}

}  // namespace
}  // namespace trainyard::client
