#include "node/network/hosts.h"

#include "base/fake_clock.h"
#include "base/files/files.h"
#include "base/files/test_folder.h"
#include "base/task_group.h"
#include "base/test_loop.h"
#include "node/network/network_for_tests.h"

#include <gtest/gtest.h>

#include <sys/stat.h>

namespace trainyard::node {
namespace {

using namespace std::chrono_literals;

class HostsTest : public testing::Test {
 protected:
  void add(const std::string& name) {
    network_.add_pod(place_of_pod(name));
    ASSERT_TRUE(hosts_.add("u-" + name));
  }
  std::string file(const std::string& name) {
    return read_file(paths_.hosts("u-" + name)).value_or("-");
  }
  bool knows(const std::string& name, const std::string& other) {
    return file(name).find(" " + other + "\n") != std::string::npos;
  }
  void write() { loop_.run(hosts_.write_changed()); }

  TestLoop loop_;
  FakeClock clock_{loop_.executor()};
  TestFolder folder_;
  Paths paths_{folder_.path()};
  Network network_;
  Hosts hosts_{loop_.executor(), clock_, paths_, network_};
};

TEST_F(HostsTest, TheFileIsChangedInPlaceSinceItIsMountedIntoContainers) {
  add("first");
  struct stat before{};
  struct stat after{};
  ASSERT_EQ(::stat(paths_.hosts("u-first").c_str(), &before), 0);
  add("second");
  write();
  EXPECT_TRUE(knows("first", "second"));
  network_.remove_pod("u-second");
  hosts_.remove("u-second");
  write();
  ASSERT_EQ(::stat(paths_.hosts("u-first").c_str(), &after), 0);
  EXPECT_EQ(before.st_ino, after.st_ino);
  EXPECT_FALSE(knows("first", "second")) << "and is shortened again";
}

TEST_F(HostsTest, AFileThatIsThereIsNotTakenBackToWhatIsKnownSoFar) {
  ASSERT_TRUE(make_folders(paths_.pod("u-a"), 0755));
  ASSERT_TRUE(write_file(paths_.hosts("u-a"), "127.64.1.1 peer\n", 0644));
  add("a");
  EXPECT_EQ(file("a"), "127.64.1.1 peer\n");
  write();
  EXPECT_TRUE(knows("a", "a"));
}

TEST_F(HostsTest, ManyChangesAreWrittenOnceButANewPodsOwnFileAtOnce) {
  TaskGroup tasks(loop_.executor());
  tasks.spawn("hosts files", hosts_.run());
  add("first");
  loop_.run_until([&] { return clock_.sleepers() == 1; });
  add("second");
  EXPECT_TRUE(knows("second", "first"));
  EXPECT_FALSE(knows("first", "second"));
  clock_.advance(30ms);
  loop_.run_until([&] { return knows("first", "second"); });
  loop_.run(tasks.stop());
}

TEST_F(HostsTest, AFileThatHasGoneIsNotMadeAgain) {
  add("a");
  std::filesystem::remove_all(paths_.pod("u-a"));
  add("b");
  write();
  EXPECT_EQ(file("a"), "-");
  EXPECT_TRUE(knows("b", "a"));
}

}  // namespace
}  // namespace trainyard::node
