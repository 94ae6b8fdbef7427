#include "node/environment.h"

#include "object/yaml.h"

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
spec: {serviceAccountName: default, nodeName: node-0}
status: {podIP: 127.64.0.9}
)");
}

Result<Variables> environment(const std::string& env) {
  return make_environment(pod(), *parse_json_or_yaml("name: main\nenv: " + env), config());
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
  const Variables variables{{"A", "1"}, {"EMPTY", ""}, {"REF", "$(A)"}};
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
  };
  for (const Case& expected : cases) {
    const auto variables = environment("[{name: V, valueFrom: {fieldRef: {fieldPath: \"" +
                                       std::string(expected.path) + "\"}}}]");
    EXPECT_EQ(value_of(variables, "V"), expected.expected) << expected.path;
  }
}

TEST(MakeEnvironment, NamesTheVariableThatCannotHaveAValue) {
  for (const char* source :
       {"{fieldRef: {fieldPath: spec.secrets}}", "{secretKeyRef: {name: s, key: k}}"}) {
    const auto refused = environment(std::string("[{name: TOKEN, valueFrom: ") + source + "}]");
    ASSERT_TRUE(refused.failed_with(Code::kInvalid)) << source;
    EXPECT_NE(refused.error().message().find("TOKEN"), std::string::npos)
        << refused.error().message();
  }
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
  EXPECT_TRUE(make_command(container, {}).failed_with(Code::kInvalid));
  std::string never_closed;
  for (int i = 0; i < 1'000'000; ++i) never_closed += "$(";
  EXPECT_TRUE(expand(never_closed, {}).failed_with(Code::kInvalid));
}

TEST(MakeCommand, ArgsFollowTheCommandWithReferencesReplaced) {
  const Variables variables{{"MASTER_ADDR", "host"}};
  const Json container =
      *parse_json_or_yaml("command: [train, $(MASTER_ADDR)]\nargs: [--lr, '0.1']");
  EXPECT_EQ(make_command(container, variables).value_or({}),
            (std::vector<std::string>{"train", "host", "--lr", "0.1"}));
}

TEST(MakeCommand, ArgsAloneAreTheCommandLine) {
  const Json container = *parse_json_or_yaml("args: [python, fit.py]");
  EXPECT_EQ(make_command(container, {}).value_or({}),
            (std::vector<std::string>{"python", "fit.py"}));
}

TEST(MakeCommand, ContainersWithoutBothAreRefusedInWords) {
  const auto refused = make_command(*parse_json_or_yaml("name: main\nimage: torch"), {});
  ASSERT_TRUE(refused.failed_with(Code::kInvalid));
  EXPECT_NE(refused.error().message().find("main"), std::string::npos);
  EXPECT_NE(refused.error().message().find("torch"), std::string::npos);
}

}  // namespace
}  // namespace trainyard::node
