// Shims that wait, with the real one. Needs root, as the shim's namespaces do here.
#include "node/run/ready_runs.h"

#include "base/files/files.h"
#include "base/files/test_folder.h"
#include "base/test_loop.h"
#include "node/logs/log_file.h"
#include "node/run/shim_process.h"
#include "node/volumes/volume_files.h"

#include <gtest/gtest.h>

#include <csignal>
#include <functional>
#include <sys/mount.h>
#include <unistd.h>

namespace trainyard::node {
namespace {

class ReadyRunsTest : public testing::Test {
 protected:
  void SetUp() override {
    if (::geteuid() != 0) GTEST_SKIP() << "only root may make the shim's namespaces";
    ::signal(SIGCHLD, SIG_IGN);
    ASSERT_TRUE(make_folders(folder_.path() / "account", 0755));
    ready_.start();
    wait_until([&] { return ready_.size() == 4; });
  }
  void TearDown() override { loop_.run(ready_.stop()); }

  void wait_until(const std::function<bool()>& holds) {
    for (int i = 0; i < 2000 && !holds(); ++i) {
      loop_.run(clock_.sleep_for(std::chrono::milliseconds(5)));
    }
    ASSERT_TRUE(holds());
  }
  RunSpec shell(const std::string& script) const {
    RunSpec spec;
    spec.command = {"/bin/sh", "-c", script};
    spec.environment = {{"PATH", "/usr/bin:/bin"}};
    spec.working_dir = "/";
    spec.own_devices = true;
    spec.masks = {folder_.path()};
    Mount account;
    account.source = folder_.path() / "account";
    account.target = kAccountPath;
    spec.mounts.push_back(account);
    spec.overlay = container() / "overlay";
    return spec;
  }
  std::filesystem::path container() const { return paths_.container("uid", "main"); }
  ContainerRun run() const { return {container() / "0", TRAINYARD_SHIM}; }

  TestFolder folder_;
  TestLoop loop_;
  SystemClock clock_;
  Paths paths_{folder_.path()};
  ReadyRuns ready_{loop_.executor(), clock_, paths_, TRAINYARD_SHIM, -1, {folder_.path()}};
};

TEST_F(ReadyRunsTest, OneThatIsTakenRunsWhatItIsToldAndAnotherTakesItsPlace) {
  const RunSpec spec = shell("echo hello > /said && cat /said; exit 7");
  UniqueFd waiting = ready_.take(container(), spec);
  ASSERT_TRUE(waiting.valid());
  EXPECT_EQ(ready_.size(), 3U);
  const auto started = run().start(spec, std::move(waiting));
  ASSERT_TRUE(started) << started.error().message();
  wait_until([&] { return run().state().has_ended(); });
  EXPECT_EQ(run().state().exit_code, 7) << run().state().message;
  const std::string log = read_file(container() / "0" / "log").value_or("(none)");
  EXPECT_NE(log.find("hello"), std::string::npos) << log;
  wait_until([&] { return ready_.size() == 4; });
}

TEST_F(ReadyRunsTest, OneThatIsStillBeingMadeIsLeftAlone) {
  std::vector<std::filesystem::path> bases;
  for (const auto& entry : std::filesystem::directory_iterator(paths_.ready())) {
    bases.push_back(entry.path() / "0" / "base");
  }
  ASSERT_EQ(bases.size(), 4U);
  for (const auto& base : bases) ASSERT_TRUE(write_file_unsynced(base, "", 0600));
  EXPECT_EQ(ready_.size(), 0U);
  EXPECT_FALSE(ready_.take(container(), shell("true")).valid());
  ASSERT_TRUE(std::filesystem::remove(bases[2]));
  EXPECT_EQ(ready_.size(), 1U);
  EXPECT_TRUE(ready_.take(container(), shell("true")).valid());
  EXPECT_FALSE(std::filesystem::exists(bases[2].parent_path()));
}

TEST_F(ReadyRunsTest, ARunThatIsTakenAndNeverStartedHasNeverBeen) {
  const RunSpec spec = shell("true");
  {
    const UniqueFd dropped = ready_.take(container(), spec);
  }
  wait_until([&] { return !shim_lives_in(container() / "0"); });
  EXPECT_EQ(run().state().phase, RunState::Phase::kAbsent);
  const auto started = run().start(spec);
  ASSERT_TRUE(started) << started.error().message();
  wait_until([&] { return run().state().has_ended(); });
  EXPECT_EQ(run().state().exit_code, 0) << run().state().message;
}

TEST_F(ReadyRunsTest, WhatAsksForMoreStartsItsOwn) {
  RunSpec alone = shell("true");
  alone.own_network = true;
  RunSpec elsewhere = shell("true");
  elsewhere.root_tree = "/srv/tree";
  RunSpec sealed = shell("true");
  sealed.read_only_root = true;
  RunSpec open = shell("true");
  open.masks.clear();
  RunSpec without_account = shell("true");
  without_account.mounts.clear();
  for (const RunSpec& spec : {alone, elsewhere, sealed, open, without_account}) {
    EXPECT_FALSE(ready_.take(container(), spec).valid());
  }
  EXPECT_EQ(ready_.size(), 4U);
}

TEST_F(ReadyRunsTest, AreMadeAgainWhenTheMachinesMountsHaveChanged) {
  const std::filesystem::path disk = folder_.path() / "disk";
  ASSERT_TRUE(make_folders(disk, 0755));
  ASSERT_EQ(::mount("tmpfs", disk.c_str(), "tmpfs", 0, nullptr), 0);
  ASSERT_TRUE(write_file(disk / "file", "on the new disk", 0644));
  EXPECT_FALSE(ready_.take(container(), shell("true")).valid()) << "it would not see the disk";
  wait_until([&] { return ready_.size() == 4; });
  EXPECT_TRUE(ready_.take(container(), shell("true")).valid());
  ASSERT_EQ(::umount2(disk.c_str(), MNT_DETACH), 0);
}

TEST_F(ReadyRunsTest, OneThatWasKilledIsNotUsed) {
  wait_until([&] { return std::filesystem::exists(paths_.ready() / "0" / "0" / "pid"); });
  ASSERT_EQ(::kill(std::stoi(*read_file(paths_.ready() / "0" / "0" / "pid")), SIGKILL), 0);
  wait_until([&] { return !shim_lives_in(paths_.ready() / "0" / "0"); });
  EXPECT_FALSE(ready_.take(container(), shell("true")).valid());
}

TEST_F(ReadyRunsTest, EndWithTheServer) {
  const std::filesystem::path one = paths_.ready() / "0" / "0";
  const int pid = [&] {
    wait_until([&] { return std::filesystem::exists(one / "pid"); });
    return std::stoi(*read_file(one / "pid"));
  }();
  loop_.run(ready_.stop());
  wait_until([&] { return ::kill(pid, 0) != 0; });
  EXPECT_FALSE(std::filesystem::exists(paths_.ready()));
}

}  // namespace
}  // namespace trainyard::node
