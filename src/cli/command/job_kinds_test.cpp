#include "cli/command/job_kinds.h"

#include <gtest/gtest.h>

namespace trainyard::cli {
namespace {

JobKind kind(std::string group, std::string name, std::string plural, std::string singular,
             std::vector<std::string> short_names = {}) {
  return {Resource{std::move(group), "v1", std::move(plural)}, std::move(name), std::move(singular),
          std::move(short_names)};
}

const JobKind kT9kMpi = kind("batch.tensorstack.dev", "MPIJob", "mpijobs", "mpijob", {"mj"});
const JobKind kKubeflowMpi = kind("kubeflow.org", "MPIJob", "mpijobs", "mpijob");
const JobKind kTorch = kind("kubeflow.org", "PyTorchJob", "pytorchjobs", "pytorchjob");

TEST(JobNames, AreAloneOrBehindTheirKind) {
  EXPECT_EQ(parse_job_name("mnist")->kind, "");
  EXPECT_EQ(parse_job_name("mnist")->name, "mnist");
  EXPECT_EQ(parse_job_name("pj/mnist")->kind, "pj");
  EXPECT_EQ(parse_job_name("pj/mnist")->name, "mnist");
}

TEST(JobNames, ThatNameNothingAreErrorsThatSayHowToWriteThem) {
  for (const char* wrong : {"", "/", "pj/", "/mnist", "a/b/c"}) {
    const auto name = parse_job_name(wrong);
    ASSERT_FALSE(name) << wrong;
    EXPECT_NE(name.error().message().find("KIND/NAME"), std::string::npos);
  }
}

TEST(JobKinds, AreFoundAmongAllThatAGroupServes) {
  const Json served{{"groupVersion", "batch.tensorstack.dev/v1beta1"},
                    {"resources",
                     {{{"name", "mpijobs"},
                       {"kind", "MPIJob"},
                       {"singularName", "mpijob"},
                       {"shortNames", {"mj"}}},
                      {{"name", "mpijobs/status"}, {"kind", "MPIJob"}},
                      {{"name", "queues"}, {"kind", "Queue"}}}}};
  const auto kinds = job_kinds_in(served);
  ASSERT_EQ(kinds.size(), 1U);
  EXPECT_EQ(kinds[0].resource, (Resource{"batch.tensorstack.dev", "v1beta1", "mpijobs"}));
  EXPECT_EQ(kinds[0].singular, "mpijob");
  EXPECT_EQ(kinds[0].short_names, std::vector<std::string>{"mj"});
}

TEST(JobKinds, AreMeantByEachOfTheirNames) {
  for (const char* word : {"mj", "mpijob", "mpijobs", "MPIJob", "mpijob.batch.tensorstack.dev"}) {
    EXPECT_TRUE(is_meant(kT9kMpi, word)) << word;
  }
  EXPECT_FALSE(is_meant(kT9kMpi, "mpijob.kubeflow.org"));
  EXPECT_FALSE(is_meant(kKubeflowMpi, "mj"));
  EXPECT_FALSE(is_meant(kTorch, "mpijob"));
}

TEST(JobKinds, AreNamedWithTheirGroupOnlyWhereAnotherHasTheSameName) {
  const std::vector<JobKind> all{kT9kMpi, kKubeflowMpi, kTorch};
  EXPECT_EQ(word_for(kTorch, all), "pytorchjob");
  EXPECT_EQ(word_for(kT9kMpi, all), "mpijob.batch.tensorstack.dev");
  EXPECT_EQ(word_for(kKubeflowMpi, all), "mpijob.kubeflow.org");
}

}  // namespace
}  // namespace trainyard::cli
