#include "node/hosts.h"

#include "base/files.h"
#include "base/test_folder.h"

#include <gtest/gtest.h>

#include <sys/stat.h>

namespace trainyard::node {
namespace {

Json pod(const std::string& uid, const std::string& name, const std::string& ns = "demo") {
  return {{"metadata", {{"name", name}, {"namespace", ns}, {"uid", uid}}},
          {"spec", JsonObject()},
          {"status", JsonObject()}};
}

class HostsTest : public testing::Test {
 protected:
  std::string file(const std::string& uid) {
    hosts_.write_changed();
    return read_file(paths_.hosts(uid)).value_or("-");
  }

  TestFolder folder_;
  Paths paths_{folder_.path()};
  Hosts hosts_{paths_};
};

TEST_F(HostsTest, EveryPodGetsALoopbackAddressOfItsOwn) {
  std::set<std::string> seen;
  for (int i = 0; i < 12; ++i) {
    const auto ip = hosts_.add(pod("u-" + std::to_string(i), "p" + std::to_string(i)));
    ASSERT_TRUE(ip);
    EXPECT_TRUE(ip->starts_with("127.")) << *ip;
    EXPECT_NE(*ip, "127.0.0.1");
    EXPECT_TRUE(seen.insert(*ip).second) << *ip;
  }
}

TEST_F(HostsTest, APodKeepsTheAddressOfItsStatus) {
  Json known = pod("u-1", "p");
  make_path(known, "status.podIP") = "127.64.7.7";
  EXPECT_EQ(hosts_.add(known).value_or(""), "127.64.7.7");
  EXPECT_EQ(hosts_.add(pod("u-2", "q")).value_or("") == "127.64.7.7", false);
}

TEST_F(HostsTest, PodsOfANamespaceFindEachOtherByAllTheirNames) {
  Json worker = pod("u-1", "mnist-0");
  make_path(worker, "spec.subdomain") = "mnist";
  const std::string ip = hosts_.add(worker).value_or("");
  ASSERT_TRUE(hosts_.add(pod("u-2", "mnist-1")));
  EXPECT_NE(file("u-2").find(ip + " mnist-0 mnist-0.mnist mnist-0.mnist.demo "
                                  "mnist-0.mnist.demo.svc mnist-0.mnist.demo.svc.cluster.local\n"),
            std::string::npos)
      << file("u-2");
  EXPECT_NE(file("u-1").find(" mnist-1\n"), std::string::npos) << "told of the later one, too";
  EXPECT_TRUE(file("u-1").starts_with("127.0.0.1 localhost\n"));
}

TEST_F(HostsTest, AHostnameOfItsOwnStandsBesideThePodsName) {
  Json named = pod("u-1", "long-pod-name");
  make_path(named, "spec.hostname") = "short";
  const std::string ip = hosts_.add(named).value_or("");
  EXPECT_NE(file("u-1").find(ip + " short long-pod-name\n"), std::string::npos) << file("u-1");
}

TEST_F(HostsTest, OtherNamespacesAreNotTold) {
  ASSERT_TRUE(hosts_.add(pod("u-1", "ours")));
  ASSERT_TRUE(hosts_.add(pod("u-2", "theirs", "other")));
  EXPECT_EQ(file("u-1").find("theirs"), std::string::npos);
}

TEST_F(HostsTest, TheFileIsChangedInPlaceSinceItIsMountedIntoContainers) {
  ASSERT_TRUE(hosts_.add(pod("u-1", "first")));
  struct stat before{};
  struct stat after{};
  ASSERT_EQ(::stat(paths_.hosts("u-1").c_str(), &before), 0);
  ASSERT_TRUE(hosts_.add(pod("u-2", "second")));
  hosts_.remove("u-2");
  ASSERT_EQ(::stat(paths_.hosts("u-1").c_str(), &after), 0);
  EXPECT_EQ(before.st_ino, after.st_ino);
  EXPECT_EQ(file("u-1").find("second"), std::string::npos) << "and is shortened again";
}

TEST_F(HostsTest, ManyChangesAreWrittenOnceButAPodsOwnFileAtOnce) {
  int told = 0;
  hosts_.on_change([&] { ++told; });
  ASSERT_TRUE(hosts_.add(pod("u-1", "first")));
  ASSERT_TRUE(hosts_.add(pod("u-2", "second")));
  EXPECT_EQ(told, 2);
  EXPECT_NE(read_file(paths_.hosts("u-2")).value_or("").find(" first\n"), std::string::npos);
  EXPECT_EQ(read_file(paths_.hosts("u-1")).value_or("").find(" second\n"), std::string::npos);
  hosts_.write_changed();
  EXPECT_NE(read_file(paths_.hosts("u-1")).value_or("").find(" second\n"), std::string::npos);
}

TEST_F(HostsTest, RemovingAnUnknownPodIsNoMatter) {
  hosts_.remove("nobody");
  EXPECT_EQ(hosts_.render("demo").find("nobody"), std::string::npos);
}

}  // namespace
}  // namespace trainyard::node
