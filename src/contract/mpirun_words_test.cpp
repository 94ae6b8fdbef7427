// What mpirun of Open MPI 4.1 writes when something fails, and what of it tells why.
#include "contract/last_words.h"

#include <gtest/gtest.h>

namespace trainyard::contract {
namespace {

const std::string kRuler(74, '-');
const std::string kBefore =
    "services are ready!\nmpirun: /usr/bin/mpirun\n"
    "Warning: Permanently added 'a-worker-0.a-worker' (ED25519) to the list of known hosts.\n";
const std::string kAborted =
    kRuler +
    "\nPrimary job  terminated normally, but 1 process returned\n"
    "a non-zero exit code. Per user-direction, the job has been aborted.\n" +
    kRuler + "\n";
const std::string kDetected = kRuler +
                              "\nmpirun detected that one or more processes exited with non-zero "
                              "status, thus causing\nthe job to be terminated. The first process "
                              "to do so was:\n\n  Process name: [[1,1],0]\n  Exit code:    3\n" +
                              kRuler + "\n";

TEST(MpirunWords, AnArgumentThatItRejectsIsTheCause) {
  EXPECT_EQ(read_last_words(kBefore + "/usr/bin/mpirun: Error: unknown option \"--frobnicate\"\n"
                                      "Type '/usr/bin/mpirun --help' for usage.\n")
                .line,
            "/usr/bin/mpirun: Error: unknown option \"--frobnicate\"");
}

TEST(MpirunWords, AReportOfWhatCouldNotBeStartedIsTheCauseInOneLine) {
  EXPECT_EQ(read_last_words(kBefore + kRuler +
                            "\nmpirun was unable to launch the specified application as it could "
                            "not access\nor execute an executable:\n\nExecutable: /no/such\n"
                            "Node: vm\n\nwhile attempting to start process rank 0.\n" +
                            kRuler + "\n")
                .line,
            "mpirun was unable to launch the specified application as it could not access or "
            "execute an executable: Executable: /no/such Node: vm");
}

TEST(MpirunWords, WhatAProcessWroteBeforeTheReportIsTheCause) {
  EXPECT_EQ(
      read_last_words(kBefore + "loading\ncannot open data\n" + kAborted + "killed\n" + kDetected)
          .line,
      "cannot open data");
}

TEST(MpirunWords, TheFirstTracebackIsTheCause) {
  const LastWords words = read_last_words(
      kBefore + "Traceback (most recent call last):\n  File \"a.py\", line 1\nValueError: first\n" +
      kAborted);
  EXPECT_EQ(words.line, "ValueError: first");
  EXPECT_TRUE(words.traceback);
}

TEST(MpirunWords, ProcessesThatSaidNothingLeaveTheReport) {
  EXPECT_EQ(read_last_words(kBefore + kAborted).line,
            "Primary job  terminated normally, but 1 process returned a non-zero exit code. Per "
            "user-direction, the job has been aborted.");
}

TEST(MpirunWords, RulersOfOthersAreNoReports) {
  EXPECT_EQ(read_last_words("title\n" + kRuler + "\nlast line\n").line, "last line");
}

}  // namespace
}  // namespace trainyard::contract
