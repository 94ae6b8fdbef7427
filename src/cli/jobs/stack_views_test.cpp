#include "cli/jobs/stack_views.h"

#include <gtest/gtest.h>

namespace trainyard::cli {
namespace {

client::ProcessStack rank(int number, const char* waits, std::vector<contract::StackFrame> frames) {
  client::ProcessStack stack;
  stack.container = "pytorch";
  stack.rank = number;
  stack.waits = waits;
  if (frames.empty()) stack.no_python = "it is stopped";
  if (!frames.empty()) {
    stack.threads.push_back({false, {{"/usr/lib/python3/threading.py", 3, "wait"}}});
    stack.threads.push_back({true, std::move(frames)});
  }
  return stack;
}

TEST(StackViews, PutThoseTogetherThatAreInOnePlace) {
  const std::vector<contract::StackFrame> collective{{"/lib/c10d.py", 15, "all_reduce"},
                                                     {"/work/train.py", 8, "main"}};
  const std::vector<PodStackList> pods{
      {"job-0", {rank(0, "waits in recv", collective)}, ""},
      {"job-1", {rank(1, "sleeps", {{"/work/train.py", 7, "main"}})}, ""},
      {"job-2", {rank(2, "waits in poll", collective)}, ""},
      {"job-3", {rank(3, "is stopped (SIGSTOP)", {})}, ""},
      {"job-4", {}, "nothing runs in it"}};
  EXPECT_EQ(show_stacks(pods, false),
            "rank 0 (job-0), rank 2 (job-2) [2 of 4]: waits in poll; waits in recv\n"
            "    /lib/c10d.py:15 in all_reduce\n"
            "    /work/train.py:8 in main\n"
            "rank 1 (job-1) [1 of 4]: sleeps\n"
            "    /work/train.py:7 in main\n"
            "rank 3 (job-3) [1 of 4]: is stopped (SIGSTOP)\n"
            "    no Python stack: it is stopped\n"
            "job-4: nothing runs in it\n");
  EXPECT_NE(show_stacks(pods, true).find("  another thread:\n    /usr/lib/python3/threading.py:3"),
            std::string::npos);
}

TEST(StackViews, AreReadAsTheyWereTold) {
  const std::vector<client::ProcessStack> some{rank(1, "sleeps", {{"a.py", 7, "f"}}),
                                               rank(2, "is stopped (SIGSTOP)", {})};
  EXPECT_EQ(client::read_stacks(client::stacks_json(some)), some);
  EXPECT_TRUE(client::read_stacks(Json()).empty());
}

}  // namespace
}  // namespace trainyard::cli
