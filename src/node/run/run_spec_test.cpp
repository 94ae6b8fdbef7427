// The records that a shim is started with. That the real shim understands them is shown by
// container_run_test.cpp.
#include "node/run/run_spec.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace trainyard::node {
namespace {

using namespace std::string_literals;

/// key=value of every record; the last of them is "broken" when the text is not records.
std::vector<std::string> records(std::string_view text) {
  std::vector<std::string> found;
  while (!text.empty()) {
    const std::size_t key = text.find('\0');
    const std::size_t value = key == text.npos ? key : text.find('\0', key + 1);
    if (value == text.npos) {
      found.emplace_back("broken");
      return found;
    }
    found.push_back(std::string(text.substr(0, key)) + "=" +
                    std::string(text.substr(key + 1, value - key - 1)));
    text.remove_prefix(value + 1);
  }
  return found;
}

RunSpec spec() {
  RunSpec made;
  made.command = {"python", "fit.py", "", "two words"};
  made.environment = {{"A", "1"}, {"EMPTY", ""}, {"LINES", "a\nb=c"}};
  made.working_dir = "/work";
  made.hostname = "mnist-0";
  made.masks = {"/data"};
  made.overlay = "/data/pods/u/main/overlay";
  made.grace_seconds = 7;
  return made;
}

TEST(EncodeRunSpec, WritesEveryPartAsARecord) {
  EXPECT_EQ(records(*encode_run_spec(spec())),
            (std::vector<std::string>{
                "arg=python", "arg=fit.py", "arg=", "arg=two words", "env=A=1",
                "env=EMPTY=", "env=LINES=a\nb=c", "cwd=/work", "hostname=mnist-0", "grace=7",
                "log=67108864:10737418240",
                "root=overlay:/data/pods/u/main/overlay/upper:/data/pods/u/main/overlay/work:"
                "/data/pods/u/main/overlay/root",
                "mask=/data"}));
}

TEST(EncodeRunSpec, SaysWhetherAMissingWorkingDirIsMade) {
  const auto has = [](const RunSpec& made) {
    const auto all = records(*encode_run_spec(made));
    return std::find(all.begin(), all.end(), "makecwd=1") != all.end();
  };
  RunSpec made = spec();
  EXPECT_FALSE(has(made));
  made.make_working_dir = true;
  EXPECT_TRUE(has(made));
}

TEST(EncodeRunSpec, WritesWhichTreeTheRootIsOver) {
  RunSpec made = spec();
  made.root_tree = "/images/torch:2";
  const auto all = records(*encode_run_spec(made));
  const auto root = std::find_if(all.begin(), all.end(),
                                 [](const std::string& one) { return one.starts_with("root="); });
  ASSERT_NE(root, all.end());
  EXPECT_EQ(*std::next(root), "lower=/images/torch:2") << "it belongs to the root before it";
}

TEST(EncodeRunSpec, WritesWhatCanBeAttachedTo) {
  RunSpec made = spec();
  made.input = made.input_once = made.tty = true;
  const auto all = records(*encode_run_spec(made));
  EXPECT_EQ(std::count(all.begin(), all.end(), "stdin=once"), 1);
  EXPECT_EQ(std::count(all.begin(), all.end(), "tty=1"), 1);
}

TEST(EncodeRunSpec, WritesWhomItRunsAs) {
  RunSpec made = spec();
  made.masks.clear();
  made.identity.uid = 1000;
  made.identity.gid = 100;
  made.identity.groups = {5, 6};
  made.capabilities = 3;
  made.read_only_root = true;
  const auto all = records(*encode_run_spec(made));
  ASSERT_GE(all.size(), 6U);
  EXPECT_EQ(std::vector<std::string>(all.end() - 6, all.end()),
            (std::vector<std::string>{"uid=1000", "gid=100", "group=5", "group=6", "capabilities=3",
                                      "readonly=1"}));
}

TEST(EncodeRunSpec, WritesMountsInTheirOrder) {
  RunSpec made = spec();
  made.mounts = {{Mount::Type::kBind, "/a", "/in", true, 0, false},
                 {Mount::Type::kTmpfs, "", "/dev/shm", false, 4096, false},
                 {Mount::Type::kBind, "/b", "/in/b", false, 0, false}};
  const auto all = records(*encode_run_spec(made));
  ASSERT_GE(all.size(), 3U);
  EXPECT_EQ(
      std::vector<std::string>(all.end() - 3, all.end()),
      (std::vector<std::string>{"bind=ro:/a:/in", "tmpfs=4096:/dev/shm", "bind=rw:/b:/in/b"}));
}

TEST(EncodeRunSpec, RefusesTextThatWouldBecomeARecord) {
  const std::string trick = "x\0bind\0rw:/:/host"s;
  RunSpec argument = spec();
  argument.command.push_back(trick);
  RunSpec variable = spec();
  variable.environment.emplace_back("A", trick);
  RunSpec folder = spec();
  folder.working_dir = "/" + trick;
  RunSpec target = spec();
  target.mounts = {{Mount::Type::kBind, "/a", "/" + trick, true, 0, false}};
  for (const RunSpec& made : {argument, variable, folder, target}) {
    EXPECT_TRUE(encode_run_spec(made).failed_with(Code::kInvalid));
  }
  EXPECT_EQ(encode_run_spec(target).error().message(),
            "mountPath and subPath cannot contain a NUL character");
}

TEST(EncodeRunSpec, RefusesASourceThatWouldBeCutInTwo) {
  RunSpec made = spec();
  made.mounts = {{Mount::Type::kBind, "/volumes/v/a:/etc", "/in", false, 0, false}};
  EXPECT_TRUE(encode_run_spec(made).failed_with(Code::kInvalid));
}

}  // namespace
}  // namespace trainyard::node
