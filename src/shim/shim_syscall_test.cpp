// The built shim: what its container may ask of the kernel.

#include "shim/test_shim.h"

#include <gtest/gtest.h>

#include <unistd.h>

namespace trainyard::shim {
namespace {

class ShimSyscalls : public testing::Test {
 protected:
  void SetUp() override {
    if (::geteuid() != 0) GTEST_SKIP() << "needs root, to make namespaces";
  }
  TestShim shim_;
};

const std::string kProbe = std::string(SYSCALL_PROBE);

constexpr const char* kAnswers =
    "unshare user: EPERM\nclone user: EPERM\nraw socket: EPERM\nunshare files: allowed\n"
    "clone3: ENOSYS\nsetns: EPERM\nio_uring: ENOSYS\nkeyctl: EPERM\nadd_key: EPERM\n"
    "perf: EPERM\nfsopen: EPERM\nx32: ENOSYS\na thread: allowed\n";

TEST_F(ShimSyscalls, RefusesWhatContainersLack) {
  shim_.script(kProbe).run();
  EXPECT_EQ(shim_.log().out, kAnswers) << shim_.log().err << shim_.exit("message");
}

TEST_F(ShimSyscalls, RefusesItToOtherUsersToo) {
  shim_.add("uid", "1234").add("gid", "1234").script("cat " + kProbe + " > /tmp/probe; " + kProbe);
  shim_.run();
  EXPECT_EQ(shim_.log().out, kAnswers) << shim_.log().err << shim_.exit("message");
}

TEST_F(ShimSyscalls, RefusesItToCommandsBesideIt) {
  shim_.overlay().script("exec sleep 100").start();
  // What is inherited cannot be told apart from the outside: the state of the process says it.
  EXPECT_TRUE(eventually([&] { return exists(shim_.dir() + "/started"); }));
  const std::string mode = "Seccomp:\t2\n";
  EXPECT_TRUE(eventually([&] {
    const std::string children = read_text("/proc/" + std::to_string(shim_.pid()) + "/task/" +
                                           std::to_string(shim_.pid()) + "/children");
    const std::string child = children.substr(0, children.find(' '));
    return read_text("/proc/" + child + "/status").find(mode) != std::string::npos;
  }));
}

#if defined(__x86_64__)
TEST_F(ShimSyscalls, EndsProgramsOfAnotherArchitecture) {
  shim_.add("arg", kProbe).add("arg", "32-bit").run();
  EXPECT_EQ(shim_.exit("signal"), "31") << shim_.log().out;
  EXPECT_NE(shim_.exit("message").find("32-bit"), std::string::npos) << shim_.exit("message");
}
#endif

}  // namespace
}  // namespace trainyard::shim
