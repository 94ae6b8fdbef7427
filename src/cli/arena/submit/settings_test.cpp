#include "cli/arena/submit/settings.h"

#include "cli/arena/go_duration.h"
#include "cli/arena/submit/setting_values.h"

#include <gtest/gtest.h>

namespace trainyard::cli::arena {
namespace {

using Words = std::vector<std::string>;

Result<std::string> read_fake(const std::string& path) {
  if (path == "missing") return Error(Code::kNotFound, "missing: No such file or directory");
  return "content of " + path;
}

SubmitOptions good() {
  SubmitOptions options;
  options.name = "mnist";
  options.image = "pytorch";
  return options;
}

Result<Settings> read(const SubmitOptions& options, const char* type = "pytorchjob") {
  return read_settings(options, training_type(type), Config{}, read_fake);
}

/// What is said of options that one change has made wrong.
template <class Change>
std::string complaint(Change change, const char* type = "pytorchjob") {
  SubmitOptions options = good();
  change(options);
  const auto settings = read(options, type);
  return settings ? "" : settings.error().message();
}

TEST(ArenaName, IsADnsLabelOfAtMost49Letters) {
  EXPECT_TRUE(check_name("a"));
  EXPECT_TRUE(check_name("a-1"));
  EXPECT_TRUE(check_name(std::string(49, 'x')));
  EXPECT_EQ(
      check_name(std::string(50, 'x')).error().message(),
      "the name " + std::string(50, 'x') + " is too long: 50 letters, at most 49 are allowed");
  for (const char* bad : {"", "A", "a.b", "-a", "a-", "a_b", "ä"})
    EXPECT_FALSE(check_name(bad)) << bad;
}

TEST(ArenaSettings, NamesTheFirstThingThatIsWrong) {
  using O = SubmitOptions;
  EXPECT_EQ(complaint([](O&) {}), "");
  EXPECT_EQ(complaint([](O& o) { o.image = ""; }),
            "--image must be set: the image that the training runs in");
  EXPECT_EQ(complaint([](O& o) { o.image = "", o.worker.image = "x"; }), "");
  EXPECT_EQ(complaint([](O& o) { o.clean_policy = "none"; }),
            "unsupported --clean-task-policy none: it can be None, Running or All");
  EXPECT_EQ(complaint([](O& o) { o.gpus = -1; }), "--gpus is invalid: -1 is below 0");
  EXPECT_EQ(complaint([](O& o) { o.workers = -1; }), "--workers is invalid: -1 is below 0");
  EXPECT_EQ(complaint([](O& o) { o.cpu = "many"; }),
            "--cpu is invalid: \"many\" is no amount such as 500m, 2 or 4Gi");
  EXPECT_EQ(complaint([](O& o) { o.share_memory = "2Gib"; }),
            "--share-memory is invalid: \"2Gib\" is no amount such as 500m, 2 or 4Gi");
  EXPECT_EQ(complaint([](O& o) { o.share_memory = ""; }), "");
  EXPECT_EQ(complaint([](O& o) { o.running_timeout = std::chrono::seconds(-1); }),
            "--running-timeout is invalid: a time below 0");
  EXPECT_EQ(complaint([](O& o) { o.nproc_per_node = "two"; }),
            "--nproc-per-node is invalid: \"two\" is neither auto, cpu, gpu nor a number");
  EXPECT_EQ(complaint([](O& o) { o.sync_mode = "git"; }),
            "--sync-mode git needs --sync-source: where the code is");
  EXPECT_EQ(complaint([](O& o) { o.sync_mode = "hdfs", o.sync_source = "x"; }),
            "unknown sync mode hdfs: it can be git, rsync or upload");
  EXPECT_EQ(complaint([](O& o) { o.sync_source = "alone is ignored"; }), "");
  EXPECT_EQ(complaint([](O& o) { o.model_name = "m"; }),
            "--model-name needs --model-source: where the model is");
  EXPECT_EQ(complaint([](O& o) { o.env = {"NAME"}; }), "--env NAME: write KEY=VALUE");
  // The order, where several are.
  EXPECT_EQ(complaint([](O& o) { o.data = {"x"}, o.gpus = -1, o.sync_mode = "?"; }),
            "--gpus is invalid: -1 is below 0");
  EXPECT_EQ(complaint([](O& o) { o.devices = {"x"}, o.data = {"x"}; }),
            "--data x: its format must be like name:/data0");
}

TEST(ArenaSettings, TensorFlowHasRulesOfItsOwn) {
  using O = SubmitOptions;
  const char* tf = "tfjob";
  EXPECT_EQ(complaint([](O& o) { o.workers = 0; }, tf),
            "--workers 0 needs --chief: somebody must train");
  EXPECT_EQ(complaint([](O& o) { o.workers = 0, o.has_chief = true; }, tf), "");
  EXPECT_EQ(complaint([](O& o) { o.image = "", o.worker.image = "w", o.ps_count = 1; }, tf),
            "--image or --ps-image must be set: the image of the parameter servers");
  EXPECT_EQ(complaint([](O& o) { o.role_sequence = "w,x"; }, tf),
            "--role-sequence w,x: unknown role x, there are Worker, PS, Chief and Evaluator");
  EXPECT_EQ(complaint([](O& o) { o.success_policy = "Any"; }, tf),
            "unsupported --success-policy Any: it can be ChiefWorker or AllWorkers");
  EXPECT_EQ(complaint([](O& o) { o.ps.memory_limit = "x"; }, tf),
            "--ps-memory-limit is invalid: \"x\" is no amount such as 500m, 2 or 4Gi");
  EXPECT_EQ(*read_role_sequence("w,PS,c"), "Worker,PS,Chief");
}

TEST(ArenaSettings, ZeroWorkersAreOne) {
  for (const std::int64_t workers : {0, 1}) {
    SubmitOptions options = good();
    options.workers = workers;
    EXPECT_EQ(read(options)->options.workers, 1);
  }
}

TEST(ArenaSettings, ConfigFileFillsInWhatNoFlagSays) {
  const Config config = parse_config("imagePullSecrets=a,b\ntfjob_role_sequence=p,w");
  const auto read_with = [&](const SubmitOptions& options) {
    return *read_settings(options, training_type("tfjob"), config, read_fake);
  };
  SubmitOptions options = good();
  EXPECT_EQ(read_with(options).options.pull_secrets, (Words{"a", "b"}));
  EXPECT_EQ(read_with(options).options.role_sequence, "PS,Worker");
  options.pull_secrets = {"own"};
  options.role_sequence = "Worker";
  EXPECT_EQ(read_with(options).options.pull_secrets, (Words{"own"}));
  EXPECT_EQ(read_with(options).options.role_sequence, "Worker");
}

TEST(ArenaValues, PairsArePartedAtTheFirstEqualsSign) {
  const auto pairs = *read_pairs({"A=1,2", "B=a=b", "C=", "D=\"x y\"", "A=last"}, "env");
  EXPECT_EQ(pairs, (std::map<std::string, std::string>{
                       {"A", "last"}, {"B", "a=b"}, {"C", ""}, {"D", "\"x y\""}}));
}

TEST(ArenaValues, ClaimsHaveANameAndAnAbsolutePath) {
  const auto why = [](Words texts) {
    const auto claims = read_claims(texts);
    return claims ? "" : claims.error().message();
  };
  EXPECT_EQ(why({"training-data:/data", "b_2.x:/b"}), "");
  EXPECT_EQ(why({"x"}), "--data x: its format must be like name:/data0");
  EXPECT_EQ(why({"ab:/c:/d"}), "--data ab:/c:/d: its format must be like name:/data0");
  EXPECT_EQ(why({"a:/b"}), "--data: the PVC's name \"a\" is too short");
  EXPECT_NE(why({"-ab:/b"}).find("illegal characters"), std::string::npos);
  EXPECT_NE(why({"ab:/b", "ab:/c"}).find("repeated"), std::string::npos);
  EXPECT_EQ(why({"ab:/"}), "--data ab:/: the path may not be /");
  EXPECT_EQ(why({"ab:c"}), "--data ab:c: the path c must be absolute");
}

TEST(ArenaValues, HostFoldersMayHaveAnotherPathInside) {
  const auto folders = *read_host_folders({"/a", "/b:/c"});
  EXPECT_EQ(folders[0].host + ":" + folders[0].path, "/a:/a");
  EXPECT_EQ(folders[1].host + ":" + folders[1].path, "/b:/c");
  for (const char* bad : {"", "/a:/b:/c", "a", "/a:b", ":/a"}) {
    EXPECT_FALSE(read_host_folders({bad})) << bad;
  }
}

TEST(ArenaValues, DevicesAreRefusedForFourReasons) {
  const auto why = [](const char* text) { return read_devices({text}).error().message(); };
  EXPECT_TRUE(read_devices({"amd.com/gpu=1"}));
  EXPECT_EQ(why("amd.com/gpu"), "--device amd.com/gpu: write RESOURCE=N, such as amd.com/gpu=1");
  EXPECT_EQ(why("gpu=1"), "--device gpu=1: gpu is no name of a device such as amd.com/gpu");
  EXPECT_EQ(why("amd.com/gpu=x"), "--device amd.com/gpu=x: x is no number of devices");
  EXPECT_EQ(why("nvidia.com/gpu=1"), "--device nvidia.com/gpu=1: use --gpus for these");
}

TEST(ArenaValues, ConfigFilesAreGatheredByFolder) {
  const auto folders = *read_config_files(
      {"a.yaml:/etc/config/a.yaml", "b:/etc/config/c", "x:/other/x", "a.yaml:/etc/config/a.yaml"},
      read_fake);
  ASSERT_EQ(folders.size(), 2U);
  EXPECT_EQ(folders[0].hash, "a9cbad1b8719778");
  EXPECT_EQ(folders[0].files.size(), 2U);
  EXPECT_EQ(folders[0].files.at("c"), "content of b");
  const auto why = [](const char* text) {
    return read_config_files({text}, read_fake).error().message();
  };
  EXPECT_EQ(why("a:/b:/c"), "--config-file a:/b:/c: write FILE or FILE:/PATH");
  EXPECT_EQ(why("a:b"), "--config-file a:b: the container's path b must be absolute");
  EXPECT_EQ(why("missing:/b"), "--config-file missing:/b: missing: No such file or directory");
}

TEST(ArenaValues, TolerationsHaveThreeForms) {
  EXPECT_EQ(to_text(*read_tolerations({"key", "all", "never read:"})),
            R"([{"key":"key","operator":"Exists"},{"operator":"Exists"}])");
  EXPECT_EQ(to_text(*read_tolerations({"a=b:NoSchedule,Equal"})),
            R"([{"key":"a","operator":"Equal","effect":"NoSchedule","value":"b"}])");
  EXPECT_EQ(to_text(*read_tolerations({"a=b:NoExecute,Exists"})),
            R"([{"key":"a","operator":"Exists","effect":"NoExecute"}])");
  for (const char* bad :
       {"", "a=b", "a=b:NoSchedule", "a=b:Never,Equal", "=b:NoSchedule,Equal", "a b"}) {
    EXPECT_FALSE(read_tolerations({bad})) << bad;
  }
}

TEST(ArenaValues, RepositoriesAreCalledByTheirLastPart) {
  EXPECT_EQ(repository_name("https://h/g/r"), "r");
  EXPECT_EQ(repository_name("https://h/g/r.git"), "r");
  EXPECT_EQ(repository_name("https://h/g/r/"), "r");
  EXPECT_EQ(repository_name("https://h/x.github.io.git"), "x.github.io");
  EXPECT_EQ(repository_name("git@h:g/r.git"), "r");
  EXPECT_EQ(repository_name("git@h:r.git"), "r");
}

TEST(ArenaDuration, NeedsAUnitUnlessItIsZero) {
  using std::chrono::nanoseconds;
  const auto read_ms = [](const char* text) {
    const auto time = parse_go_duration(text);
    return time ? time->count() / 1'000'000 : -1;
  };
  EXPECT_EQ(read_ms("0"), 0);
  EXPECT_EQ(read_ms("5s"), 5000);
  EXPECT_EQ(read_ms("1m"), 60'000);
  EXPECT_EQ(read_ms("2h22m"), 8'520'000);
  EXPECT_EQ(read_ms("1.5h"), 5'400'000);
  EXPECT_EQ(read_ms("300ms"), 300);
  EXPECT_EQ(parse_go_duration("-1s")->count(), -1'000'000'000);
  for (const char* bad : {"", "5", "1d", "s", "1s2", "1e3s", "--1s", "1-s", "99999999999999h"}) {
    EXPECT_FALSE(parse_go_duration(bad)) << bad;
  }
}

}  // namespace
}  // namespace trainyard::cli::arena
