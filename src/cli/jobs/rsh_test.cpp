#include "cli/jobs/rsh.h"

#include "cli/terminal/session_output.h"

#include <gtest/gtest.h>

namespace trainyard::cli {
namespace {

TEST(Rsh, FindsThePodOfAHost) {
  const std::string list =
      "a-worker-0.a-worker a-40c14-worker-0 worker\n\nbroken line\n"
      "a-worker-1.a-worker a-40c14-worker-1 mpi-worker\n";
  const auto found = find_rsh_worker(list, "a-worker-1.a-worker");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->pod, "a-40c14-worker-1");
  EXPECT_EQ(found->container, "mpi-worker");
  EXPECT_FALSE(find_rsh_worker(list, "broken"));
  EXPECT_FALSE(find_rsh_worker(list, "a-worker-2.a-worker"));
}

TEST(Rsh, OptionsOfSshMeanNothing) {
  using Words = std::vector<std::string>;
  EXPECT_EQ(without_ssh_options({"-o", "ConnectionAttempts=10", "-x", "-p2222", "host", "-o", "b"}),
            (Words{"host", "-o", "b"}));
  EXPECT_EQ(without_ssh_options({"host", "cmd"}), (Words{"host", "cmd"}));
  EXPECT_EQ(without_ssh_options({"-o"}), Words());
}

TEST(Rsh, AllWordsAreOneLineForTheShell) {
  EXPECT_EQ(exec_target("demo", {"pod", "worker"}, {"orted -mca", "x \"y\""}),
            "/api/v1/namespaces/demo/pods/pod/exec?container=worker&stdout=true&stderr=true"
            "&command=/bin/sh&command=-c&command=orted%20-mca%20x%20%22y%22");
}

TEST(Rsh, EndsWithTheCodeOfTheCommand) {
  EXPECT_EQ(exit_code_of(R"({"status":"Success"})"), 0);
  EXPECT_EQ(exit_code_of(R"({"status":"Failure","details":{"causes":[{"reason":"ExitCode",)"
                         R"("message":"3"}]}})"),
            3);
  EXPECT_EQ(exit_code_of(R"({"status":"Failure","message":"no such container"})"), 255);
  EXPECT_EQ(exit_code_of("nonsense"), 255);
  EXPECT_EQ(why_not_run(R"({"status":"Success"})"), "");
  EXPECT_EQ(why_not_run(R"({"status":"Failure","message":"no such container"})"),
            "no such container");
  EXPECT_EQ(why_not_run(R"({"status":"Failure","message":"exit code 3",)"
                        R"("details":{"causes":[{"reason":"ExitCode","message":"3"}]}})"),
            "")
      << "it was run";
}

}  // namespace
}  // namespace trainyard::cli
