#include "cli/arena/submit/job_file.h"

#include "cli/arena/submit/record.h"
#include "object/yaml/yaml.h"

#include <gtest/gtest.h>

namespace trainyard::cli::arena {
namespace {

using Words = std::vector<std::string>;

Json read(const char* yaml) {
  return parse_yaml(yaml)->front();
}

TEST(ArenaJobFile, KeysAreFlags) {
  const auto words = words_of_document(
      read("{type: PyTorch, name: m, workers: 3, gang: true, env: {A: 'x, y=\"z\"', B: 1}, "
           "data: ['d:/d', 'e:/e'], command: python a.py}"));
  ASSERT_TRUE(words);
  EXPECT_EQ(*words,
            (Words{"pytorchjob", "--name=m", "--workers=3", "--gang=true", "--env=A=x, y=\"z\"",
                   "--env=B=1", "--data=d:/d", "--data=e:/e", "--", "python a.py"}));
}

TEST(ArenaJobFile, CommandsMayBeLists) {
  EXPECT_EQ(words_of_document(read("{type: mpi, command: [mpirun, -n, 2, x]}"))->back(),
            "mpirun -n 2 x");
}

TEST(ArenaJobFile, SaysWhatIsMissing) {
  const auto why = [](const char* yaml) {
    const auto words = words_of_document(read(yaml));
    return words ? "" : words.error().message();
  };
  EXPECT_EQ(why("{name: m}"), "it has neither a type (pytorch, tfjob, mpi) nor an apiVersion");
  EXPECT_EQ(why("{type: tf}"), "command: it is missing: what to run");
  EXPECT_EQ(why("{type: tf, command: a, name: }"), "name: it has no value");
  EXPECT_EQ(why("{type: tf, command: a, env: [{A: b}]}"), "env: a list of texts is expected");
  EXPECT_NE(why("{type: spark, command: a}").find("not supported"), std::string::npos);
}

constexpr const char* kJob =
    "{apiVersion: kubeflow.org/v1, kind: PyTorchJob, metadata: {name: m}, spec: "
    "{pytorchReplicaSpecs: {Master: {template: {spec: {containers: [{name: pytorch}]}}}}}}";

TEST(ArenaJobFile, ObjectsGetARecordAndLabels) {
  const auto made = complete_objects({read(kJob), read("{apiVersion: v1, kind: Service, "
                                                       "metadata: {name: s}}")},
                                     {"ann", "1"});
  ASSERT_TRUE(made);
  ASSERT_EQ(made->objects.size(), 3U);
  EXPECT_EQ(object_word(made->objects[0]), "configmap/m-pytorchjob");
  EXPECT_EQ(string_at(made->objects[0], "data.app"), "service/s\npytorchjob.kubeflow.org/m\n");
  const Json& job = made->objects[2];
  EXPECT_EQ(label_of(job, "release"), "m");
  EXPECT_EQ(label_of(job, kUidLabel), "1");
  EXPECT_EQ(label_of(*find(job, "spec.pytorchReplicaSpecs.Master.template"), "app"), "pytorchjob");
}

TEST(ArenaJobFile, ARecordOfTheFileIsReplaced) {
  const auto once = complete_objects({read(kJob)}, {});
  const auto twice = complete_objects(once->objects, {});
  ASSERT_TRUE(twice);
  EXPECT_EQ(twice->objects.size(), 2U);
}

TEST(ArenaJobFile, TakesTrainingJobsOnly) {
  EXPECT_FALSE(
      complete_objects({read("{apiVersion: v1, kind: Service, metadata: {name: s}}")}, {}));
  EXPECT_FALSE(complete_objects({read(kJob), read("{apiVersion: v1, kind: Pod}")}, {}));
}

}  // namespace
}  // namespace trainyard::cli::arena
