#include "contract/log_sources.h"

#include <gtest/gtest.h>

namespace trainyard::contract {
namespace {

Json spec_of(const char* text) {
  return *parse_json(text);
}

TEST(LogSources, AreFoldersOfVolumesInBothSpellings) {
  const Json spec = spec_of(R"({"logDir": {"pvc": [{"name": "a", "subPath": ["./log/", "/b//c"]},
                                                   {"name": "d", "subpath": ["e"]}, {"name": "f"}]},
                                "trainingLogFilesets": ["t9k://pvc/g/runs/1", "t9k://pvc/h", "s3://x/y"]})");
  EXPECT_EQ(read_log_sources(spec),
            (std::vector<LogFolderSource>{
                {"a", "log"}, {"a", "b/c"}, {"d", "e"}, {"f", ""}, {"g", "runs/1"}, {"h", ""}}));
  EXPECT_EQ(read_remote_log_sources(spec), std::vector<std::string>{"s3://x/y"});
}

TEST(LogSources, AreLabelledAsTensorBoardDoes) {
  EXPECT_EQ((LogFolderSource{"a", ""}).label(), "a");
  EXPECT_EQ((LogFolderSource{"a", "b/c"}).label(), "a/b/c");
}

TEST(LogSources, OfWhatIsNoSpecAreNone) {
  EXPECT_TRUE(read_log_sources(Json()).empty());
  EXPECT_TRUE(read_log_sources(spec_of(R"({"logDir": {"s3": {"uri": ["s3://b"]}}})")).empty());
}

using Folders = std::vector<LogFolderSource>;

TEST(LogPlaces, OfAJobAreThoseOfItsTensorBoard) {
  const Json job = spec_of(R"({"kind": "PyTorchTrainingJob", "spec": {"tensorboardSpec":
      {"logDir": {"pvc": [{"name": "a", "subPath": ["log", "log/"]}], "s3": {"uri": ["s3://b"]}}}}})");
  EXPECT_EQ(find_log_places(job).folders, (Folders{{"a", "log"}}));
  EXPECT_EQ(find_log_places(job).remote, std::vector<std::string>{"s3://b"});
  const Json board =
      spec_of(R"({"kind": "TensorBoard", "spec": {"logDir": {"pvc": [{"name": "a"}]}}})");
  EXPECT_EQ(find_log_places(board).folders, (Folders{{"a", ""}}));
}

TEST(LogPlaces, MayBeNotedOnTheJob) {
  const Json job = spec_of(R"({"kind": "GenericJob", "spec": {},
      "metadata": {"annotations": {"trainyard.dev/logdir": "a/runs/1/,b,/"}}})");
  EXPECT_EQ(find_log_places(job).folders, (Folders{{"a", "runs/1"}, {"b", ""}}));
}

/// A job whose pods have the claim `data` at /data, of `other` the folder `in` at /data/deep, and
/// memory at /data/shm.
Json job_with(const std::string& container) {
  return spec_of((R"({"spec": {"pytorchReplicaSpecs": {"Worker": {"template": {"spec": {
      "volumes": [{"name": "v", "persistentVolumeClaim": {"claimName": "data"}}, {"name": "m", "emptyDir": {}},
                  {"name": "w", "persistentVolumeClaim": {"claimName": "other"}}],
      "containers": [{"volumeMounts": [{"name": "w", "mountPath": "/data/deep", "subPath": "in"},
                                       {"name": "v", "mountPath": "/data/"}, {"name": "m", "mountPath": "/data/shm"}],)" +
                  container + "}]}}}}}}")
                     .c_str());
}

TEST(LogPlaces, AreGuessedFromWhatContainersAreTold) {
  const struct {
    const char* container;
    Folders wanted;
  } cases[] = {
      {R"("args": ["train.py", "--log_dir=/data/log"])", {{"data", "log"}}},
      {R"("args": ["--logdir", "/data/deep/x"])", {{"other", "in/x"}}},
      {R"("workingDir": "/data/me", "command": ["sh", "-c", "cd x; python t.py --log-dir './runs' && true"])",
       {{"data", "me/runs"}}},
      {R"("args": ["--log_dir=/data/shm/log"])", {}},  // gone with the pod
      {R"("args": ["--log_dir=/tmp/log"])", {}},       // on no claim
      {R"("args": ["--log_dir=/data/../etc"])", {}},   // who knows where
      {R"("args": ["--log_dir"])", {}},
      {R"("args": ["--dialog_dir=/data/log"])", {}},
      {R"("args": [7, null])", {}},
  };
  for (const auto& each : cases) {
    EXPECT_EQ(find_log_places(job_with(each.container)).folders, each.wanted) << each.container;
  }
}

TEST(LogPlaces, OfWhatIsNoJobAreNone) {
  for (const char* text :
       {"null", "{}", R"({"spec": 3})", R"({"spec": {"template": {"spec": []}}})"}) {
    EXPECT_TRUE(find_log_places(spec_of(text)).folders.empty()) << text;
  }
}

}  // namespace
}  // namespace trainyard::contract
