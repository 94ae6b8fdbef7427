#include "object/yaml/yaml.h"
#include "server/admission/admission.h"
#include "server/rules/rules.h"
#include "server/test_server.h"

#include <gtest/gtest.h>

namespace trainyard::server {
namespace {

const WallTime kNow = *parse_time("2026-03-01T10:00:00Z");

Json yaml(std::string_view text) {
  const auto documents = parse_yaml(text);
  EXPECT_TRUE(documents && documents->size() == 1) << text;
  return documents && documents->size() == 1 ? documents->front() : Json();
}

/// What is stored of an object named x with these members; null when it is refused.
Json stored(const Resource& resource, std::string_view members) {
  Json object = yaml(members);
  if (find(object, "metadata.name") == nullptr) make_path(object, "metadata.name") = "x";
  auto admitted = admit_create(*kind_of(resource), "default", std::move(object),
                               {kNow, FieldValidation::kStrict, nullptr});
  EXPECT_TRUE(admitted) << (admitted ? "" : admitted.error().message());
  return std::move(admitted).value_or(nullptr);
}

/// A part of an object, as it is however its members are ordered.
void expect_part(const Json& object, std::string_view path, std::string_view expected) {
  const Json* found = find(object, path);
  ASSERT_NE(found, nullptr) << path << " of " << to_text(object);
  EXPECT_EQ(*found, yaml(expected)) << path;
}

TEST(Defaults, OfAPodAreThoseOfKubernetes) {
  const Json pod = stored(kPods,
                          "{spec: {containers: [{name: a, image: i, ports: [{containerPort: 80}], "
                          "livenessProbe: {httpGet: {port: 80}}}], volumes: [{name: e}, {name: s, "
                          "secret: {secretName: s}}]}}");
  expect_part(pod, "spec",
              R"({containers: [{name: a, image: i, imagePullPolicy: Always, resources: {},
                    ports: [{containerPort: 80, protocol: TCP}],
                    livenessProbe: {httpGet: {port: 80, path: /, scheme: HTTP}, timeoutSeconds: 1,
                      periodSeconds: 10, successThreshold: 1, failureThreshold: 3},
                    terminationMessagePath: /dev/termination-log, terminationMessagePolicy: File}],
                  volumes: [{name: e, emptyDir: {}}, {name: s, secret: {secretName: s, defaultMode: 420}}],
                  restartPolicy: Always, terminationGracePeriodSeconds: 30, dnsPolicy: ClusterFirst,
                  serviceAccountName: default, serviceAccount: default, securityContext: {},
                  schedulerName: default-scheduler, enableServiceLinks: true,
                  tolerations: [
                    {key: node.kubernetes.io/not-ready, operator: Exists, effect: NoExecute, tolerationSeconds: 300},
                    {key: node.kubernetes.io/unreachable, operator: Exists, effect: NoExecute, tolerationSeconds: 300}]})");
  expect_part(pod, "status", "{phase: Pending, qosClass: BestEffort}");
}

TEST(Defaults, OfAnImagesPullPolicyFollowItsTag) {
  const std::pair<const char*, const char*> cases[] = {
      {"busybox", "Always"},
      {"busybox:latest", "Always"},
      {"busybox:1.36", "IfNotPresent"},
      {"host:5000/busybox", "Always"},
      {"host:5000/busybox:1", "IfNotPresent"},
      {"busybox@sha256:0123", "IfNotPresent"},
  };
  for (const auto& [image, policy] : cases) {
    const Json pod =
        stored(kPods, std::string("{spec: {containers: [{name: a, image: '") + image + "'}]}}");
    EXPECT_EQ(string_at(array_at(pod, "spec.containers").at(0), "imagePullPolicy"), policy)
        << image;
  }
}

TEST(Defaults, OfAPodsResourcesFollowItsLimits) {
  const Json pod = stored(kPods,
                          "{spec: {containers: [{name: a, image: i, resources: {limits: {cpu: 0.5, "
                          "memory: 1024Mi}}}]}}");
  expect_part(array_at(pod, "spec.containers").at(0), "resources",
              "{limits: {cpu: 500m, memory: 1Gi}, requests: {cpu: 500m, memory: 1Gi}}");
  EXPECT_EQ(string_at(pod, "status.qosClass"), "Guaranteed");
}

TEST(Defaults, OfPodsStayOutOfJobTemplates) {
  const Json job = stored(kPyTorchTrainingJobs,
                          "{spec: {replicaSpecs: [{type: worker, template: {spec: {containers: [{"
                          "name: a, image: i, ports: [{containerPort: 80}], resources: {limits: "
                          "{cpu: 0.5}}}], volumes: [{name: s, secret: {secretName: s}}]}}}]}}");
  expect_part(array_at(job, "spec.replicaSpecs").at(0), "template.spec",
              "{containers: [{name: a, image: i, ports: [{containerPort: 80, protocol: TCP}], "
              "resources: {limits: {cpu: 0.5}}}], volumes: [{name: s, secret: {secretName: s}}]}");
}

TEST(Defaults, OfADeploymentReachItsTemplate) {
  const Json deployment = stored({"apps", "v1", "deployments"},
                                 "{spec: {selector: {matchLabels: {app: a}}, template: {metadata: "
                                 "{labels: {app: a}}, spec: {containers: [{name: a, image: 'i:1', "
                                 "resources: {limits: {cpu: 1}}}]}}}}");
  EXPECT_EQ(int_at(deployment, "spec.replicas"), 1);
  EXPECT_EQ(int_at(deployment, "spec.revisionHistoryLimit"), 10);
  EXPECT_EQ(int_at(deployment, "spec.progressDeadlineSeconds"), 600);
  expect_part(deployment, "spec.strategy",
              "{type: RollingUpdate, rollingUpdate: {maxSurge: 25%, maxUnavailable: 25%}}");
  expect_part(deployment, "spec.template.spec",
              R"({containers: [{name: a, image: 'i:1', imagePullPolicy: IfNotPresent,
                    resources: {limits: {cpu: "1"}},
                    terminationMessagePath: /dev/termination-log, terminationMessagePolicy: File}],
                  restartPolicy: Always, terminationGracePeriodSeconds: 30, dnsPolicy: ClusterFirst,
                  securityContext: {}, schedulerName: default-scheduler})");
}

TEST(Defaults, OfServicesFollowTheirType) {
  expect_part(stored(kServices, "{spec: {clusterIP: None, ports: [{port: 80}]}}"), "spec",
              R"({type: ClusterIP, clusterIP: None, clusterIPs: [None], sessionAffinity: None,
                  ports: [{port: 80, targetPort: 80, protocol: TCP}], internalTrafficPolicy: Cluster,
                  ipFamilies: [IPv4], ipFamilyPolicy: SingleStack})");
  expect_part(stored(kServices, "{spec: {type: ExternalName, externalName: a.b}}"), "spec",
              "{type: ExternalName, externalName: a.b, sessionAffinity: None}");
  const Json outside = stored(kServices, "{spec: {type: LoadBalancer, ports: [{port: 80}]}}");
  EXPECT_EQ(string_at(outside, "spec.externalTrafficPolicy"), "Cluster");
  EXPECT_TRUE(bool_at(outside, "spec.allocateLoadBalancerNodePorts"));
}

TEST(Defaults, OfASecretMoveItsTextsIntoData) {
  const Json secret =
      stored({"", "v1", "secrets"}, "{data: {a: b2xk, b: b2xk}, stringData: {a: new, c: ''}}");
  EXPECT_EQ(string_at(secret, "type"), "Opaque");
  expect_part(secret, "data", "{a: bmV3, b: b2xk, c: ''}");
  EXPECT_EQ(find(secret, "stringData"), nullptr);
}

TEST(Defaults, OfOtherKinds) {
  const Json ns = stored(kNamespaces, "{metadata: {name: team}}");
  expect_part(ns, "metadata.labels", "{kubernetes.io/metadata.name: team}");
  EXPECT_EQ(string_at(ns, "status.phase"), "Active");
  const Json claim = stored(kVolumeClaims,
                            "{spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: "
                            "1024Mi}}}}");
  expect_part(claim, "spec",
              "{accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}, volumeMode: "
              "Filesystem}");
  const Json binding =
      stored({"rbac.authorization.k8s.io", "v1", "rolebindings"},
             "{roleRef: {kind: Role, name: r}, subjects: [{kind: User, name: u}]}");
  expect_part(binding, "roleRef", "{kind: Role, name: r, apiGroup: rbac.authorization.k8s.io}");
  EXPECT_EQ(string_at(array_at(binding, "subjects").at(0), "apiGroup"),
            "rbac.authorization.k8s.io");
  const Json range =
      stored({"", "v1", "limitranges"},
             "{spec: {limits: [{type: Container, max: {cpu: 2}, min: {memory: 1Mi}}]}}");
  expect_part(array_at(range, "spec.limits").at(0), "defaultRequest", "{cpu: '2', memory: 1Mi}");
  const Json priority = stored({"scheduling.k8s.io", "v1", "priorityclasses"}, "{value: 5}");
  EXPECT_EQ(string_at(priority, "preemptionPolicy"), "PreemptLowerPriority");
  const Json storage = stored({"storage.k8s.io", "v1", "storageclasses"}, "{provisioner: p}");
  EXPECT_EQ(string_at(storage, "reclaimPolicy"), "Delete");
  EXPECT_EQ(string_at(storage, "volumeBindingMode"), "Immediate");
}

TEST(Defaults, OfAJobLetItFindItsPods) {
  const Json job = stored({"batch", "v1", "jobs"},
                          "{spec: {template: {spec: {restartPolicy: Never, containers: [{name: a, "
                          "image: i}]}}}}");
  EXPECT_EQ(int_at(job, "spec.completions"), 1);
  EXPECT_EQ(int_at(job, "spec.parallelism"), 1);
  EXPECT_EQ(int_at(job, "spec.backoffLimit"), 6);
  EXPECT_EQ(string_at(job, "spec.completionMode"), "NonIndexed");
  EXPECT_EQ(object_at(job, "spec.selector.matchLabels").at("batch.kubernetes.io/controller-uid"),
            Json(uid_of(job)));
  EXPECT_EQ(object_at(job, "spec.template.metadata.labels").at("batch.kubernetes.io/job-name"),
            Json("x"));
}

TEST(Defaults, ChangeNothingTheSecondTime) {
  for (const auto& [resource, members] :
       {std::pair(kPods,
                  "{spec: {hostNetwork: true, containers: [{name: a, image: i, ports: "
                  "[{containerPort: 80}], resources: {limits: {cpu: 0.5}}}]}}"),
        std::pair(kServices, "{spec: {type: NodePort, ports: [{port: 80}]}}"),
        std::pair(Resource{"", "v1", "secrets"}, "{stringData: {a: b}}"),
        std::pair(kNamespaces, "{}")}) {
    const Json first = stored(resource, members);
    Json second = first;
    kind_of(resource)->schema->apply_defaults(second);
    set_dependent_defaults(*kind_of(resource), second);
    EXPECT_EQ(first, second) << resource.plural;
  }
}

TEST(Defaults, LeaveWhatIsWrongForValidationToTell) {
  for (const auto& [resource, members] :
       {std::pair(kPods, "{spec: 5}"),
        std::pair(kPods,
                  "{spec: {containers: [3], volumes: {}, "
                  "tolerations: x}}"),
        std::pair(kServices, "{spec: {ports: [1], clusterIPs: 3}}"),
        std::pair(Resource{"", "v1", "secrets"}, "{stringData: {a: 5}}"),
        std::pair(Resource{"", "v1", "limitranges"}, "{spec: {limits: [x]}}"),
        std::pair(Resource{"apps", "v1", "deployments"},
                  "{spec: {strategy: {rollingUpdate: x}, template: {spec: {containers: x}}}}"),
        std::pair(Resource{"rbac.authorization.k8s.io", "v1", "rolebindings"},
                  "{subjects: [x]}")}) {
    Json object = yaml(members);
    make_path(object, "metadata.name") = "x";
    EXPECT_FALSE(admit_create(*kind_of(resource), "default", object,
                              {kNow, FieldValidation::kIgnore, nullptr}))
        << members;
  }
}

}  // namespace
}  // namespace trainyard::server
