#include "contract/python_stack.h"

#include <gtest/gtest.h>

namespace trainyard::contract {
namespace {

TEST(PythonStack, ReadsThreadsAsFaulthandlerWritesThem) {
  const auto threads = read_python_stacks(
      "Thread 0x00007f01 (most recent call first):\n"
      "  File \"/usr/lib/python3.11/threading.py\", line 324 in wait\n"
      "\n"
      "Current thread 0x00007f02 (most recent call first):\n"
      "  File \"/usr/lib/python3/dist-packages/torch/distributed/distributed_c10d.py\", line 1534 "
      "in all_reduce\n"
      "  File \"/data/my \", line 3 in x/train.py\", line 8 in <module>\n");
  ASSERT_EQ(threads.size(), 2U);
  EXPECT_FALSE(threads[0].current);
  const ThreadStack* main = main_stack(threads);
  ASSERT_NE(main, nullptr);
  ASSERT_EQ(main->frames.size(), 2U);
  EXPECT_EQ(short_frame(main->frames[0]),
            "torch/distributed/distributed_c10d.py:1534 in all_reduce");
  EXPECT_EQ(short_frame(threads[0].frames[0]), "python3.11/threading.py:324 in wait");
  EXPECT_EQ(main->frames[1].file, "/data/my \", line 3 in x/train.py");
  EXPECT_EQ(main->frames[1].line, 8);
  EXPECT_EQ(main->frames[1].function, "<module>");
}

TEST(PythonStack, PassesOverWhatItDoesNotUnderstand) {
  EXPECT_TRUE(read_python_stacks("").empty());
  EXPECT_TRUE(read_python_stacks("  File \"a\", line 1 in f\n").empty());  // of no thread
  const auto threads = read_python_stacks(
      "Thread 0x1 (most recent call first):\n  File \"a\", line x in f\n  File \"a\n  ...\n"
      "  File \"a\", line 7 in f");
  ASSERT_EQ(threads.size(), 1U);
  ASSERT_EQ(threads[0].frames.size(), 1U);
  EXPECT_EQ(short_frame(threads[0].frames[0]), "a:7 in f");
  EXPECT_EQ(main_stack({}), nullptr);
}

TEST(PythonStack, HasAnEndWhateverIsWritten) {
  std::string text;
  for (int i = 0; i < 200; ++i) {
    text += "Thread 0x1 (most recent call first):\n";
    for (int j = 0; j < 200; ++j) text += "  File \"a\", line 7 in f\n";
  }
  const auto threads = read_python_stacks(text);
  EXPECT_EQ(threads.size(), 64U);
  EXPECT_EQ(threads[0].frames.size(), 100U);
}

}  // namespace
}  // namespace trainyard::contract
