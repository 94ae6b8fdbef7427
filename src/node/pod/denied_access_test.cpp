#include "node/pod/denied_access.h"

#include "base/files/files.h"
#include "base/files/test_folder.h"
#include "node/run/run_spec.h"

#include <gtest/gtest.h>

#include <sys/stat.h>
#include <unistd.h>

namespace trainyard::node {
namespace {

RunPlaces run_with(std::vector<RunPlaces::Place> places) {
  RunPlaces run;
  run.places = std::move(places);
  run.uid = 1000;
  return run;
}

std::string place_in(const std::string& line, const std::string& working_dir = "/") {
  RunPlaces run = run_with({{"/srv/data", "", "/data"}, {"/srv/inner", "deep", "/data/inner"}});
  run.working_dir = working_dir;
  const auto found = find_denied_place(line, run);
  return found ? found->place.source + "|" + found->rest : "";
}

TEST(DeniedAccess, FindsTheVolumeThatALineIsAbout) {
  EXPECT_EQ(place_in("PermissionError: [Errno 13] Permission denied: '/data/a b/x.pt'"),
            "/srv/data|a b/x.pt");
  EXPECT_EQ(place_in("sh: 1: cannot create /data/x: Permission denied"), "/srv/data|x");
  EXPECT_EQ(place_in("mkdir: cannot create directory ‘/data/x’: Permission denied"), "/srv/data|x");
  EXPECT_EQ(place_in("bash: /data/inner/x: Permission denied"), "/srv/inner|x");
  EXPECT_EQ(place_in("cp: cannot open /data: Permission denied"), "/srv/data|");
  EXPECT_EQ(place_in("/database/x: Permission denied"), "");
  EXPECT_EQ(place_in("cat: /etc/shadow: Permission denied", "/data"), "");
}

TEST(DeniedAccess, TakesPathsThatAreNotAbsoluteFromTheWorkingFolder) {
  EXPECT_EQ(place_in("touch: cannot touch 'x': Permission denied", "/data/runs"), "/srv/data|runs");
  EXPECT_EQ(place_in("/bin/sh: 1: cannot create x: Permission denied", "/data"), "/srv/data|");
  EXPECT_EQ(place_in("touch: cannot touch 'x': Permission denied", "/"), "");
}

TEST(DeniedAccess, FindsTheFirstLineOfALog) {
  EXPECT_EQ(find_denied_line("one\na: Permission denied\nb: permission denied\n"),
            "a: Permission denied");
  EXPECT_EQ(find_denied_line("one\n"), "");
}

class DeniedRun : public testing::Test {
 protected:
  DeniedRun() : paths_(folder_.path() / "data"), run_(folder_.path() / "run") {
    EXPECT_TRUE(make_folders(theirs_, 0755));
    EXPECT_TRUE(make_folders(paths_.claim("ns", "c"), 0755));
    EXPECT_TRUE(make_folders(run_, 0755));
    RunSpec spec;
    spec.working_dir = "/";
    spec.identity.uid = 54321;
    add(spec, theirs_, "/data");
    add(spec, paths_.claim("ns", "c"), "/ours");
    add(spec, paths_.pod_volume("u", "v"), "/own");
    EXPECT_TRUE(write_file(run_ / "spec", *encode_run_spec(spec), 0600));
  }
  static void add(RunSpec& spec, const std::string& source, const std::string& target) {
    Mount mount;
    mount.source = source;
    mount.target = target;
    spec.mounts.push_back(std::move(mount));
  }
  RunState failed_with(const std::string& line, std::int64_t code = 1) {
    EXPECT_TRUE(write_file(run_ / "log", "T stderr F " + line + "\n", 0600));
    RunState state;
    state.phase = RunState::Phase::kEnded;
    state.exit_code = code;
    state.telling_line = line;
    explain_denied(run_, paths_, state);
    return state;
  }

  TestFolder folder_;
  Paths paths_;
  std::filesystem::path run_;
  std::filesystem::path theirs_ = folder_.path() / "theirs";
};

TEST_F(DeniedRun, IsToldWhoseTheFolderIsAndWhatToDo) {
  const RunState state = failed_with("touch: cannot touch '/data/x': Permission denied");
  const std::string user = std::to_string(::geteuid());
  EXPECT_NE(state.message.find("/data belongs to "), std::string::npos) << state.message;
  EXPECT_NE(state.message.find("user " + user), std::string::npos) << state.message;
  EXPECT_NE(state.message.find("with mode 0755"), std::string::npos) << state.message;
  EXPECT_NE(state.message.find("ran as user 54321"), std::string::npos) << state.message;
  EXPECT_NE(state.message.find(theirs_.string()), std::string::npos) << state.message;
  EXPECT_NE(state.message.find("runAsUser: " + user), std::string::npos) << state.message;
  EXPECT_NE(state.telling_line.find("Permission denied (/data belongs"), std::string::npos);
}

TEST_F(DeniedRun, NamesTheFolderThatIsInTheWay) {
  ASSERT_TRUE(make_folders(theirs_ / "closed/deep", 0755));
  ASSERT_EQ(::chmod((theirs_ / "closed").c_str(), 0700), 0);
  const RunState state = failed_with("open '/data/closed/deep/x': Permission denied");
  EXPECT_TRUE(state.message.starts_with("/data/closed belongs to ")) << state.message;
}

TEST_F(DeniedRun, OfOursIsToldThatAnotherPodCanChangeIt) {
  const RunState state = failed_with("open '/ours/x': Permission denied");
  EXPECT_NE(state.message.find("g+rwX"), std::string::npos) << state.message;
  EXPECT_EQ(state.message.find(folder_.path().string()), std::string::npos)
      << "where our folders are is nobody's business";
}

TEST_F(DeniedRun, SaysNothingWhereNothingIsKnown) {
  EXPECT_EQ(failed_with("open '/own/x': Permission denied").message, "");
  EXPECT_EQ(failed_with("open '/root/x': Permission denied").message, "");
  EXPECT_EQ(failed_with("open '/data/x': no space").message, "");
  EXPECT_EQ(failed_with("open '/data/x': Permission denied", 0).message, "");
}

}  // namespace
}  // namespace trainyard::node
