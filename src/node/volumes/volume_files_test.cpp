#include "node/volumes/volume_files.h"

#include "object/yaml/yaml.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace trainyard::node {
namespace {

ObjectPtr object(const std::string& yaml) {
  return std::make_shared<const StoredObject>(parse_yaml(yaml)->front(), 1);
}

ObjectPtr find_config(ConfigKind kind, const std::string& name) {
  if (kind == ConfigKind::kConfigMap && name == "settings") {
    return object("{data: {a.txt: one, b.txt: two}, binaryData: {raw: AAE=}}");
  }
  if (kind == ConfigKind::kConfigMap && name == "odd") return object("{data: {..data: x}}");
  if (kind == ConfigKind::kSecret && name == "key") return object("{data: {password: aHVzaA==}}");
  return nullptr;
}

Json pod(const std::string& security = "{}") {
  return *parse_json_or_yaml(R"(
metadata:
  name: p
  namespace: demo
  uid: u-1
  labels: {b: "2", a: "1"}
  annotations: {note: "say \"hi\"\nagain"}
spec:
  securityContext: )" + security +
                             R"(
  containers: [{name: main, resources: {limits: {cpu: 1500m}}}]
)");
}

/// "path=content (mode)" for each file, or the error's words.
std::string shown(const std::string& volume, const Json& of = pod()) {
  PodFacts facts;
  const Capacity capacity{};
  const auto find_token = [](const TokenWish& wish) -> Result<std::string> {
    return "token for " + (wish.audience.empty() ? "us" : wish.audience);
  };
  const auto files = plan_volume_files(*parse_json_or_yaml(volume),
                                       {of, facts, capacity, find_config, find_token});
  if (!files) return files.error().message();
  std::string text;
  for (const auto& [path, file] : *files) {
    text += fmt::format("{}{}={} ({:o})", text.empty() ? "" : "; ", path, file.content, file.mode);
  }
  return text;
}

TEST(VolumeFiles, ShowsAllKeysOfAConfigMapOrThoseThatAreAskedFor) {
  EXPECT_EQ(shown("configMap: {name: settings}"),
            std::string("a.txt=one (644); b.txt=two (644); raw=\0\1 (644)", 46));
  EXPECT_EQ(shown("configMap: {name: settings, defaultMode: 0400, items: [{key: a.txt, path: x/y}, "
                  "{key: b.txt, path: z, mode: 0600}]}"),
            "x/y=one (400); z=two (600)");
  EXPECT_EQ(shown("secret: {secretName: key}"), "password=hush (644)");
}

TEST(VolumeFiles, SaysWhatIsMissingInTheWordsThatUsersKnow) {
  EXPECT_EQ(shown("configMap: {name: nobody}"), "configmap \"nobody\" not found");
  EXPECT_EQ(shown("secret: {secretName: nobody}"), "secret \"nobody\" not found");
  EXPECT_EQ(shown("configMap: {name: settings, items: [{key: gone, path: x}]}"),
            "configmap references non-existent config key: gone");
  EXPECT_EQ(shown("secret: {secretName: key, items: [{key: gone, path: x}]}"),
            "references non-existent secret key: gone");
  EXPECT_EQ(shown("configMap: {name: nobody, optional: true}"), "");
  EXPECT_EQ(shown("secret: {secretName: key, optional: true, items: [{key: gone, path: x}]}"), "");
}

TEST(VolumeFiles, RefusesPathsThatLeadOut) {
  for (const char* path : {"../x", "/etc/x", "a/../../x", "..data"}) {
    EXPECT_NE(shown(fmt::format("secret: {{secretName: key, items: [{{key: password, path: {}}}]}}",
                                path))
                  .find("leads out of its volume"),
              std::string::npos)
        << path;
  }
  EXPECT_NE(shown("configMap: {name: odd}").find("leads out"), std::string::npos);
}

TEST(VolumeFiles, TellsThePodOfItself) {
  EXPECT_EQ(shown("downwardAPI: {items: [{path: labels, fieldRef: {fieldPath: metadata.labels}}]}"),
            "labels=a=\"1\"\nb=\"2\" (644)");
  EXPECT_EQ(shown("downwardAPI: {items: [{path: a, fieldRef: {fieldPath: metadata.annotations}}]}"),
            "a=note=\"say \\\"hi\\\"\\nagain\" (644)");
  EXPECT_EQ(shown("downwardAPI: {items: [{path: cpu, mode: 0444, resourceFieldRef: {containerName: "
                  "main, resource: limits.cpu, divisor: 1m}}]}"),
            "cpu=1500 (444)");
}

TEST(VolumeFiles, ProjectsSeveralSourcesIntoOne) {
  EXPECT_EQ(shown("projected: {sources: [{secret: {name: key}}, {serviceAccountToken: {path: t, "
                  "audience: vault}}, {downwardAPI: {items: [{path: ns, fieldRef: {fieldPath: "
                  "metadata.namespace}}]}}]}"),
            "ns=demo (644); password=hush (644); t=token for vault (644)");
}

TEST(VolumeFiles, GuardsTokensWhereItIsKnownWhoReadsThem) {
  const std::string volume = "projected: {sources: [{serviceAccountToken: {path: t}}]}";
  EXPECT_EQ(shown(volume, pod("{runAsUser: 1000}")), "t=token for us (600)");
  EXPECT_EQ(shown(volume, pod("{fsGroup: 2000}")), "t=token for us (640)");
  EXPECT_EQ(shown("secret: {secretName: key, defaultMode: 0400}", pod("{fsGroup: 2000}")),
            "password=hush (440)");
}

TEST(VolumeFiles, AsksForTheTokensThatItWillShow) {
  const auto wishes = token_wishes(make_account_volume());
  ASSERT_EQ(wishes.size(), 1U);
  EXPECT_EQ(wishes.front().audience, "");
  EXPECT_TRUE(holds_files(make_account_volume()));
}

}  // namespace
}  // namespace trainyard::node
