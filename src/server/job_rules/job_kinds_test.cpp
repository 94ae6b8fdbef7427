#include "object/table/table.h"
#include "server/test_examples.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace trainyard::server {
namespace {

struct Expected {
  const char* api_version;
  const char* kind;
  const char* plural;
  const char* short_name;
};

constexpr Expected kOurs[] = {
    {"batch.tensorstack.dev/v1beta1", "PyTorchTrainingJob", "pytorchtrainingjobs", "pj"},
    {"batch.tensorstack.dev/v1beta1", "TensorFlowTrainingJob", "tensorflowtrainingjobs", "tj"},
    {"batch.tensorstack.dev/v1beta1", "XGBoostTrainingJob", "xgboosttrainingjobs", "xj"},
    {"batch.tensorstack.dev/v1beta1", "GenericJob", "genericjobs", "gj"},
    {"batch.tensorstack.dev/v1beta1", "MPIJob", "mpijobs", "mj"},
    {"tensorstack.dev/v1beta1", "TensorBoard", "tensorboards", ""},
    {"tensorstack.dev/v1beta1", "Notebook", "notebooks", "nb"},
    {"kubeflow.org/v1", "PyTorchJob", "pytorchjobs", ""},
    {"kubeflow.org/v1", "TFJob", "tfjobs", ""},
    {"kubeflow.org/v2beta1", "MPIJob", "mpijobs", ""},
    {"scheduling.volcano.sh/v1beta1", "PodGroup", "podgroups", "pg"},
    {"scheduling.volcano.sh/v1beta1", "Queue", "queues", "q"},
};

const Kind& kind_of(const Expected& expected) {
  return kind_of_object({{"apiVersion", expected.api_version}, {"kind", expected.kind}});
}

/// Pods and metadata are described with the kinds that every server has.
bool is_foreign(std::string_view path) {
  return path.ends_with(".template.spec") || path.ends_with(".template.metadata") ||
         path.ends_with(".resources") || path == ".metadata";
}

void expect_explained(const Json& schema, const std::string& path) {
  EXPECT_FALSE(path != "" && string_at(schema, "description").empty()) << path;
  if (is_foreign(path)) return;
  for (const auto& property : object_at(schema, "properties")) {
    expect_explained(property.value(), path + "." + std::string(property.key()));
  }
  // Elements and values are told of by what holds them, unless they have fields of their own.
  for (const char* below : {"items", "additionalProperties"}) {
    const Json* child = find(schema, below);
    if (child != nullptr && !object_at(*child, "properties").empty()) {
      expect_explained(*child, path + "[]");
    }
  }
}

std::vector<std::string> columns_of(const Kind& kind, bool wide) {
  std::vector<std::string> names;
  for (const Column& column : kind.columns) {
    if (wide || column.priority == 0) names.push_back(column.name);
  }
  return names;
}

TEST(JobKinds, AreAllServedUnderTheNamesThatPeopleKnow) {
  for (const Expected& expected : kOurs) {
    SCOPED_TRACE(expected.plural);
    const Kind& kind = kind_of(expected);
    ASSERT_EQ(kind.kind, expected.kind);
    EXPECT_EQ(kind.resource.plural, expected.plural);
    EXPECT_EQ(kind.short_names.empty() ? "" : kind.short_names.front(), expected.short_name);
    EXPECT_EQ(kind.namespaced, kind.kind != "Queue");
    EXPECT_TRUE(kind.custom);
    EXPECT_TRUE(kind.has_status);
  }
}

TEST(JobKinds, KubeflowsMpiJobIsServedInItsSecondVersionOnly) {
  EXPECT_EQ(test_kinds().find({"kubeflow.org", "v1", "mpijobs"}), nullptr);
  EXPECT_NE(test_kinds().find({"kubeflow.org", "v2beta1", "mpijobs"}), nullptr);
}

TEST(JobKinds, NoCategoryHidesAResource) {
  // kubectl looks for categories first: one named jobs would make `kubectl get jobs` mean others.
  std::set<std::string> plurals{"jobs"};
  for (const KindPtr& kind : test_kinds().all()) plurals.insert(kind->resource.plural);
  for (const KindPtr& each : test_kinds().all()) {
    const Kind& kind = *each;
    for (const std::string& category : kind.categories) {
      EXPECT_FALSE(plurals.contains(category)) << category << " of " << kind.kind;
    }
  }
}

TEST(JobKinds, EveryFieldIsExplained) {
  for (const Expected& expected : kOurs) {
    SCOPED_TRACE(expected.plural);
    const Kind& kind = kind_of(expected);
    expect_explained(expand_types(*kind.source, test_kinds().shared_types(true)), "");
  }
}

TEST(JobKinds, HaveTheColumnsThatPeopleLookFor) {
  using Names = std::vector<std::string>;
  for (const Expected& expected : kOurs) {
    SCOPED_TRACE(expected.plural);
    const Kind& kind = kind_of(expected);
    if (kind.resource.group.ends_with("tensorstack.dev")) {
      EXPECT_EQ(columns_of(kind, false), (Names{"Phase", "Age"}));
    }
    if (kind.resource.group == "batch.tensorstack.dev") {
      EXPECT_EQ(columns_of(kind, true),
                (Names{"Phase", "Age", "Pending", "Running", "Succeeded", "Failed"}));
    }
    if (kind.resource.group == "kubeflow.org") {
      EXPECT_EQ(columns_of(kind, true), (Names{"State", "Age"}));
    }
  }
}

TEST(JobKinds, TheStateOfAKubeflowJobIsItsLastCondition) {
  Json job = example("pytorchjob.yaml");
  place(job, "status.conditions") = JsonArray{{{"type", "Created"}, {"status", "True"}},
                                              {{"type", "Running"}, {"status", "True"}}};
  const Kind& kind = kind_of_object(job);
  EXPECT_EQ(evaluate_path(job, kind.columns.at(0).json_path), "Running");
}

TEST(JobKinds, EveryKindHasAnExampleThatIsAcceptedStrictly) {
  std::set<const Kind*> shown;
  for (const std::string& name : example_names()) {
    const auto admitted = admit_strictly(example(name));
    EXPECT_EQ(faults_of(admitted), "accepted") << name;
    shown.insert(&kind_of_object(example(name)));
  }
  for (const Expected& expected : kOurs) {
    EXPECT_TRUE(shown.contains(&kind_of(expected))) << expected.plural;
  }
}

TEST(JobKinds, ExamplesKeepEveryFieldTheyHave) {
  for (const std::string& name : example_names()) {
    Json object = example(name);
    const std::vector<std::string> lost = kind_of_object(object).schema->prune(object);
    EXPECT_TRUE(lost.empty()) << name << " loses " << lost.front();
  }
}

TEST(JobKinds, T9kJobsAreStoredWithTheDefaultsOfTheContract) {
  Json job = changed(example("xgboosttrainingjob.yaml"), "spec.replicaSpecs[0].restartPolicy", "");
  job = changed(job, "spec.replicaSpecs[0].replicas", "");
  const Json stored = admit_strictly(job).value_or(nullptr);
  EXPECT_EQ(int_at(stored, "spec.runPolicy.backoffLimit"), 3);
  EXPECT_EQ(string_at(stored, "spec.runPolicy.cleanUpPolicy"), "None");
  EXPECT_EQ(string_at(array_at(stored, "spec.replicaSpecs")[0], "restartPolicy"), "OnFailure");
  EXPECT_EQ(int_at(array_at(stored, "spec.replicaSpecs")[0], "replicas"), 1);
}

TEST(JobKinds, CountedRestartPoliciesDefaultToOnFailureWithoutRestarts) {
  const Json stored = admit_strictly(example("genericjob.yaml")).value_or(nullptr);
  const Json& server = array_at(stored, "spec.replicaSpecs")[0];
  EXPECT_EQ(string_at(server, "restartPolicy.policy"), "OnFailure");
  EXPECT_EQ(int_at(server, "restartPolicy.limit", -1), 0);
}

TEST(JobKinds, AnOlderMpiJobIsKeptAsItWasWritten) {
  const Json written = example("mpijob-t9k-older.yaml");
  const Json stored = admit_strictly(written).value_or(nullptr);
  EXPECT_EQ(stored.at("spec"), written.at("spec"));
}

TEST(JobKinds, KubeflowsMpiJobGetsWhatKubeflowWrites) {
  Json job = changed(example("mpijob-kubeflow.yaml"), "spec.slotsPerWorker", "");
  job = changed(job, "spec.sshAuthMountPath", "");
  const Json stored = admit_strictly(job).value_or(nullptr);
  EXPECT_EQ(int_at(stored, "spec.slotsPerWorker"), 1);
  EXPECT_EQ(string_at(stored, "spec.sshAuthMountPath"), "/root/.ssh");
  EXPECT_EQ(string_at(stored, "spec.mpiImplementation"), "OpenMPI");
  EXPECT_EQ(string_at(stored, "spec.launcherCreationPolicy"), "AtStartup");
  EXPECT_EQ(find(stored, "spec.mpiReplicaSpecs.Launcher.restartPolicy"), nullptr)
      << "that default is the controller's";
}

TEST(JobKinds, QueuesHaveAWeightAndCanBeReclaimed) {
  const Json stored = admit_strictly({{"apiVersion", "scheduling.volcano.sh/v1beta1"},
                                      {"kind", "Queue"},
                                      {"metadata", {{"name", "plain"}}}})
                          .value_or(nullptr);
  EXPECT_EQ(int_at(stored, "spec.weight"), 1);
  EXPECT_TRUE(bool_at(stored, "spec.reclaimable"));
}

}  // namespace
}  // namespace trainyard::server
