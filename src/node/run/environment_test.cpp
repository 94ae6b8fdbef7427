#include "node/run/environment.h"

#include "base/clock.h"
#include "object/yaml/yaml.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace trainyard::node {
namespace {

NodeConfig config() {
  NodeConfig made;
  made.path = "/opt/venv/bin:/usr/bin";
  made.home = "/root";
  return made;
}

Json pod() {
  return *parse_json_or_yaml(R"(
metadata:
  name: mnist-0
  namespace: demo
  uid: u-1
  labels: {replica-index: "3", app.kubernetes.io/name: train}
  annotations: {note: hello}
spec:
  nodeName: node-0
  serviceAccountName: default
  containers: [{name: other, resources: {limits: {memory: 3Gi}}}]
)");
}

ObjectPtr find_config(ConfigKind kind, const std::string& name) {
  if (name != "there") return nullptr;
  Json object =
      *parse_json_or_yaml(kind == ConfigKind::kSecret ? "data: {password: czNjcmV0, user: YW5u}"
                                                      : "data: {rate: '0.1', note: $(PATH)}");
  return std::make_shared<StoredObject>(std::move(object), 1);
}

Result<Variables> environment_of(const std::string& container) {
  const PodFacts facts{"mnist-0", "demo", "u-1", "127.64.0.9", "127.0.0.1"};
  const NodeConfig node = config();
  const Capacity capacity{Quantity::of(8), Quantity::of(std::int64_t{16} << 30)};
  const Json pod_object = pod();
  const Json spec = *parse_json_or_yaml("name: main\n" + container);
  return make_environment({pod_object, spec, facts, node, capacity, find_config, "/root", {}});
}

Result<Variables> environment(const std::string& env) {
  return environment_of("env: " + env);
}

/// The last value of a variable; "-" when it is not there.
std::string value_of(const Result<Variables>& variables, const std::string& name) {
  std::string value = "-";
  if (!variables) return variables.error().message();
  for (const auto& variable : *variables) {
    if (variable.first == name) value = variable.second;
  }
  return value;
}

TEST(Expand, ReplacesReferencesAndLeavesTheRest) {
  const VariableTable variables(Variables{{"A", "1"}, {"EMPTY", ""}, {"REF", "$(A)"}});
  struct Case {
    const char* text;
    const char* expected;
  };
  const Case cases[] = {
      {"plain", "plain"},
      {"$(A)", "1"},
      {"x$(A)y$(A)", "x1y1"},
      {"[$(EMPTY)]", "[]"},
      {"$(UNKNOWN)", "$(UNKNOWN)"},
      {"$$(A)", "$(A)"},
      {"$$$(A)", "$1"},
      {"$$", "$"},
      {"cost: 5$", "cost: 5$"},
      {"$A ${A}", "$A ${A}"},
      {"$(A", "$(A"},
      {"$()", "$()"},
      {"$(REF)", "$(A)"},  // what was put in is not looked at again
      {"", ""},
  };
  for (const Case& expected : cases) {
    EXPECT_EQ(expand(expected.text, variables).value_or("?"), expected.expected) << expected.text;
  }
}

TEST(MakeEnvironment, GivesEveryProcessWhatItNeeds) {
  const auto variables = environment("[]");
  EXPECT_EQ(value_of(variables, "PATH"), "/opt/venv/bin:/usr/bin");
  EXPECT_EQ(value_of(variables, "HOME"), "/root");
  EXPECT_EQ(value_of(variables, "HOSTNAME"), "mnist-0");
}

TEST(MakeEnvironment, AVariableSeesOnlyWhatStandsBeforeIt) {
  const auto variables = environment(
      R"yaml([{name: A, value: "1"}, {name: B, value: "$(A)$(C)"}, {name: C, value: "3"}])yaml");
  EXPECT_EQ(value_of(variables, "B"), "1$(C)");
}

TEST(MakeEnvironment, TheContainersOwnValueWinsAndMayExtendTheDefault) {
  const auto variables = environment(R"yaml([{name: PATH, value: "/own/bin:$(PATH)"}])yaml");
  EXPECT_EQ(value_of(variables, "PATH"), "/own/bin:/opt/venv/bin:/usr/bin");
  ASSERT_TRUE(variables);
  EXPECT_EQ(std::count_if(variables->begin(), variables->end(),
                          [](const auto& variable) { return variable.first == "PATH"; }),
            1);
}

TEST(MakeEnvironment, TakesValuesFromThePodsFields) {
  struct Case {
    const char* path;
    const char* expected;
  };
  const Case cases[] = {
      {"metadata.name", "mnist-0"},
      {"metadata.namespace", "demo"},
      {"metadata.uid", "u-1"},
      {"metadata.labels['replica-index']", "3"},
      {"metadata.labels['app.kubernetes.io/name']", "train"},
      {"metadata.labels['missing']", ""},
      {"metadata.annotations['note']", "hello"},
      {"spec.nodeName", "node-0"},
      {"spec.serviceAccountName", "default"},
      {"status.podIP", "127.64.0.9"},
      {"status.podIPs", "127.64.0.9"},
      {"status.hostIP", "127.0.0.1"},
  };
  for (const Case& expected : cases) {
    const auto variables = environment("[{name: V, valueFrom: {fieldRef: {fieldPath: \"" +
                                       std::string(expected.path) + "\"}}}]");
    EXPECT_EQ(value_of(variables, "V"), expected.expected) << expected.path;
  }
}

TEST(MakeEnvironment, TakesValuesFromConfigMapsAndSecrets) {
  const auto variables = environment(R"yaml(
    - {name: RATE, valueFrom: {configMapKeyRef: {name: there, key: rate}}}
    - {name: NOTE, valueFrom: {configMapKeyRef: {name: there, key: note}}}
    - {name: PASSWORD, valueFrom: {secretKeyRef: {name: there, key: password}}}
    - {name: NO_KEY, valueFrom: {secretKeyRef: {name: there, key: other, optional: true}}}
    - {name: NO_MAP, valueFrom: {configMapKeyRef: {name: away, key: rate, optional: true}}}
    - {name: BOTH, value: $(RATE)/$(PASSWORD)}
)yaml");
  EXPECT_EQ(value_of(variables, "RATE"), "0.1");
  EXPECT_EQ(value_of(variables, "NOTE"), "$(PATH)") << "only what stands in the pod is expanded";
  EXPECT_EQ(value_of(variables, "PASSWORD"), "s3cret");
  EXPECT_EQ(value_of(variables, "NO_KEY"), "-") << "left out";
  EXPECT_EQ(value_of(variables, "NO_MAP"), "-");
  EXPECT_EQ(value_of(variables, "BOTH"), "0.1/s3cret");
}

TEST(MakeEnvironment, TakesWholeConfigMapsAndSecrets) {
  const auto variables = environment_of(R"yaml(
envFrom:
  - {configMapRef: {name: there}}
  - {prefix: DB_, secretRef: {name: there}}
  - {configMapRef: {name: away, optional: true}}
env: [{name: rate, value: "mine, not $(rate)"}]
)yaml");
  EXPECT_EQ(value_of(variables, "DB_user"), "ann");
  EXPECT_EQ(value_of(variables, "DB_password"), "s3cret");
  EXPECT_EQ(value_of(variables, "rate"), "mine, not 0.1");
}

TEST(MakeEnvironment, SaysWhatIsMissingInTheWordsOfKubernetes) {
  const std::pair<const char*, const char*> cases[] = {
      {"{configMapKeyRef: {name: away, key: k}}", "configmap \"away\" not found"},
      {"{secretKeyRef: {name: away, key: k}}", "secret \"away\" not found"},
      {"{configMapKeyRef: {name: there, key: k}}", "couldn't find key k in ConfigMap demo/there"},
      {"{secretKeyRef: {name: there, key: k}}", "couldn't find key k in Secret demo/there"},
  };
  for (const auto& [source, message] : cases) {
    const auto refused = environment(std::string("[{name: V, valueFrom: ") + source + "}]");
    ASSERT_TRUE(refused.failed_with(Code::kNotFound)) << source;
    EXPECT_EQ(refused.error().message(), message);
  }
  const auto refused = environment_of("envFrom: [{secretRef: {name: away}}]");
  ASSERT_TRUE(refused.failed_with(Code::kNotFound));
  EXPECT_EQ(refused.error().message(), "secret \"away\" not found");
}

TEST(MakeEnvironment, TakesValuesFromResources) {
  struct Case {
    const char* reference;
    const char* expected;
  };
  const Case cases[] = {
      {"{resource: limits.cpu}", "2"},
      {"{resource: limits.cpu, divisor: 1m}", "1500"},
      {"{resource: limits.memory, divisor: 1Mi}", "512"},
      {"{resource: limits.memory, divisor: '0'}", "536870912"},
      {"{resource: requests.cpu}", "0"},
      {"{resource: limits.memory, containerName: other, divisor: 1Gi}", "3"},
      {"{resource: limits.cpu, containerName: other}", "8"},
  };
  for (const Case& expected : cases) {
    const auto variables = environment_of(
        std::string("resources: {limits: {cpu: 1500m, memory: 512Mi}}\nenv: [{name: V, valueFrom: "
                    "{resourceFieldRef: ") +
        expected.reference + "}}]");
    EXPECT_EQ(value_of(variables, "V"), expected.expected) << expected.reference;
  }
}

TEST(MakeEnvironment, NamesTheVariableThatCannotHaveAValue) {
  for (const char* source :
       {"{fieldRef: {fieldPath: spec.secrets}}",
        "{resourceFieldRef: {resource: limits.cpu, containerName: x}}", "{fileKeyRef: {key: x}}"}) {
    const auto refused = environment(std::string("[{name: TOKEN, valueFrom: ") + source + "}]");
    ASSERT_TRUE(refused.failed_with(Code::kInvalid)) << source;
    EXPECT_NE(refused.error().message().find("TOKEN"), std::string::npos)
        << refused.error().message();
  }
}

TEST(MakeEnvironment, TakesAsManyAsARequestCanHold) {
  Json container{{"env", JsonArray()}};
  JsonArray& list = container.get_object()["env"].get_array();
  constexpr int kCount = 80'000;
  for (int i = 0; i < kCount; ++i) {
    list.push_back({{"name", fmt::format("V{}", i)}, {"value", fmt::format("$(V{})", i - 1)}});
  }
  const SystemClock clock;
  const TimePoint begun = clock.now();
  const auto variables = environment(to_text(Json(list)));
  ASSERT_TRUE(variables);
  EXPECT_GE(variables->size(), std::size_t{kCount});
  EXPECT_LT(clock.now() - begun, std::chrono::seconds(5)) << "one look at each for each takes ten";
}

TEST(MakeEnvironment, RefusesMoreThanAProcessMayHave) {
  VariableTable variables;
  const std::string large(1 << 20, 'x');
  for (int i = 0; i < 7; ++i) ASSERT_TRUE(variables.set("SAME", large));
  EXPECT_TRUE(variables.set("SAME", large).failed_with(Code::kInvalid));
  EXPECT_EQ(std::move(variables).take().size(), 1U);
}

TEST(MakeEnvironment, RefusesVariablesThatGrowWithoutEnd) {
  std::string variables = "[{name: V0, value: twelve bytes}";
  for (int i = 1; i <= 40; ++i) {
    variables += fmt::format(", {{name: V{}, value: \"$(V{})$(V{})\"}}", i, i - 1, i - 1);
  }
  const auto refused = environment(variables + "]");
  ASSERT_TRUE(refused.failed_with(Code::kInvalid));
  EXPECT_EQ(refused.error().message().substr(0, 12), "variable V14");
}

TEST(MakeCommand, RefusesWordsThatTheKernelWouldRefuse) {
  const Json container{{"args", JsonArray{std::string(kLongestWord + 1, 'x')}}};
  EXPECT_TRUE(make_command(container, {}, std::nullopt).failed_with(Code::kInvalid));
  std::string never_closed;
  for (int i = 0; i < 1'000'000; ++i) never_closed += "$(";
  EXPECT_TRUE(expand(never_closed, {}).failed_with(Code::kInvalid));
}

TEST(MakeCommand, ArgsFollowTheCommandWithReferencesReplaced) {
  const Variables variables{{"MASTER_ADDR", "host"}};
  const Json container =
      *parse_json_or_yaml("command: [train, $(MASTER_ADDR)]\nargs: [--lr, '0.1']");
  EXPECT_EQ(make_command(container, variables, std::nullopt).value_or({}),
            (std::vector<std::string>{"train", "host", "--lr", "0.1"}));
}

TEST(MakeCommand, ArgsAloneAreTheCommandLine) {
  const Json container = *parse_json_or_yaml("args: [python, fit.py]");
  EXPECT_EQ(make_command(container, {}, std::nullopt).value_or({}),
            (std::vector<std::string>{"python", "fit.py"}));
}

TEST(MakeCommand, ContainersWithoutBothAreRefusedInWords) {
  const auto refused =
      make_command(*parse_json_or_yaml("name: main\nimage: torch"), {}, std::nullopt);
  ASSERT_TRUE(refused.failed_with(Code::kInvalid));
  EXPECT_NE(refused.error().message().find("main"), std::string::npos);
  EXPECT_NE(refused.error().message().find("torch"), std::string::npos);
}

/// What a container runs whose image has an entrypoint and a command of its own.
std::vector<std::string> run_by(const std::string& container, contract::ImageConfig config) {
  contract::ImageMap map;
  map.kind = contract::ImageMap::Kind::kRootfs;
  map.config = std::move(config);
  return make_command(*parse_json_or_yaml(container), {{"A", "1"}}, map).value_or({});
}

TEST(MakeCommand, AnImageSaysWhatTheContainerDoesNot) {
  using Words = std::vector<std::string>;
  const contract::ImageConfig both{{"entry", "-v"}, {"serve", "$(A)"}, "", ""};
  EXPECT_EQ(run_by("{}", both), (Words{"entry", "-v", "serve", "$(A)"})) << "as it is written";
  EXPECT_EQ(run_by("args: [fit, $(A)]", both), (Words{"entry", "-v", "fit", "1"}));
  EXPECT_EQ(run_by("command: [sh]", both), (Words{"sh"}));
  EXPECT_EQ(run_by("command: [sh]\nargs: [-c]", both), (Words{"sh", "-c"}));
  EXPECT_EQ(run_by("command: []\nargs: []", both), run_by("{}", both));
  EXPECT_EQ(run_by("{}", {{}, {"serve"}, "", ""}), (Words{"serve"}));
  EXPECT_EQ(run_by("args: [fit]", {{}, {"serve"}, "", ""}), (Words{"fit"}));
}

TEST(MakeCommand, AnImageWithoutAnyIsNamed) {
  contract::ImageMap map;
  map.kind = contract::ImageMap::Kind::kRootfs;
  const auto refused = make_command(*parse_json_or_yaml("name: main\nimage: torch"), {}, map);
  ASSERT_TRUE(refused.failed_with(Code::kInvalid));
  EXPECT_EQ(refused.error().message(),
            "container main has neither command nor args, and its image (torch) has neither an "
            "Entrypoint nor a Cmd: set command");
}

}  // namespace
}  // namespace trainyard::node
