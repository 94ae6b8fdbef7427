#include "contract/last_words.h"

#include <gtest/gtest.h>

namespace trainyard::contract {
namespace {

// As torch 1.13 writes it, shortened in the middle.
constexpr const char* kReport =
    "ERROR:torch.distributed.elastic.multiprocessing.api:failed (exitcode: 1) local_rank: 2 (pid: "
    "4073) of binary: /usr/bin/python3\n"
    "Traceback (most recent call last):\n"
    "  File \"/usr/lib/python3/dist-packages/torch/distributed/launcher/api.py\", line 246\n"
    "    raise ChildFailedError(\n"
    "torch.distributed.elastic.multiprocessing.errors.ChildFailedError: \n"
    "============================================================\n"
    "fit.py FAILED\n"
    "------------------------------------------------------------\n"
    "Root Cause (first observed failure):\n"
    "  exitcode  : 1 (pid: 4073)\n"
    "============================================================\n";

TEST(LastWords, AreTheLastLineThatIsNotEmpty) {
  EXPECT_EQ(read_last_words("loading\nno space left on device\n\n  \n").line,
            "no space left on device");
  EXPECT_EQ(read_last_words("").line, "");
  EXPECT_EQ(read_last_words("half a li").line, "half a li");
}

TEST(LastWords, AreTheLastLineOfAPythonTraceback) {
  const LastWords words = read_last_words(
      "epoch 1\nTraceback (most recent call last):\n  File \"fit.py\", line 3, in <module>\n"
      "    raise ValueError(\"bad batch\")\nValueError: bad batch\nbye\n");
  EXPECT_EQ(words.line, "ValueError: bad batch");
  EXPECT_TRUE(words.traceback);
  EXPECT_FALSE(words.launcher);
}

TEST(LastWords, OfSeveralTracebacksOfOneProgramTheLastCounts) {
  EXPECT_EQ(read_last_words("Traceback (most recent call last):\n  File \"a\"\nKeyError: 'x'\n\n"
                            "During handling of the above exception, another exception occurred:\n"
                            "\nTraceback (most recent call last):\n  File \"b\"\nOSError: gone\n")
                .line,
            "OSError: gone");
}

TEST(LastWords, TagsOfLaunchersDoNotHideATraceback) {
  EXPECT_EQ(read_last_words("[rank1]: Traceback (most recent call last):\n[rank1]:   File \"a\"\n"
                            "[rank1]: RuntimeError: CUDA out of memory\n")
                .line,
            "RuntimeError: CUDA out of memory");
}

TEST(LastWords, PassOverTorchrunsReport) {
  const LastWords words = read_last_words(
      std::string("Traceback (most recent call last):\n  File \"fit.py\"\nValueError: bad\n"
                  "Traceback (most recent call last):\n  File \"fit.py\"\n"
                  "RuntimeError: Connection closed by peer\n"
                  "WARNING:torch.distributed.elastic.multiprocessing.api:Sending process 4 closing "
                  "signal SIGTERM\n") +
      kReport);
  EXPECT_EQ(words.line, "ValueError: bad") << "the others fail because of the first";
  EXPECT_TRUE(words.launcher);
}

TEST(LastWords, OfTorchrunsTriesTheLastCounts) {
  const std::string first = "Traceback (most recent call last):\n  File \"a\"\nKeyError: 'old'\n";
  const std::string failed =
      "ERROR:torch.distributed.elastic.multiprocessing.api:failed (exitcode: 1) local_rank: 0\n";
  const std::string second = "Traceback (most recent call last):\n  File \"a\"\nKeyError: 'new'\n";
  EXPECT_EQ(read_last_words(first + failed + second + kReport).line, "KeyError: 'new'");
}

TEST(LastWords, SayThatOnlyTorchrunsReportIsThere) {
  const LastWords words = read_last_words(kReport);
  EXPECT_EQ(words.line, "");
  EXPECT_TRUE(words.launcher);
  // The beginning of the report is cut off where messages are short.
  const std::string report = kReport;
  EXPECT_EQ(read_last_words(report.substr(report.find("    raise"))).line, "");
}

TEST(LastWords, AreCutBetweenCharacters) {
  std::string line;
  for (int i = 0; i < 200; ++i) line += "é";
  const std::string cut = read_last_words(line).line;
  EXPECT_LT(cut.size(), 250U);
  EXPECT_TRUE(cut.ends_with("é…"));
}

TEST(EndNotes, AreFoundByContainer) {
  const std::string message = end_note("main", "2026-03-01T10:00:05.123456Z", "ValueError: a: b") +
                              "\n" + end_note("side", "2026-03-01T10:00:06.000001Z", "");
  EXPECT_EQ(find_end_note(message, "main").time, "2026-03-01T10:00:05.123456Z");
  EXPECT_EQ(find_end_note(message, "main").line, "ValueError: a: b");
  EXPECT_EQ(find_end_note(message, "side").time, "2026-03-01T10:00:06.000001Z");
  EXPECT_EQ(find_end_note(message, "side").line, "");
  EXPECT_EQ(find_end_note(message, "ain").time, "");
}

}  // namespace
}  // namespace trainyard::contract
