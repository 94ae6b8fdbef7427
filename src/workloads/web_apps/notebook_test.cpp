// What becomes of a Notebook's spec.
#include "workloads/web_apps/notebook.h"

#include "object/yaml/yaml.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace trainyard::workloads {
namespace {

AppForm read(const std::string& spec) {
  const auto parsed = parse_yaml(
      "apiVersion: tensorstack.dev/v1beta1\nkind: Notebook\n"
      "metadata: {name: lab, namespace: vision, uid: u-1}\nspec: " +
      spec);
  EXPECT_TRUE(parsed && parsed->size() == 1) << spec;
  return Notebook().read(parsed->front());
}

const char* const kUsual =
    "{type: jupyter, template: {spec: {containers: [{name: notebook, image: example/jupyter:1, "
    "volumeMounts: [{name: home, mountPath: /t9k/mnt}]}], volumes: [{name: home, "
    "persistentVolumeClaim: {claimName: shared}}]}}}";

const Json& container(const AppForm& form) {
  return array_at(form.pod, "spec.containers").at(0);
}

std::vector<std::string> command_of(const AppForm& form) {
  std::vector<std::string> words;
  for (const Json& word : array_at(container(form), "command")) {
    words.push_back(to_string(word.get_string()));
  }
  return words;
}

bool has_word(const AppForm& form, const std::string& word) {
  const auto words = command_of(form);
  return std::find(words.begin(), words.end(), word) != words.end();
}

std::string variable(const AppForm& form, std::string_view name) {
  for (const Json& variable : array_at(container(form), "env")) {
    if (string_at(variable, "name") == name) return std::string(string_at(variable, "value"));
  }
  return "";
}

std::vector<std::string> shortcomings(const AppForm& form) {
  std::vector<std::string> reasons;
  for (const Problem& problem : form.shortcomings) reasons.push_back(problem.reason);
  return reasons;
}

TEST(Notebook, RunsJupyterLabOnASocketFileBehindTheProxy) {
  const AppForm form = read(kUsual);
  EXPECT_EQ(command_of(form).front(), "jupyter-lab");
  EXPECT_TRUE(has_word(form, "--ServerApp.sock=/run/trainyard-web/jupyter.sock"));
  EXPECT_TRUE(has_word(form, "--ServerApp.base_url=/vision/notebook/lab/"));
  EXPECT_TRUE(has_word(form, "--IdentityProvider.token="));
  EXPECT_EQ(annotation_of(form.pod, "trainyard.dev/network"), "")
      << "it fetches packages and talks to the API";
  const std::string name(name_of(form.pod));
  EXPECT_TRUE(name.starts_with("managed-notebook-") && name.ends_with("-0")) << name;
  EXPECT_EQ(name.size(), std::string("managed-notebook-12345-0").size());
}

TEST(Notebook, LivesInItsClaim) {
  const AppForm form = read(kUsual);
  EXPECT_EQ(variable(form, "HOME"), "/t9k/mnt");
  EXPECT_EQ(string_at(container(form), "workingDir"), "/t9k/mnt");
  EXPECT_TRUE(has_word(form, "--ServerApp.root_dir=/t9k/mnt"));
  EXPECT_EQ(form.claims, std::vector<std::string>{"shared"});
  EXPECT_TRUE(form.shortcomings.empty());
}

TEST(Notebook, LivesInItsFirstClaimWhereverThatIs) {
  const AppForm form = read(
      "{template: {spec: {containers: [{name: notebook, volumeMounts: [{name: c, mountPath: "
      "/etc/c}, "
      "{name: w, mountPath: /work}]}], volumes: [{name: c, configMap: {name: x}}, {name: w, "
      "persistentVolumeClaim: {claimName: a}}]}}}");
  EXPECT_EQ(variable(form, "HOME"), "/work");
}

TEST(Notebook, SaysThatFilesAreLostWithoutAVolume) {
  const AppForm form = read("{template: {spec: {containers: [{name: notebook}]}}}");
  EXPECT_EQ(shortcomings(form), std::vector<std::string>{"NoVolume"});
  EXPECT_EQ(variable(form, "HOME"), "/t9k/mnt");
}

TEST(Notebook, KeepsWhatTheUserWrote) {
  const AppForm form = read(
      "{template: {spec: {nodeSelector: {a: b}, containers: [{name: other, image: x}, {name: "
      "notebook, image: y, resources: {limits: {cpu: 2}}, env: [{name: HOME, value: /here}]}]}}}");
  const JsonArray& containers = array_at(form.pod, "spec.containers");
  ASSERT_EQ(containers.size(), 2U);
  EXPECT_EQ(find(containers[0], "command"), nullptr);
  EXPECT_EQ(int_at(containers[1], "resources.limits.cpu"), 2);
  EXPECT_EQ(string_at(form.pod, "spec.nodeSelector.a"), "b");
  EXPECT_EQ(string_at(array_at(containers[1], "env").at(0), "value"), "/here");
}

TEST(Notebook, HasAnAccountForItsTerminalUnlessItNamesOne) {
  const AppForm form = read(kUsual);
  EXPECT_EQ(string_at(form.pod, "spec.serviceAccountName"), "trainyard-notebook");
  ASSERT_EQ(form.children.size(), 3U);
  EXPECT_EQ(form.children[0].first, kServiceAccounts);
  const Json& binding = form.children[1].second;
  EXPECT_EQ(string_at(binding, "roleRef.name"), "trainyard:notebook");
  EXPECT_EQ(string_at(array_at(binding, "subjects").at(0), "namespace"), "vision");
  const AppForm own =
      read("{template: {spec: {serviceAccountName: mine, containers: [{name: notebook}]}}}");
  EXPECT_EQ(string_at(own.pod, "spec.serviceAccountName"), "mine");
  EXPECT_EQ(own.children.size(), 1U);
}

TEST(Notebook, HasAServiceOfItsName) {
  const AppForm form = read(kUsual);
  const auto& [resource, service] = form.children.back();
  EXPECT_EQ(resource, kServices);
  EXPECT_TRUE(name_of(service).starts_with("managed-notebook-http-"));
  EXPECT_EQ(string_at(*controller_of(service), "name"), "lab");
}

TEST(Notebook, SaysWhatItDoesNotDo) {
  EXPECT_EQ(
      read("{type: rstudio, template: {spec: {containers: [{name: notebook}]}}}").refusal->reason,
      "NotSupported");
  const AppForm form = read(
      "{ssh: {enabled: true}, template: {spec: {containers: [{name: notebook, command: [sh], "
      "volumeMounts: [{name: h, mountPath: /t9k/mnt}]}]}}}");
  EXPECT_EQ(shortcomings(form), (std::vector<std::string>{"SshNotSupported", "CommandIgnored"}));
  EXPECT_EQ(command_of(form).front(), "jupyter-lab");
}

}  // namespace
}  // namespace trainyard::workloads
