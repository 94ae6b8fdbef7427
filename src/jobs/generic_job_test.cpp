// T9k's contract, section 6.
#include "jobs/generic_job.h"

#include "jobs/engine/test_world.h"
#include "jobs/generic_variables.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace trainyard::jobs {
namespace {

const GenericJob kKind;

World pair(const std::string& rules, const std::string& restart = "{policy: OnFailure}") {
  World world(kKind, fmt::format(R"(
{}
replicaSpecs:
- {{type: server, restartPolicy: {{policy: Never}}, template: {{spec: {{containers: [{{name: m}}]}}}}}}
- {{type: client, replicas: 2, restartPolicy: {}, template: {{spec: {{containers: [{{name: m}}]}}}}}}
)",
                                 rules, restart));
  world.settle();
  world.set_all_phases("Running");
  world.settle();
  return world;
}

TEST(GenericJob, SucceedsWhenAnyRuleForSuccessHolds) {
  World world = pair("successRules: [{server: [0]}, {client: [0, '1']}]");
  EXPECT_EQ(world.phase(), "Running");
  world.end_pod("client-0", 0);
  world.settle();
  EXPECT_EQ(world.phase(), "Running") << "all replicas of a rule must have succeeded";
  world.end_pod("client-1", 0);
  world.settle();
  EXPECT_EQ(world.phase(), "Succeeded");
}

TEST(GenericJob, FailsWhenAnyRuleForFailureHoldsAndNamesIt) {
  World world = pair("successRules: [{server: [0]}]\nfailureRules: [{client: [0, 1]}]");
  world.end_pod("client-1", 1);
  world.settle();
  EXPECT_EQ(world.phase(), "Running");
  world.end_pod("client-0", 2);
  world.settle();
  EXPECT_EQ(world.phase(), "Failed");
  EXPECT_TRUE(world.told("Failed").at(0).starts_with(
      R"(The job is failed with rule: {"client":["0","1"]}: Pod[mnist-40c14-client-0] exited)"))
      << world.told("Failed").at(0);
}

TEST(GenericJob, FailsWhenNoRuleForSuccessCanHoldAnyMore) {
  World world = pair("successRules: [{server: [0]}]");
  world.end_pod("server-0", 4);
  world.settle();
  EXPECT_EQ(world.phase(), "Failed");
  EXPECT_TRUE(world.told("Failed").at(0).starts_with("No rule for success can hold any more: Pod["))
      << world.told("Failed").at(0);
}

TEST(GenericJob, WithoutRulesAllMustSucceedAndOneFailureFails) {
  World world = pair("");
  world.end_pod("server-0", 0);
  world.end_pod("client-0", 0);
  world.settle();
  EXPECT_EQ(world.phase(), "Running");
  world.end_pod("client-1", 0);
  world.settle();
  EXPECT_EQ(world.phase(), "Succeeded");
  World failing = pair("");
  failing.end_pod("client-1", 1);
  failing.settle();
  EXPECT_EQ(failing.phase(), "Failed");
}

TEST(GenericJob, WithRulesForFailureOnlyItEndsWhenAllHaveEnded) {
  World world = pair("failureRules: [{client: [0, 1]}]");
  world.end_pod("client-0", 1);
  world.end_pod("client-1", 0);
  world.settle();
  EXPECT_EQ(world.phase(), "Running");
  world.end_pod("server-0", 0);
  world.settle();
  EXPECT_EQ(world.phase(), "Failed");
}

TEST(GenericJob, RestartsAreCountedByType) {
  World world = pair("successRules: [{server: [0]}]", "{policy: OnFailure, limit: 1}");
  world.end_pod("client-0", 1);
  world.settle();
  EXPECT_EQ(string_at(world.pod("client-0"), "status.phase"), "Pending");
  world.set_all_phases("Running");
  world.settle();
  world.end_pod("client-1", 1);
  world.settle();
  EXPECT_EQ(string_at(world.pod("client-1"), "status.phase"), "Failed")
      << "the limit is the type's";
  EXPECT_EQ(int_at(array_at(world.status(), "tasks")[1], "restartCount"), 1);
  EXPECT_EQ(find(world.status(), "backoffCount"), nullptr) << "this kind has none";
}

TEST(GenericJob, ALimitOfZeroIsTheDefault) {
  World world = pair("failureRules: [{client: [0]}]");
  world.end_pod("client-0", 1);
  world.settle();
  EXPECT_EQ(world.phase(), "Failed");
}

TEST(GenericJob, CleansUpAsItsTopLevelFieldSays) {
  World world = pair("successRules: [{server: [0]}]\ncleanUpPolicy: Unfinished");
  world.end_pod("server-0", 0);
  world.settle();
  world.finish_deletions();
  world.settle();
  EXPECT_EQ(world.pods.size(), 1U);
}

TEST(GenericJob, WithPortsEveryReplicaHasAService) {
  World world(kKind, R"(
service: {ports: [{name: rpc, port: 7000}]}
replicaSpecs: [{type: client, replicas: 2, template: {spec: {containers: [{name: m}]}}}]
)");
  const JobPlan plan = world.plan();
  EXPECT_FALSE(plan.needs_port);
  ASSERT_EQ(plan.create_services.size(), 3U);
  const Json& service = plan.create_services[2];
  EXPECT_EQ(name_of(service), "mnist-client-1");
  EXPECT_EQ(to_text(service.at("spec")),
            R"({"publishNotReadyAddresses":true,"selector":{"tensorstack.dev/owner-name":"mnist",)"
            R"("genericjob-replica":"mnist-client-1"},"ports":[{"name":"rpc","port":7000}]})");
  world.settle();
  EXPECT_EQ(label_of(world.pod("client-1"), "genericjob"), "mnist");
  EXPECT_EQ(label_of(world.pod("client-1"), "genericjob-replica"), "mnist-client-1");
  EXPECT_EQ(label_of(world.pod("client-0"), "job-role"), "") << "there is no master";
}

TEST(GenericJob, SubstitutesVariablesAndLeavesWhatItDoesNotKnow) {
  World world(kKind, R"(
service: {ports: [{name: rpc, port: 7000}]}
replicaSpecs: [{type: server, template: {spec: {containers: [{name: m}]}}},
               {type: client, replicas: 2, template: {spec: {containers: [{name: m}]}}}]
)");
  const JobForm form = kKind.read(world.job);
  const auto filled = [&](const char* text) {
    return substitute(text, world.job, form, Replica{1, 1, 2});
  };
  EXPECT_EQ(filled("$(type)-$(rank) of $(replicas[client])"), "client-1 of 2");
  EXPECT_EQ(filled("$(service.server[0].host):$(service.port[rpc])"), "mnist-server-0:7000");
  EXPECT_EQ(filled("[\"$(service.client[1].host)\"]"), "[\"mnist-client-1\"]") << "in JSON, too";
  for (const char* same :
       {"$(HOME)", "$(replicas[ps])", "$(service.client[2].host)", "$(service.port[web])",
        "$(service.client[x].host)", "$(unfinished", "$", "a$$(rank)", "$$$"}) {
    EXPECT_EQ(filled(same), same);
  }
  world.job.at("spec").get_object().erase("service");
  EXPECT_EQ(filled("$(service.server[0].host)"), "$(service.server[0].host)")
      << "only with spec.service";
}

TEST(GenericJob, VariablesAreReplacedInCommandArgsAndEnvOfAllContainers) {
  World world(kKind, R"yaml(
replicaSpecs:
- type: a
  template:
    spec:
      initContainers: [{name: i, command: ["$(rank)"]}]
      containers: [{name: m, args: ["$(type)"], env: [{name: N, value: "$(replicas[a])"}, {name: M}]}]
)yaml");
  world.settle();
  const Json& pod = world.pod("a-0");
  EXPECT_EQ(to_text(array_at(array_at(pod, "spec.initContainers")[0], "command")), R"(["0"])");
  const Json& main = array_at(pod, "spec.containers")[0];
  EXPECT_EQ(to_text(array_at(main, "args")), R"(["a"])");
  EXPECT_EQ(string_at(array_at(main, "env")[0], "value"), "1");
}

}  // namespace
}  // namespace trainyard::jobs
