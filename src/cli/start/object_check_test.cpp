#include "cli/start/object_check.h"

#include "object/values/field_errors.h"

#include <gtest/gtest.h>

namespace trainyard::cli {
namespace {

constexpr const char* kJob = R"(# a job
apiVersion: batch.tensorstack.dev/v1beta1
kind: PyTorchTrainingJob
metadata:
  name: bad
  labels:
    a.b/c: -x-
spec:
  replicaSpec:
  - type: worker
    replicas: two
)";

FileObject read(const char* text) {
  FileObject object;
  std::vector<YamlLines> lines;
  object.object = parse_yaml(text, lines)->front();
  object.lines = lines.front();
  object.file = "job.yaml";
  return object;
}

TEST(PlaceOf, IsTheLineOfTheFieldOrOfWhatItBelongsIn) {
  const FileObject object = read(kJob);
  EXPECT_EQ(place_of(object, "spec.replicaSpec[0].replicas"), "job.yaml:11");
  EXPECT_EQ(place_of(object, "metadata.labels[a.b/c]"), "job.yaml:7");
  EXPECT_EQ(place_of(object, "spec.replicaSpec[0].template.spec"), "job.yaml:10");
  EXPECT_EQ(place_of(object, "status"), "job.yaml:2");
}

TEST(ReadRefusal, TellsWhereAndWhatWasMeantAndLooksIntoItThen) {
  FileObject object = read(kJob);
  const Error unknown(
      Code::kBadRequest, "strict decoding error: unknown field \"spec.replicaSpec\"",
      {{"spec.replicaSpec", "did you mean \"replicaSpecs\"?", field_errors::kUnknownField}});
  const Findings first = read_refusal(unknown, object);
  EXPECT_EQ(first.problems, std::vector<std::string>{
                                "job.yaml:9: spec.replicaSpec: there is no such field: did you "
                                "mean replicaSpecs?"});
  EXPECT_TRUE(first.look_again);
  EXPECT_NE(find(object.object, "spec.replicaSpecs"), nullptr);
  const Error wrong(Code::kInvalid, "invalid",
                    {{"spec.replicaSpecs[0].replicas", "Invalid value: \"string\"", "Type"}});
  const Findings second = read_refusal(wrong, object);
  EXPECT_EQ(second.problems,
            std::vector<std::string>{
                "job.yaml:11: spec.replicaSpecs[0].replicas: Invalid value: \"string\""});
  EXPECT_FALSE(second.look_again);
}

TEST(ReadRefusal, UnderstandsAServerThatTellsOfUnknownFieldsInItsMessageOnly) {
  FileObject object = read(kJob);
  const Error unknown(Code::kBadRequest,
                      "strict decoding error: unknown field \"spec.replicaSpec\", unknown field "
                      "\"spec.x\"");
  const Findings found = read_refusal(unknown, object);
  EXPECT_EQ(found.problems.size(), 2U);
  EXPECT_EQ(found.problems.back(), "job.yaml:8: spec.x: there is no such field");
  EXPECT_TRUE(found.look_again);
  EXPECT_TRUE(read_refusal(Error(Code::kNotFound, "no namespace x"), object).problems.empty());
}

TEST(AtLine, PutsTheLineBehindTheFile) {
  const auto broken = parse_yaml("a: 1\nb: [\n");
  ASSERT_FALSE(broken);
  EXPECT_TRUE(at_line("x.yaml", broken.error()).message().starts_with("x.yaml:3: "))
      << at_line("x.yaml", broken.error()).message();
  EXPECT_EQ(at_line("x.yaml", Error(Code::kInvalid, "odd")).message(), "x.yaml: odd");
}

TEST(AsOneError, IsOneLineForOneProblem) {
  EXPECT_EQ(as_one_error({"a:1: x"}).message(), "a:1: x");
  EXPECT_EQ(as_one_error({"a:1: x", "b:2: y"}).message(),
            "2 problems, and nothing was created:\n  a:1: x\n  b:2: y");
}

}  // namespace
}  // namespace trainyard::cli
