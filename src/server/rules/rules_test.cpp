#include "server/rules/rules.h"

#include "object/patch/patch.h"
#include "object/yaml/yaml.h"
#include "server/admission/admission.h"
#include "server/test_server.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace trainyard::server {
namespace {

const WallTime kNow = *parse_time("2026-03-01T10:00:00Z");

const Resource kVolumes{"", "v1", "persistentvolumes"};
const Resource kQuotas{"", "v1", "resourcequotas"};
const Resource kLimitRanges{"", "v1", "limitranges"};
const Resource kEndpoints{"", "v1", "endpoints"};
const Resource kDeployments{"apps", "v1", "deployments"};
const Resource kReplicaSets{"apps", "v1", "replicasets"};
const Resource kStatefulSets{"apps", "v1", "statefulsets"};
const Resource kBatchJobs{"batch", "v1", "jobs"};
const Resource kLeases{"coordination.k8s.io", "v1", "leases"};
const Resource kPriorities{"scheduling.k8s.io", "v1", "priorityclasses"};
const Resource kStorageClasses{"storage.k8s.io", "v1", "storageclasses"};
const Resource kRoles{"rbac.authorization.k8s.io", "v1", "roles"};
const Resource kClusterRoles{"rbac.authorization.k8s.io", "v1", "clusterroles"};
const Resource kRoleBindings{"rbac.authorization.k8s.io", "v1", "rolebindings"};

Json yaml(std::string_view text) {
  const auto documents = parse_yaml(text);
  EXPECT_TRUE(documents && documents->size() == 1) << text;
  return documents && documents->size() == 1 ? documents->front() : Json();
}

AdmissionContext context() {
  return {kNow, FieldValidation::kStrict, nullptr};
}

/// An object named x, with these members besides.
Json object_with(std::string_view members) {
  Json object = yaml(members);
  if (find(object, "metadata.name") == nullptr) make_path(object, "metadata.name") = "x";
  return object;
}

/// "field: message" of every cause, or "good".
std::string causes_of(const Result<Json>& result) {
  if (result) return "good";
  std::string text;
  for (const FieldError& cause : result.error().causes()) {
    text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", cause.field, cause.message);
  }
  return text.empty() ? result.error().message() : text;
}

Result<Json> create(const Resource& resource, std::string_view members) {
  return admit_create(*kind_of(resource), "default", object_with(members), context());
}

std::string faults(const Resource& resource, std::string_view members) {
  return causes_of(create(resource, members));
}

/// What is wrong with changing an object by a merge patch.
std::string faults_of_change(const Resource& resource, std::string_view members,
                             std::string_view change) {
  const auto before = create(resource, members);
  EXPECT_TRUE(before) << causes_of(before);
  if (!before) return "not created";
  Json after = *before;
  apply_merge_patch(after, yaml(change));
  return causes_of(admit_update(*kind_of(resource), *before, after, Part::kMain, context()));
}

std::string pod_faults(std::string_view spec) {
  Json pod = yaml("{spec: {containers: [{name: a, image: i}]}}");
  apply_merge_patch(pod, yaml(fmt::format("{{spec: {}}}", spec)));
  return faults(kPods, to_text(pod));
}

std::string container_faults(std::string_view members) {
  Json container = yaml("{name: a, image: i}");
  apply_merge_patch(container, yaml(members));
  return pod_faults(
      to_text(Json{{"containers", JsonArray{container}},
                   {"volumes", JsonArray{{{"name", "v"}, {"emptyDir", JsonObject()}}}}}));
}

struct Case {
  const char* given;
  const char* fault;
};

TEST(PodRules, NameWhatIsWrongWithAContainer) {
  const Case cases[] = {
      {"{name: null}", "spec.containers[0].name: Required value"},
      {"{name: 'A b'}",
       "spec.containers[0].name: Invalid value: \"A b\": a lowercase RFC 1123 label must consist "
       "of "
       "lower case alphanumeric characters or '-', and must start and end with an alphanumeric "
       "character (e.g. 'my-name',  or '123-abc', regex used for validation is "
       "'[a-z0-9]([-a-z0-9]*[a-z0-9])?')"},
      {"{image: ''}", "spec.containers[0].image: Required value"},
      {"{image: ' i'}",
       "spec.containers[0].image: Invalid value: \" i\": must not have leading or trailing "
       "whitespace"},
      {"{imagePullPolicy: Often}",
       "spec.containers[0].imagePullPolicy: Unsupported value: \"Often\": supported values: "
       "\"Always\", \"IfNotPresent\", \"Never\""},
      {"{ports: [{containerPort: 0}]}",
       "spec.containers[0].ports[0].containerPort: Required value"},
      {"{ports: [{containerPort: 70000}]}",
       "spec.containers[0].ports[0].containerPort: Invalid value: 70000: must be between 1 and "
       "65535, inclusive"},
      {"{ports: [{containerPort: 1, name: Upper}]}",
       "spec.containers[0].ports[0].name: Invalid value: \"Upper\": must contain only "
       "alpha-numeric characters (a-z, 0-9), and hyphens (-)"},
      {"{ports: [{containerPort: 1, name: a}, {containerPort: 2, name: a}]}",
       "spec.containers[0].ports[1].name: Duplicate value: \"a\""},
      {"{env: [{value: x}]}", "spec.containers[0].env[0].name: Required value"},
      {"{env: [{name: 'a=b'}]}",
       "spec.containers[0].env[0].name: Invalid value: \"a=b\": a valid environment variable name "
       "must consist only of printable ASCII characters other than '='"},
      {"{env: [{name: a, value: x, valueFrom: {fieldRef: {fieldPath: metadata.name}}}]}",
       "spec.containers[0].env[0].valueFrom: Invalid value: \"\": may not be specified when "
       "`value` is not empty"},
      {"{env: [{name: a, valueFrom: {}}]}",
       "spec.containers[0].env[0].valueFrom: Invalid value: \"\": must specify one of: `fieldRef`, "
       "`resourceFieldRef`, `configMapKeyRef` or `secretKeyRef`"},
      {"{envFrom: [{configMapRef: {}}]}",
       "spec.containers[0].envFrom[0].configMapRef.name: Required value"},
      {"{volumeMounts: [{name: none, mountPath: /a}]}",
       "spec.containers[0].volumeMounts[0].name: Not found: \"none\""},
      {"{volumeMounts: [{name: v, mountPath: /a}, {name: v, mountPath: /a}]}",
       "spec.containers[0].volumeMounts[1].mountPath: Invalid value: \"/a\": must be unique"},
      {"{volumeMounts: [{name: v, mountPath: a}]}",
       "spec.containers[0].volumeMounts[0].mountPath: Invalid value: \"a\": must be an absolute "
       "path"},
      {"{volumeMounts: [{name: v, mountPath: /a, subPath: ../b}]}",
       "spec.containers[0].volumeMounts[0].subPath: Invalid value: \"../b\": must not contain "
       "'..'"},
      {"{resources: {requests: {cpu: 2}, limits: {cpu: 1}}}",
       "spec.containers[0].resources.requests: Invalid value: \"2\": must be less than or equal to "
       "cpu limit of 1"},
      {"{resources: {requests: {memory: -1Gi}}}",
       "spec.containers[0].resources.requests[memory]: Invalid value: \"-1Gi\": must be greater "
       "than or equal to 0"},
      {"{resources: {requests: {nvidia.com/gpu: 1}}}",
       "spec.containers[0].resources.limits: Required value: Limit must be set for non "
       "overcommitable resources"},
      {"{resources: {limits: {nvidia.com/gpu: 500m}}}",
       "spec.containers[0].resources.limits[nvidia.com/gpu]: Invalid value: \"500m\": must be an "
       "integer; spec.containers[0].resources.requests[nvidia.com/gpu]: Invalid value: \"500m\": "
       "must be an integer"},
      {"{livenessProbe: {}}",
       "spec.containers[0].livenessProbe: Required value: must specify a handler type"},
      {"{livenessProbe: {tcpSocket: {port: 1}, exec: {command: [a]}}}",
       "spec.containers[0].livenessProbe.tcpSocket: Forbidden: may not specify more than 1 handler "
       "type"},
      {"{livenessProbe: {tcpSocket: {port: 1}, successThreshold: 2}}",
       "spec.containers[0].livenessProbe.successThreshold: Invalid value: 2: must be 1"},
      {"{readinessProbe: {httpGet: {port: 99999}}}",
       "spec.containers[0].readinessProbe.httpGet.port: Invalid value: 99999: must be between 1 "
       "and 65535, inclusive"},
      {"{lifecycle: {preStop: {exec: {}}}}",
       "spec.containers[0].lifecycle.preStop.exec.command: Required value"},
      {"{securityContext: {runAsUser: -1}}",
       "spec.containers[0].securityContext.runAsUser: Invalid value: -1: must be between 0 and "
       "2147483647, inclusive"},
      {"{env: [{name: a, value: x}, {name: a, value: z}]}", "good"},
      {"{resources: {limits: {nvidia.com/gpu: 1, cpu: 500m}}}", "good"},
  };
  for (const auto& [given, fault] : cases) EXPECT_EQ(container_faults(given), fault) << given;
}

TEST(PodRules, NameWhatIsWrongWithAPod) {
  const Case cases[] = {
      {"{containers: []}", "spec.containers: Required value"},
      {"{containers: [{name: a, image: i}, {name: a, image: i}]}",
       "spec.containers[1].name: Duplicate value: \"a\""},
      {"{initContainers: [{name: a, image: i}]}",
       "spec.initContainers[0].name: Duplicate value: \"a\""},
      {"{initContainers: [{name: b, image: i, readinessProbe: {exec: {command: [a]}}}]}",
       "spec.initContainers[0].readinessProbe: Forbidden: may not be set for init containers "
       "without restartPolicy=Always"},
      {"{volumes: [{name: v, emptyDir: {}, hostPath: {path: /x}}]}",
       "spec.volumes[0].hostPath: Forbidden: may not specify more than 1 volume type"},
      {"{volumes: [{name: v}, {name: v}]}", "spec.volumes[1].name: Duplicate value: \"v\""},
      {"{volumes: [{name: v, secret: {}}]}", "spec.volumes[0].secret.secretName: Required value"},
      {"{volumes: [{name: v, configMap: {name: c, items: [{key: k, path: /p}]}}]}",
       "spec.volumes[0].configMap.items[0].path: Invalid value: \"/p\": must be a relative path"},
      {"{volumes: [{name: v, secret: {secretName: s, defaultMode: 1000}}]}",
       "spec.volumes[0].secret.defaultMode: Invalid value: 1000: must be a number between 0 and "
       "0777 (octal), both inclusive"},
      {"{volumes: [{name: v, hostPath: {path: /a/../b}}]}",
       "spec.volumes[0].hostPath.path: Invalid value: \"/a/../b\": must not contain '..'"},
      {"{restartPolicy: Sometimes}",
       "spec.restartPolicy: Unsupported value: \"Sometimes\": supported values: \"Always\", "
       "\"Never\", \"OnFailure\""},
      {"{activeDeadlineSeconds: 0}",
       "spec.activeDeadlineSeconds: Invalid value: 0: must be between 1 and 2147483647, inclusive"},
      {"{tolerations: [{operator: Exists, value: x, key: k}]}",
       "spec.tolerations[0].operator: Invalid value: "
       "{\"operator\":\"Exists\",\"value\":\"x\",\"key\":\"k\"}: value must be empty when "
       "`operator` is 'Exists'"},
      {"{tolerations: [{effect: NoSchedule}]}",
       "spec.tolerations[0].operator: Invalid value: \"\": operator must be Exists when `key` is "
       "empty, which means \"match all values and all keys\""},
      {"{dnsPolicy: None}",
       "spec.dnsConfig.nameservers: Required value: must provide at least one DNS nameserver when "
       "`dnsPolicy` is None"},
      {"{hostAliases: [{ip: here}]}",
       "spec.hostAliases[0].ip: Invalid value: \"here\": must be a valid IP address, (e.g. "
       "10.9.8.7 "
       "or 2001:db8::ffff)"},
      {"{topologySpreadConstraints: [{maxSkew: 0, topologyKey: z, whenUnsatisfiable: "
       "DoNotSchedule}]}",
       "spec.topologySpreadConstraints[0].maxSkew: Invalid value: 0: must be greater than zero"},
      {"{affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "
       "{nodeSelectorTerms: []}}}}",
       "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution."
       "nodeSelectorTerms: Required value: must have at least one node selector term"},
      {"{affinity: {podAntiAffinity: {preferredDuringSchedulingIgnoredDuringExecution: [{weight: "
       "200, podAffinityTerm: {topologyKey: z}}]}}}",
       "spec.affinity.podAntiAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].weight: "
       "Invalid value: 200: must be in the range 1-100"},
      {"{hostPID: true, shareProcessNamespace: true}",
       "spec.shareProcessNamespace: Invalid value: true: ShareProcessNamespace and HostPID cannot "
       "both be enabled"},
  };
  for (const auto& [given, fault] : cases) EXPECT_EQ(pod_faults(given), fault) << given;
}

TEST(PodRules, LetOnlyAFewFieldsChange) {
  const char* const pod =
      "{spec: {containers: [{name: a, image: i}], activeDeadlineSeconds: 100, "
      "tolerations: [{key: k, operator: Exists}]}}";
  const auto change = [&](std::string_view patch) { return faults_of_change(kPods, pod, patch); };
  EXPECT_EQ(change("{metadata: {labels: {a: b}}}"), "good");
  EXPECT_EQ(change("{spec: {activeDeadlineSeconds: 50}}"), "good");
  EXPECT_EQ(
      change("{spec: {activeDeadlineSeconds: 200}}"),
      "spec.activeDeadlineSeconds: Invalid value: 200: must be less than or equal to previous "
      "value");
  EXPECT_EQ(
      change("{spec: {tolerations: [{key: k, operator: Exists}, {key: l, operator: Exists}]}}"),
      "good");
  EXPECT_EQ(change("{spec: {tolerations: []}}"),
            "spec.tolerations: Forbidden: existing toleration can not be modified except its "
            "tolerationSeconds");
  EXPECT_TRUE(change("{spec: {hostname: h}}")
                  .starts_with("spec: Forbidden: pod updates may not change fields other than "
                               "`spec.containers[*].image`"));
  EXPECT_TRUE(change("{spec: {hostname: h}}").ends_with("changed: `spec.hostname`"));
  EXPECT_TRUE(change("{spec: {containers: [{name: a, image: i}, {name: b, image: i}]}}")
                  .starts_with("spec.containers: Forbidden: pod updates may not add or remove "
                               "containers"));
  EXPECT_NE(change("{spec: {containers: 5, tolerations: [7]}}"), "good") << "anything may be sent";
}

TEST(WorkloadRules, SelectorsFitTheirTemplates) {
  const char* const good =
      "{spec: {selector: {matchLabels: {app: a}}, template: {metadata: {labels: {app: a}}, "
      "spec: {containers: [{name: a, image: i}]}}}}";
  for (const Resource& resource : {kDeployments, kReplicaSets, kStatefulSets}) {
    EXPECT_EQ(faults(resource, good), "good") << resource.plural;
    EXPECT_EQ(faults(resource,
                     "{spec: {selector: {matchLabels: {app: b}}, template: {metadata: "
                     "{labels: {app: a}}, spec: {containers: [{name: a, image: i}]}}}}"),
              "spec.template.metadata.labels: Invalid value: {\"app\":\"a\"}: `selector` does not "
              "match template `labels`");
    EXPECT_EQ(faults(resource,
                     "{spec: {selector: {matchLabels: {app: a}}, template: {metadata: "
                     "{labels: {app: a}}, spec: {restartPolicy: Never, containers: "
                     "[{name: a, image: i}]}}}}"),
              "spec.template.spec.restartPolicy: Unsupported value: \"Never\": supported values: "
              "\"Always\"");
  }
  EXPECT_EQ(faults(kDeployments,
                   "{spec: {selector: {}, template: {spec: {containers: [{name: a, "
                   "image: i}]}}}}"),
            "spec.selector: Invalid value: {}: empty selector is invalid for deployment");
  EXPECT_EQ(faults(kDeployments, "{spec: {template: {spec: {containers: [{name: a, image: i}]}}}}"),
            "spec.selector: Required value");
  EXPECT_EQ(faults_of_change(kDeployments, good,
                             "{spec: {selector: {matchLabels: {app: b}}, "
                             "template: {metadata: {labels: {app: b}}}}}"),
            "spec.selector: Invalid value: {\"matchLabels\":{\"app\":\"b\"}}: field is immutable");
  EXPECT_EQ(faults_of_change(kDeployments, good, "{spec: {replicas: 5}}"), "good");
  EXPECT_EQ(faults_of_change(kStatefulSets, good, "{spec: {replicas: 5}}"), "good");
  EXPECT_TRUE(faults_of_change(kStatefulSets, good, "{spec: {serviceName: s}}")
                  .starts_with("spec: Forbidden: updates to statefulset spec"));
}

TEST(WorkloadRules, StepsOfAnUpdateMakeSense) {
  const auto strategy = [](std::string_view text) {
    return faults(kDeployments,
                  fmt::format("{{spec: {{selector: {{matchLabels: {{app: a}}}}, strategy: {}, "
                              "template: {{metadata: {{labels: {{app: a}}}}, spec: {{containers: "
                              "[{{name: a, image: i}}]}}}}}}}}",
                              text));
  };
  EXPECT_EQ(strategy("{type: Recreate}"), "good");
  EXPECT_EQ(strategy("{rollingUpdate: {maxSurge: 1}}"), "good");
  EXPECT_EQ(strategy("{type: Recreate, rollingUpdate: {}}"),
            "spec.strategy.rollingUpdate: Forbidden: may not be specified when strategy `type` is "
            "'Recreate'");
  EXPECT_EQ(strategy("{rollingUpdate: {maxSurge: 0, maxUnavailable: 0}}"),
            "spec.strategy.rollingUpdate.maxUnavailable: Invalid value: 0: may not be 0 when "
            "`maxSurge` is 0");
  EXPECT_EQ(strategy("{rollingUpdate: {maxSurge: many}}"),
            "spec.strategy.rollingUpdate.maxSurge: Invalid value: \"many\": must be an integer or "
            "percentage (e.g '5%%')");
}

TEST(WorkloadRules, JobsEnd) {
  const auto job = [](std::string_view members) {
    return faults(kBatchJobs, fmt::format("{{spec: {{{} template: {{spec: {{restartPolicy: Never, "
                                          "containers: [{{name: a, image: i}}]}}}}}}}}",
                                          members));
  };
  EXPECT_EQ(job(""), "good");
  EXPECT_EQ(job("completionMode: Indexed, parallelism: 2,"),
            "spec.completions: Required value: when completion mode is Indexed");
  EXPECT_EQ(faults(kBatchJobs, "{spec: {template: {spec: {containers: [{name: a, image: i}]}}}}"),
            "spec.template.spec.restartPolicy: Required value: valid values: \"OnFailure\", "
            "\"Never\"");
}

TEST(ServiceRules, NameWhatIsWrong) {
  const Case cases[] = {
      {"{spec: {ports: [{port: 80}]}}", "good"},
      {"{spec: {clusterIP: None}}", "good"},
      {"{spec: {}}", "spec.ports: Required value"},
      {"{spec: {ports: [{port: 0}]}}",
       "spec.ports[0].port: Invalid value: 0: must be between 1 and 65535, inclusive; "
       "spec.ports[0].targetPort: Invalid value: 0: must be between 1 and 65535, inclusive"},
      {"{spec: {ports: [{port: 80}, {port: 81, name: b}]}}", "spec.ports[0].name: Required value"},
      {"{spec: {ports: [{port: 80, name: a}, {port: 81, name: a}]}}",
       "spec.ports[1].name: Duplicate value: \"a\""},
      {"{spec: {ports: [{port: 80, nodePort: 30000}]}}",
       "spec.ports[0].nodePort: Forbidden: may not be used when `type` is 'ClusterIP'"},
      {"{spec: {type: ExternalName}}", "spec.externalName: Required value"},
      {"{spec: {clusterIP: there, ports: [{port: 80}]}}",
       "spec.clusterIPs[0]: Invalid value: \"there\": must be a valid IP address, (e.g. 10.9.8.7 "
       "or "
       "2001:db8::ffff)"},
      {"{metadata: {name: 1x}, spec: {ports: [{port: 80}]}}",
       "metadata.name: Invalid value: \"1x\": a DNS-1035 label must consist of lower case "
       "alphanumeric characters or '-', start with an alphabetic character, and end with an "
       "alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is "
       "'[a-z]([-a-z0-9]*[a-z0-9])?')"},
  };
  for (const auto& [given, fault] : cases) EXPECT_EQ(faults(kServices, given), fault) << given;
  EXPECT_EQ(faults_of_change(kServices, "{spec: {clusterIP: None}}",
                             "{spec: {clusterIP: 10.0.0.1, clusterIPs: [10.0.0.1], ports: [{port: "
                             "1}]}}"),
            "spec.clusterIPs[0]: Invalid value: \"10.0.0.1\": may not change once set");
  EXPECT_EQ(faults(kEndpoints, "{subsets: [{addresses: [{ip: x}], ports: [{port: 1}]}]}"),
            "subsets[0].addresses[0].ip: Invalid value: \"x\": must be a valid IP address, (e.g. "
            "10.9.8.7 or 2001:db8::ffff)");
}

TEST(ConfigRules, KeysSizesAndFrozenValues) {
  EXPECT_EQ(faults(kConfigMaps, "{data: {a.b_c-D: x}, binaryData: {e: AAAA}}"), "good");
  EXPECT_EQ(faults(kConfigMaps, "{data: {'a b': x}}"),
            "data[a b]: Invalid value: \"a b\": a valid config key must consist of alphanumeric "
            "characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex "
            "used for validation is '[-._a-zA-Z0-9]+')");
  EXPECT_EQ(faults(kConfigMaps, "{data: {a: x}, binaryData: {a: AAAA}}"),
            "data[a]: Invalid value: \"a\": duplicate of key present in binaryData");
  const std::string large = fmt::format("{{data: {{a: {}}}}}", std::string((1 << 20) + 1, 'x'));
  EXPECT_NE(faults(kConfigMaps, large).find("Too long: may not be more than 1048576 bytes"),
            std::string::npos);
  EXPECT_EQ(faults_of_change(kConfigMaps, "{data: {a: x}, immutable: true}", "{data: {a: z}}"),
            "data: Forbidden: field is immutable when `immutable` is set");
  EXPECT_EQ(faults_of_change(kConfigMaps, "{data: {a: x}, immutable: true}", "{immutable: null}"),
            "immutable: Forbidden: field is immutable when `immutable` is set");
  EXPECT_EQ(faults(kSecrets, "{type: kubernetes.io/tls, data: {tls.crt: AAAA}}"),
            "data[tls.key]: Required value");
  EXPECT_EQ(faults_of_change(kSecrets, "{stringData: {a: x}}", "{type: other}"),
            "type: Invalid value: \"other\": field is immutable");
}

TEST(RoleRules, NameWhatIsWrong) {
  EXPECT_EQ(faults(kRoles,
                   "{metadata: {name: 'system:x'}, rules: [{apiGroups: [''], resources: "
                   "[pods], verbs: [get]}]}"),
            "good");
  EXPECT_EQ(faults(kRoles, "{rules: [{apiGroups: [''], resources: [pods], verbs: []}]}"),
            "rules[0].verbs: Required value: verbs must contain at least one value");
  EXPECT_EQ(faults(kRoles, "{rules: [{nonResourceURLs: [/x], verbs: [get]}]}"),
            "rules[0].nonResourceURLs: Invalid value: [\"/x\"]: namespaced rules cannot apply to "
            "non-resource URLs");
  EXPECT_EQ(faults(kClusterRoles, "{rules: [{nonResourceURLs: [/x], verbs: [get]}]}"), "good");
  EXPECT_EQ(
      faults(kRoles, "{rules: [{resources: [pods], verbs: [get]}]}"),
      "rules[0].apiGroups: Required value: resource rules must supply at least one api group");
  const char* const binding =
      "{roleRef: {kind: Role, name: r}, subjects: [{kind: User, name: ann}, {kind: ServiceAccount, "
      "name: s, namespace: team}]}";
  EXPECT_EQ(faults(kRoleBindings, binding), "good");
  EXPECT_EQ(faults_of_change(kRoleBindings, binding, "{roleRef: {name: other}}"),
            "roleRef: Invalid value: {\"kind\":\"Role\",\"name\":\"other\",\"apiGroup\":"
            "\"rbac.authorization.k8s.io\"}: cannot change roleRef");
  EXPECT_EQ(faults(kRoleBindings, "{roleRef: {kind: Rule, name: r}}"),
            "roleRef.kind: Unsupported value: \"Rule\": supported values: \"Role\", "
            "\"ClusterRole\"");
  EXPECT_EQ(faults(kRoleBindings,
                   "{roleRef: {kind: Role, name: r}, subjects: [{kind: "
                   "ServiceAccount, name: s}]}"),
            "subjects[0].namespace: Required value");
}

TEST(StorageRules, NameWhatIsWrong) {
  const char* const claim =
      "{spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}}";
  EXPECT_EQ(faults(kVolumeClaims, claim), "good");
  EXPECT_EQ(faults(kVolumeClaims, "{spec: {resources: {requests: {storage: 1Gi}}}}"),
            "spec.accessModes: Required value: at least 1 access mode is required");
  EXPECT_EQ(faults(kVolumeClaims,
                   "{spec: {accessModes: [Some], resources: {requests: {storage: "
                   "1Gi}}}}"),
            "spec.accessModes: Unsupported value: \"Some\": supported values: \"ReadOnlyMany\", "
            "\"ReadWriteMany\", \"ReadWriteOnce\", \"ReadWriteOncePod\"");
  EXPECT_EQ(faults(kVolumeClaims, "{spec: {accessModes: [ReadWriteOnce]}}"),
            "spec.resources[storage]: Required value");
  EXPECT_EQ(faults_of_change(kVolumeClaims, claim, "{spec: {volumeName: v}}"), "good")
      << "binding sets it";
  EXPECT_EQ(faults_of_change(kVolumeClaims, claim, "{spec: {storageClassName: other}}"),
            "spec: Forbidden: spec is immutable after creation except resources.requests and "
            "volumeAttributesClassName for bound claims");
  EXPECT_EQ(faults(kVolumes, "{spec: {capacity: {storage: 1Gi}, accessModes: [ReadWriteOnce]}}"),
            "spec: Required value: must specify a volume type");
  EXPECT_EQ(
      faults_of_change(kVolumes,
                       "{spec: {capacity: {storage: 1Gi}, accessModes: [ReadWriteOnce], "
                       "hostPath: {path: /a}}}",
                       "{spec: {hostPath: {path: /b}}}"),
      "spec.persistentvolumesource: Forbidden: spec.persistentvolumesource is immutable after "
      "creation");
  EXPECT_EQ(faults_of_change(kStorageClasses, "{provisioner: p}", "{provisioner: q}"),
            "provisioner: Forbidden: updates to provisioner are forbidden.");
}

TEST(ClusterRules, NameWhatIsWrong) {
  EXPECT_EQ(faults(kLeases, "{spec: {leaseDurationSeconds: 0}}"),
            "spec.leaseDurationSeconds: Invalid value: 0: must be greater than 0");
  EXPECT_EQ(faults(kLeases,
                   "{spec: {holderIdentity: '', renewTime: "
                   "'2026-03-01T10:00:00.123456Z'}}"),
            "good");
  EXPECT_EQ(faults(kPriorities, "{value: 2000000000}"),
            "value: Forbidden: maximum allowed value of a user defined priority is 1000000000");
  EXPECT_EQ(faults_of_change(kPriorities, "{value: 5}", "{value: 6}"),
            "value: Forbidden: may not be changed in an update.");
  EXPECT_EQ(faults(kQuotas,
                   "{spec: {hard: {pods: 2, requests.nvidia.com/gpu: 8, cpu: 1, "
                   "count/jobs.batch: 3}}}"),
            "good");
  EXPECT_EQ(faults(kQuotas, "{spec: {hard: {pots: 2}}}"),
            "spec.hard[pots]: Invalid value: \"pots\": must be a standard resource for quota");
  EXPECT_EQ(faults(kQuotas, "{spec: {hard: {pods: 1.5}}}"),
            "spec.hard[pods]: Invalid value: \"1500m\": must be an integer");
  EXPECT_EQ(faults(kQuotas, "{spec: {scopes: [BestEffort, NotBestEffort], hard: {pods: 1}}}"),
            "spec.scopes: Invalid value: [\"BestEffort\",\"NotBestEffort\"]: conflicting scopes");
  EXPECT_EQ(
      faults(kLimitRanges,
             "{spec: {limits: [{type: Container, min: {cpu: 2}, max: {cpu: "
             "1}}]}}")
          .substr(0, 84),
      "spec.limits[0].min[cpu]: Invalid value: \"2\": min value 2 is greater than max value 1");
  EXPECT_EQ(faults(kNodes,
                   "{spec: {taints: [{key: k, effect: NoSchedule}, {key: k, effect: "
                   "NoSchedule}]}}"),
            "spec.taints[1]: Duplicate value: {\"key\":\"k\",\"effect\":\"NoSchedule\"}");
  EXPECT_EQ(faults(kEvents, "{involvedObject: {namespace: other}}"),
            "involvedObject.namespace: Invalid value: \"other\": does not match event.namespace");
}

}  // namespace
}  // namespace trainyard::server
