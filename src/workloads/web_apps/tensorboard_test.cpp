// What becomes of a TensorBoard's spec.
#include "workloads/web_apps/tensorboard.h"

#include "object/yaml/yaml.h"

#include <gtest/gtest.h>

namespace trainyard::workloads {
namespace {

Json board(const std::string& spec) {
  auto parsed = parse_yaml(
      "apiVersion: tensorstack.dev/v1beta1\nkind: TensorBoard\n"
      "metadata: {name: board, namespace: vision, uid: u-1}\nspec: " +
      spec);
  EXPECT_TRUE(parsed && parsed->size() == 1) << spec;
  return parsed ? parsed->front() : Json();
}

std::string command_of(const AppForm& form) {
  std::string command;
  for (const Json& word : array_at(array_at(form.pod, "spec.containers").at(0), "command")) {
    command += (command.empty() ? "" : " ") + to_string(word.get_string());
  }
  return command;
}

AppForm read(const std::string& spec) {
  return TensorBoard().read(board(spec));
}

TEST(TensorBoard, ServesAFolderOfAClaimAtItsPathBehindTheProxy) {
  const AppForm form = read("{logDir: {pvc: [{name: shared, subPath: [runs]}]}}");
  EXPECT_EQ(command_of(form),
            "tensorboard --logdir /pvc-shared/runs --host 0.0.0.0 --port 6006 --path_prefix "
            "/vision/tensorboard/board");
  EXPECT_EQ(form.claims, std::vector<std::string>{"shared"});
  EXPECT_FALSE(form.refusal);
  EXPECT_TRUE(form.shortcomings.empty());
  EXPECT_EQ(annotation_of(form.pod, "trainyard.dev/network"), "private");
  const Json& mount = array_at(array_at(form.pod, "spec.containers").at(0), "volumeMounts").at(0);
  EXPECT_EQ(string_at(mount, "mountPath"), "/pvc-shared");
  EXPECT_TRUE(bool_at(mount, "readOnly"));
  EXPECT_EQ(string_at(controller_of(form.pod)[0], "uid"), "u-1");
}

TEST(TensorBoard, ReadsTheWholeClaimWithoutAFolder) {
  EXPECT_NE(command_of(read("{logDir: {pvc: [{name: shared}]}}")).find("--logdir /pvc-shared --"),
            std::string::npos);
}

TEST(TensorBoard, UnderstandsEverySpellingOfAFolder) {
  for (const char* spec : {"{logDir: {pvc: [{name: mnist, subPath: [./log]}]}}",
                           "{logDir: {pvc: [{name: mnist, subpath: [/log/]}]}}",
                           "{trainingLogFilesets: ['t9k://pvc/mnist/log']}",
                           "{trainingLogFilesets: ['t9k://pvc/mnist//./log/']}"}) {
    EXPECT_NE(command_of(read(spec)).find("--logdir /pvc-mnist/log --"), std::string::npos) << spec;
  }
}

TEST(TensorBoard, NamesTheRunsOfSeveralFoldersByFolder) {
  const AppForm form = read(
      "{logDir: {pvc: [{name: a, subPath: [x, w]}, {name: b}]}, trainingLogFilesets: "
      "['t9k://pvc/a/z']}");
  EXPECT_NE(command_of(form).find("--logdir_spec a/x:/pvc-a/x,a/w:/pvc-a/w,b:/pvc-b,a/z:/pvc-a/z"),
            std::string::npos)
      << command_of(form);
  EXPECT_EQ(form.claims, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(array_at(form.pod, "spec.volumes").size(), 2U);
}

TEST(TensorBoard, RefusesAFolderThatItsListCannotName) {
  const AppForm form = read("{logDir: {pvc: [{name: a, subPath: ['x,y', z]}]}}");
  ASSERT_TRUE(form.refusal);
  EXPECT_EQ(form.refusal->reason, "InvalidFolder");
  EXPECT_FALSE(read("{logDir: {pvc: [{name: a, subPath: ['x,y']}]}}").refusal)
      << "alone it is no list";
}

TEST(TensorBoard, SaysWhichSourcesItCannotReach) {
  const AppForm none = read("{logDir: {s3: {uri: ['s3://b/runs']}}}");
  ASSERT_TRUE(none.refusal);
  EXPECT_EQ(none.refusal->reason, "SourceNotSupported");
  EXPECT_NE(none.refusal->message.find("s3://b/runs"), std::string::npos);
  const AppForm some = read(
      "{logDir: {http: {url: ['http://x/y']}, pvc: [{name: a}]}, trainingLogFilesets: "
      "['t9k://minio/s/b/p']}");
  EXPECT_FALSE(some.refusal);
  ASSERT_EQ(some.shortcomings.size(), 1U);
  EXPECT_NE(some.shortcomings[0].message.find("http://x/y, t9k://minio/s/b/p"), std::string::npos);
}

TEST(TensorBoard, TakesResourcesAndQueue) {
  const AppForm form = read(
      "{image: tf:2, logDir: {pvc: [{name: a}]}, resources: {limits: {cpu: 500m}}, scheduler: "
      "{t9kScheduler: {queue: research, priority: 7}}}");
  const Json& container = array_at(form.pod, "spec.containers").at(0);
  EXPECT_EQ(string_at(container, "image"), "tf:2");
  EXPECT_EQ(string_at(container, "resources.limits.cpu"), "500m");
  EXPECT_EQ(string_at(form.pod, "spec.schedulerName"), "t9k-scheduler");
  EXPECT_EQ(label_of(form.pod, "scheduler.tensorstack.dev/queue"), "research");
  EXPECT_EQ(annotation_of(form.pod, "trainyard.dev/priority"), "7");
}

TEST(TensorBoard, TellsWhatWouldInstallItInItsOwnEnvironment) {
  contract::ImageMap map;
  map.kind = contract::ImageMap::Kind::kVenv;
  map.folder = "/opt/tb";
  EXPECT_NE(TensorBoard().how_to_install(map).find("/opt/tb/bin/python -m pip install tensorboard"),
            std::string::npos);
  EXPECT_NE(TensorBoard().how_to_install({}).find("python3 -m pip install tensorboard"),
            std::string::npos);
}

}  // namespace
}  // namespace trainyard::workloads
