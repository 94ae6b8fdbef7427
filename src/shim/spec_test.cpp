#include "shim/spec.h"

#include <gtest/gtest.h>

#include <utility>

namespace trainyard::shim {
namespace {

using Records = std::vector<std::pair<std::string, std::string>>;

std::string encode(const Records& records) {
  std::string bytes;
  for (const auto& [key, value] : records) {
    bytes.append(key).append(1, '\0').append(value).append(1, '\0');
  }
  return bytes;
}

/// The message about records that come with a valid command; "" when they are accepted.
std::string refusal(const Records& records) {
  Spec spec;
  auto failure = parse_spec(encode({{"arg", "x"}}) + encode(records), spec);
  return failure ? failure->message : "";
}

TEST(Spec, ReadsEveryKey) {
  Spec spec;
  auto failure = parse_spec(encode({{"arg", "sh"},
                                    {"arg", ""},
                                    {"env", "A=b=c"},
                                    {"cwd", "/w"},
                                    {"makecwd", "1"},
                                    {"hostname", "h-0"},
                                    {"uid", "7"},
                                    {"gid", "8"},
                                    {"group", "9"},
                                    {"group", "10"},
                                    {"capabilities", "1099511627777"},
                                    {"readonly", "1"},
                                    {"devices", "own"},
                                    {"grace", "5"},
                                    {"mask", "/d"},
                                    {"tmpfs", "64:/t"},
                                    {"bind", "ro:/s:/a:b"},
                                    {"namespaces", "1"},
                                    {"root", "overlay:/u:/w:/m"}}),
                            spec);
  ASSERT_FALSE(failure) << failure->message;
  EXPECT_EQ(spec.args, (std::vector<std::string>{"sh", ""}));
  EXPECT_EQ(spec.env, (std::vector<std::string>{"A=b=c"}));
  EXPECT_EQ(spec.cwd, "/w");
  EXPECT_TRUE(spec.make_cwd);
  EXPECT_EQ(spec.hostname, "h-0");
  EXPECT_EQ(spec.uid, 7u);
  EXPECT_EQ(spec.gid, 8u);
  EXPECT_EQ(spec.groups, (std::vector<std::uint32_t>{9, 10}));
  EXPECT_EQ(spec.capabilities, (std::uint64_t{1} << 40) + 1);
  EXPECT_TRUE(spec.read_only_root && spec.own_devices);
  EXPECT_EQ(spec.grace_seconds, 5u);
  EXPECT_EQ(spec.masks, (std::vector<std::string>{"/d"}));
  ASSERT_EQ(spec.tmpfs.size(), 1u);
  EXPECT_EQ(spec.tmpfs[0].bytes, 64u);
  EXPECT_EQ(spec.tmpfs[0].target, "/t");
  ASSERT_EQ(spec.binds.size(), 1u);
  EXPECT_TRUE(spec.binds[0].read_only);
  EXPECT_EQ(spec.binds[0].source, "/s");
  EXPECT_EQ(spec.binds[0].target, "/a:b");
  ASSERT_TRUE(spec.root);
  EXPECT_EQ(spec.root->upper + spec.root->work + spec.root->merged, "/u/w/m");
}

TEST(Spec, HasDefaults) {
  Spec spec;
  ASSERT_FALSE(parse_spec(encode({{"arg", "x"}}), spec));
  EXPECT_EQ(spec.cwd, "/");
  EXPECT_FALSE(spec.make_cwd);
  EXPECT_EQ(spec.grace_seconds, 30u);
  EXPECT_TRUE(spec.namespaces);
  EXPECT_FALSE(spec.uid);
}

TEST(Spec, RefusesMissingCommand) {
  Spec spec;
  auto failure = parse_spec("", spec);
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->message, "the container has no command: set command or args");
}

TEST(Spec, RefusesTruncatedFile) {
  std::string bytes = encode({{"arg", "x"}});
  for (std::size_t size = 1; size < bytes.size(); ++size) {
    Spec spec;
    EXPECT_TRUE(parse_spec(std::string_view(bytes).substr(0, size), spec)) << size;
  }
}

TEST(Spec, RefusesWhatItDoesNotUnderstand) {
  EXPECT_EQ(refusal({{"color", "red"}}),
            "spec: the key \"color\" is unknown to this shim; is it older than the server?");
  EXPECT_EQ(refusal({{"namespaces", "yes"}}), "spec: namespaces is \"yes\", expected 0 or 1");
  EXPECT_NE(refusal({{"env", "A"}}), "");
  EXPECT_NE(refusal({{"uid", "-1"}}), "");
  EXPECT_NE(refusal({{"uid", "4294967296"}}), "");
  EXPECT_NE(refusal({{"grace", "1.5"}}), "");
  EXPECT_NE(refusal({{"tmpfs", "/t"}}), "");
  EXPECT_NE(refusal({{"tmpfs", "1k:/t"}}), "");
  EXPECT_NE(refusal({{"mask", "/"}}), "");
  EXPECT_NE(refusal({{"root", "overlay:/a:/b"}}), "");
  EXPECT_NE(refusal({{"root", "tmpfs:/a:/b:/c"}}), "");
  EXPECT_NE(refusal({{"cwd", "x"}}), "");
}

TEST(Spec, RefusesPathsThatAreNotPlain) {
  EXPECT_NE(refusal({{"bind", "rw:/a:b"}}), "");
  EXPECT_NE(refusal({{"bind", "rw:a:/b"}}), "");
  EXPECT_NE(refusal({{"bind", "xx:/a:/b"}}), "");
  EXPECT_NE(refusal({{"bind", "rw:/a:/b/../c"}}), "");
  EXPECT_NE(refusal({{"bind", "rw:/a:/.."}}), "");
  EXPECT_EQ(refusal({{"bind", "rw:/a//b/:/b/..c/d.."}}), "");
  EXPECT_EQ(refusal({{"bind", "rw:/a:/b"}, {"subpath", "c:d/e"}}), "");
  EXPECT_NE(refusal({{"bind", "rw:/a:/b"}, {"subpath", "c/../.."}}), "");
  EXPECT_NE(refusal({{"subpath", "c"}}), "") << "there is no bind before it";
  EXPECT_EQ(refusal({{"root", "overlay:/u:/w:/m"}, {"lower", "/images/torch:2"}}), "");
  EXPECT_NE(refusal({{"root", "overlay:/u:/w:/m"}, {"lower", "/images/../etc"}}), "");
  EXPECT_NE(refusal({{"lower", "/images"}}), "") << "there is no root before it";
}

TEST(Spec, ReadsANetworkOfItsOwn) {
  EXPECT_EQ(refusal({{"network", "own"}}), "");
  EXPECT_NE(refusal({{"network", "none"}}), "");
  EXPECT_NE(refusal({{"network", "own"}, {"namespaces", "0"}}), "");
}

TEST(Spec, RefusesMountsWithoutNamespaces) {
  for (const char* record : {"mask", "bind", "tmpfs", "root"}) {
    std::string value = record == std::string("mask")    ? "/m"
                        : record == std::string("bind")  ? "ro:/a:/b"
                        : record == std::string("tmpfs") ? "0:/t"
                                                         : "overlay:/u:/w:/m";
    EXPECT_EQ(refusal({{"namespaces", "0"}, {record, value}}),
              "spec: volumes, masks and a private root need namespaces=1");
  }
  EXPECT_EQ(refusal({{"namespaces", "0"}}), "");
}

TEST(ParseNumber, TakesWholeNumbersOnly) {
  EXPECT_EQ(parse_number("0"), 0u);
  EXPECT_EQ(parse_number(" 15\n"), 15u);
  EXPECT_EQ(parse_number(""), std::nullopt);
  EXPECT_EQ(parse_number("1 2"), std::nullopt);
  EXPECT_EQ(parse_number("99999999999999999999"), std::nullopt);
}

TEST(Spec, ReadsWhatTheContainerIsHeldTo) {
  Spec spec;
  auto failure = parse_spec(encode({{"arg", "x"},
                                    {"cgroup", "/sys/fs/cgroup/memory/a"},
                                    {"cgroup", "/sys/fs/cgroup/pids/a"},
                                    {"oom", "/sys/fs/cgroup/memory/a/memory.oom_control:64Mi"},
                                    {"limit", "processes:100"}}),
                            spec);
  ASSERT_FALSE(failure) << failure->message;
  EXPECT_EQ(spec.cgroups.size(), 2U);
  EXPECT_EQ(spec.oom_file, "/sys/fs/cgroup/memory/a/memory.oom_control");
  EXPECT_EQ(spec.memory_limit, "64Mi");
  ASSERT_EQ(spec.limits.size(), 1U);
  EXPECT_EQ(spec.limits[0].most, 100U);
  EXPECT_NE(refusal({{"limit", "files:1"}}), "");
  EXPECT_NE(refusal({{"cgroup", "/sys/../etc"}}), "");
  EXPECT_NE(refusal({{"oom", "memory.events"}}), "");
}

}  // namespace
}  // namespace trainyard::shim
