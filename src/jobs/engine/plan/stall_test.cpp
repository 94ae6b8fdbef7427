#include "jobs/engine/plan/stall.h"

#include "jobs/engine/test_world.h"

#include <gtest/gtest.h>

namespace trainyard::jobs {
namespace {

using namespace std::chrono_literals;
using contract::RankPace;
using contract::RankReport;
using contract::RankState;

const std::vector<std::string> kAllReduce{
    "torch/distributed/distributed_c10d.py:1534 in all_reduce", "train.py:20 in main"};
const std::vector<std::string> kBackward{"torch/autograd/__init__.py:197 in backward",
                                         "torch/_tensor.py:487 in backward", "train.py:21 in main"};
const std::vector<std::string> kInit{
    "torch/distributed/rendezvous.py:176 in _create_c10d_store",
    "torch/distributed/distributed_c10d.py:754 in init_process_group", "train.py:5 in main"};

WatchedPod pod(int rank, RankState state, std::string waits, std::vector<std::string> stack = {}) {
  RankReport report;
  report.container = "pytorch";
  report.rank = rank;
  report.world = 3;
  report.state = state;
  report.began = true;
  report.since = WallTime(1'700'000'000s);
  report.waits = std::move(waits);
  report.stack = std::move(stack);
  WatchedPod made;
  made.name = "w-" + std::to_string(rank);
  made.type = "worker";
  made.runs = true;
  made.ranks = {std::move(report)};
  return made;
}

WatchedPod waits(int rank) {
  return pod(rank, RankState::kQuiet, "waits for another thread (futex)", kAllReduce);
}
WatchedPod moves(int rank) {
  return pod(rank, RankState::kMoves, "");
}

struct Case {
  const char* what;
  std::vector<WatchedPod> pods;
  const char* reason;  // "": no verdict
  const char* words;   // that the message must hold
};

WatchedPod not_begun(WatchedPod pod) {
  pod.ranks[0].began = false;
  return pod;
}
WatchedPod ended(int rank) {
  WatchedPod gone = waits(rank);
  gone.runs = false;
  gone.ended = true;
  gone.ranks.clear();
  return gone;
}
WatchedPod pending(int rank) {
  WatchedPod gone = ended(rank);
  gone.ended = false;
  return gone;
}
WatchedPod untold(int rank) {
  WatchedPod silent = waits(rank);
  silent.ranks.clear();
  return silent;
}

TEST(JudgeStall, NamesTheOddOneOut) {
  const Case all[] = {
      {"all move", {moves(0), moves(1), moves(2)}, "", ""},
      {"two wait for one that moves", {waits(0), moves(1), waits(2)}, "", ""},
      {"one was never told of", {waits(0), untold(1), waits(2)}, "", ""},
      {"stopped while others move",
       {moves(0), pod(1, RankState::kIsStopped, "is stopped (SIGSTOP)"), moves(2)},
       "RankIsStopped",
       "rank 1 (w-1) is stopped (SIGSTOP)"},
      {"a deadlock before a collective",
       {waits(0),
        pod(1, RankState::kQuiet, "waits for another thread (futex)", {"train.py:33 in step"}),
        waits(2)},
       "RankIsBehind",
       "rank 1 (w-1) waits for another thread (futex), at train.py:33 in step since "
       "2023-11-14T22:13:20Z; the other 2 ranks wait for it"},
      {"a loader that sleeps",
       {pod(0, RankState::kQuiet, "waits in poll on a pipe",
            {"selectors.py:415 in select", "torch/utils/data/dataloader.py:1163 in _try_get_data",
             "train.py:18 in main"}),
        pod(1, RankState::kQuiet, "waits for another thread (futex)", kBackward),
        pod(2, RankState::kQuiet, "waits for another thread (futex)", kBackward)},
       "RankIsBehind",
       "rank 0 (w-0) waits in poll on a pipe, at selectors.py:415 in select"},
      {"one of two",
       {waits(0),
        pod(1, RankState::kQuiet, "is blocked reading the FIFO /data/x", {"train.py:9 in load"})},
       "RankIsMissing",  // WORLD_SIZE says three
       "rank 2 of WORLD_SIZE"},
      {"no Python, told apart by the kernel",
       {pod(0, RankState::kQuiet, "waits in recv on a socket to 127.64.0.2:29500"),
        pod(1, RankState::kQuiet, "is blocked writing to a pipe, which is full"),
        pod(2, RankState::kQuiet, "waits in recv on a socket to 127.64.0.2:29500")},
       "RankIsBehind",
       "rank 1 (w-1) is blocked writing to a pipe"},
      {"one computes for ever",
       {waits(0), pod(1, RankState::kSpins, "runs on the CPU", {"train.py:50 in spin"}), waits(2)},
       "RankIsBehind",
       "rank 1 (w-1) runs on the CPU, at train.py:50 in spin"},
      {"most compute",
       {waits(0), pod(1, RankState::kSpins, "runs on the CPU"),
        pod(2, RankState::kSpins, "runs on the CPU")},
       "",
       ""},
      {"one has ended", {waits(0), waits(1), ended(2)}, "RankHasEnded", "w-2 has ended"},
      {"one is to come", {waits(0), waits(1), pending(2)}, "RankIsMissing", "w-2 does not run"},
      {"one comes late to the rendezvous",
       {pod(0, RankState::kQuiet, "waits in recv on a socket", kInit),
        not_begun(pod(1, RankState::kQuiet, "sleeps")),
        pod(2, RankState::kQuiet, "waits in recv on a socket", kInit)},
       "RankIsMissing",
       "rank 1 (w-1) sleeps"},
      {"the others ask for it again and again",
       {pod(0, RankState::kMurmurs, "sleeps", kInit), pod(1, RankState::kQuiet, "sleeps"),
        pod(2, RankState::kSpins, "sleeps", kInit)},
       "RankIsMissing",
       "rank 1 (w-1) sleeps"},
      {"a small training murmurs, too",
       {pod(0, RankState::kMurmurs, "sleeps", {"train.py:9 in main"}), waits(1), waits(2)},
       "",
       ""},
      {"all wait alike", {waits(0), waits(1), waits(2)}, "NothingMoves", "all 3 ranks"},
      {"another collective",
       {waits(0),
        pod(1, RankState::kQuiet, "waits for another thread (futex)",
            {"torch/distributed/distributed_c10d.py:2776 in barrier", "train.py:30 in main"}),
        waits(2)},
       "RankIsBehind",
       "in barrier, called from train.py:30 in main"},
      {"all sleep, and always did",
       {not_begun(pod(0, RankState::kQuiet, "sleeps")),
        not_begun(pod(1, RankState::kQuiet, "sleeps")),
        not_begun(pod(2, RankState::kQuiet, "sleeps"))},
       "",
       ""},
  };
  for (const Case& one : all) {
    const auto verdict = judge_stall(one.pods);
    EXPECT_EQ(verdict ? verdict->reason : "", one.reason) << one.what;
    if (verdict) {
      EXPECT_NE(verdict->message.find(one.words), std::string::npos)
          << one.what << ": " << verdict->message;
    }
  }
}

WatchedPod paced(int rank, RankPace pace, const char* type = "worker") {
  WatchedPod made = moves(rank);
  made.ranks[0].pace = pace;
  made.type = type;
  return made;
}

TEST(JudgeStraggler, IsTheOneThatAllOthersWaitFor) {
  const auto slow = judge_straggler({paced(0, RankPace::kWaitsInLock), paced(1, RankPace::kWorks),
                                     paced(2, RankPace::kWaitsInLock)});
  ASSERT_TRUE(slow);
  EXPECT_EQ(slow->message,
            "rank 1 (w-1) is slower than the others: most of the time the other 2 ranks wait for "
            "it");
  const std::vector<std::vector<WatchedPod>> healthy{
      {paced(0, RankPace::kWorks), paced(1, RankPace::kWorks)},
      {paced(0, RankPace::kMixed), paced(1, RankPace::kWorks), paced(2, RankPace::kMixed)},
      {paced(0, RankPace::kMixed), paced(1, RankPace::kWaitsInLock)},
      {paced(0, RankPace::kWaitsInLock), paced(1, RankPace::kWaitsInLock)},
      {paced(0, RankPace::kWaitsInLock), paced(1, RankPace::kWaitsInPoll)},
      {paced(0, RankPace::kWaitsInLock, "ps"), paced(1, RankPace::kWorks, "evaluator")},
      {paced(0, RankPace::kWaitsInLock), paced(1, RankPace::kWorks), untold(2)},
      {paced(0, RankPace::kWorks)},
      {}};
  for (const auto& pods : healthy) EXPECT_FALSE(judge_straggler(pods));
}

TEST(JudgeStraggler, IsTheOneWhoseNodeFindsItToCountSlowly) {
  const auto slow = judge_straggler({untold(0), paced(1, RankPace::kCountsSlowly), untold(2)});
  ASSERT_TRUE(slow);
  EXPECT_EQ(slow->reason, "RankIsSlow");
  EXPECT_EQ(
      slow->message,
      "rank 1 (w-1) is slower than the others: by their logs, its steps take more than twice as "
      "long");
}

/// The whole way: the node writes its condition, the job tells, and stops telling.
TEST(ReportStall, IsACondtionAndOneEventAndGoesAway) {
  World world = World::with_groups({"{type: worker, replicas: 2}"});
  ASSERT_TRUE(world.settle());
  world.set_all_phases("Running");
  ASSERT_TRUE(world.settle());
  EXPECT_EQ(world.condition(kStalled), "") << "no trouble, no condition";
  const auto say = [&](const std::string& name, const WatchedPod& seen) {
    Json condition{{"type", contract::kActivityCondition},
                   {"status", "False"},
                   {"message", contract::activity_message(seen.ranks)}};
    make_path(world.pods.at(world.pod_name(name)), "status.conditions") =
        JsonArray{std::move(condition)};
  };
  WatchedPod zero = waits(0);
  zero.ranks[0].world = 2;
  say("worker-0", zero);
  ASSERT_TRUE(world.settle());
  EXPECT_EQ(world.condition(kStalled), "") << "the other may still work";
  WatchedPod one = pod(1, RankState::kQuiet, "sleeps", {"train.py:9 in load"});
  one.ranks[0].world = 2;
  say("worker-1", one);
  ASSERT_TRUE(world.settle());
  const std::string told = world.condition(kStalled);
  EXPECT_NE(told.find("True (RankIsBehind: rank 1 (" + world.pod_name("worker-1") + ") sleeps"),
            std::string::npos)
      << told;
  EXPECT_EQ(world.phase(), "Running");
  EXPECT_EQ(world.told(kStalled).size(), 1U);
  say("worker-1", moves(1));
  ASSERT_TRUE(world.settle());
  EXPECT_EQ(world.condition(kStalled), "False (Moves: All ranks move.)");
  EXPECT_EQ(world.told(kStalled).size(), 1U);
  EXPECT_EQ(world.told("MovesAgain").size(), 1U);
  say("worker-1", one);
  ASSERT_TRUE(world.settle());
  world.set_all_phases("Succeeded");
  ASSERT_TRUE(world.settle());
  EXPECT_EQ(world.condition(kStalled), "False (Moves: All ranks move.)");
}

}  // namespace
}  // namespace trainyard::jobs
