#include "object/table/computed_cells.h"

#include "object/table/pod_cells.h"
#include "object/values/selector.h"

#include <gtest/gtest.h>

namespace trainyard {
namespace {

const WallTime kNow(std::chrono::seconds(1794787323));  // 2026-11-16T00:02:03Z

Json read(std::string_view text) {
  return *parse_json(text);
}

std::string cell(std::string_view column, std::string_view object) {
  const Json value = computed_cell(column, read(object), kNow);
  return value.is_string() ? to_string(value.get_string()) : to_text(value);
}

TEST(PodStatus, IsTheReasonThatExplainsMost) {
  const auto status = [](std::string_view pod) { return pod_status_word(read(pod)); };
  EXPECT_EQ(status("{}"), "Pending");
  EXPECT_EQ(status(R"({"status":{"phase":"Running"}})"), "Running");
  EXPECT_EQ(status(R"({"status":{"phase":"Failed","reason":"Evicted"}})"), "Evicted");
  const char* const waiting = R"({"status":{"phase":"Running","containerStatuses":[
    {"state":{"waiting":{"reason":"CrashLoopBackOff"}}},{"state":{"terminated":{"reason":"Completed"}}}]}})";
  EXPECT_EQ(status(waiting), "CrashLoopBackOff");
  EXPECT_EQ(status(R"({"status":{"phase":"Running","conditions":[{"type":"Ready","status":"True"}],
    "containerStatuses":[{"state":{"terminated":{"reason":"Completed"}}},
                         {"ready":true,"state":{"running":{}}}]}})"),
            "Running");
  EXPECT_EQ(status(R"({"status":{"phase":"Failed","containerStatuses":[
    {"state":{"terminated":{"exitCode":3}}}]}})"),
            "ExitCode:3");
  EXPECT_EQ(status(R"({"status":{"phase":"Failed","containerStatuses":[
    {"state":{"terminated":{"signal":9,"exitCode":137}}}]}})"),
            "Signal:9");
  EXPECT_EQ(status(R"({"metadata":{"deletionTimestamp":"2026-11-16T00:00:00Z"},
    "status":{"phase":"Running"}})"),
            "Terminating");
  EXPECT_EQ(status(R"({"status":{"phase":"Pending","conditions":[
    {"type":"PodScheduled","status":"False","reason":"SchedulingGated"}]}})"),
            "SchedulingGated");
}

TEST(PodStatus, TellsWhichInitContainerHoldsUpThePod) {
  const auto status = [](const std::string& statuses) {
    return pod_status_word(read(R"({"spec":{"initContainers":[{"name":"a"},{"name":"b"}]},
      "status":{"phase":"Pending","initContainerStatuses":)" +
                                statuses + "}}"));
  };
  EXPECT_EQ(status(R"([{"name":"a","state":{"running":{}}}])"), "Init:0/2");
  EXPECT_EQ(status(R"([{"name":"a","state":{"terminated":{"exitCode":0}}},
                       {"name":"b","state":{"running":{}}}])"),
            "Init:1/2");
  EXPECT_EQ(status(R"([{"name":"a","state":{"terminated":{"exitCode":1,"reason":"Error"}}}])"),
            "Init:Error");
  EXPECT_EQ(status(R"([{"name":"a","state":{"terminated":{"exitCode":2}}}])"), "Init:ExitCode:2");
  EXPECT_EQ(status(R"([{"name":"a","state":{"waiting":{"reason":"CrashLoopBackOff"}}}])"),
            "Init:CrashLoopBackOff");
  EXPECT_EQ(status(R"([{"name":"a","state":{"waiting":{"reason":"PodInitializing"}}}])"),
            "Init:0/2");
}

TEST(ComputedCell, CountsContainersThatAreReadyAndStartedAgain) {
  EXPECT_EQ(cell("@pod-ready", R"({"spec":{"containers":[{},{}]},"status":{"containerStatuses":[
    {"ready":true,"state":{"running":{}}},{"ready":false,"state":{"running":{}}}]}})"),
            "1/2");
  EXPECT_EQ(cell("@pod-ready", R"({"spec":{"containers":[{}],"initContainers":[
    {"name":"s","restartPolicy":"Always"}]},"status":{"initContainerStatuses":[
    {"name":"s","ready":true,"started":true,"state":{"running":{}}}],
    "containerStatuses":[{"ready":true,"state":{"running":{}}}]}})"),
            "2/2")
      << "sidecars count";
  EXPECT_EQ(cell("@pod-restarts", "{}"), "0");
  EXPECT_EQ(cell("@pod-restarts", R"({"status":{"containerStatuses":[{"restartCount":2},
    {"restartCount":3}]}})"),
            "5");
  EXPECT_EQ(cell("@pod-restarts", R"({"status":{"containerStatuses":[
    {"restartCount":1,"lastState":{"terminated":{"finishedAt":"2026-11-15T23:56:03Z"}}},
    {"restartCount":1,"lastState":{"terminated":{"finishedAt":"2026-11-15T23:57:03Z"}}}]}})"),
            "2 (5m ago)");
  EXPECT_EQ(cell("@pod-gates", "{}"), "<none>");
  EXPECT_EQ(cell("@pod-gates", R"({"spec":{"readinessGates":[{"conditionType":"a"},
    {"conditionType":"b"}]},"status":{"conditions":[{"type":"b","status":"True"}]}})"),
            "1/2");
  EXPECT_EQ(cell("@pod-ip", "{}"), "<none>");
  EXPECT_EQ(cell("@pod-ip", R"({"status":{"podIP":"10.0.0.1"}})"), "10.0.0.1");
}

TEST(ComputedCell, SaysWhatANodeIs) {
  EXPECT_EQ(cell("@node-status", R"({"status":{"conditions":[{"type":"Ready","status":"True"}]},
    "spec":{"unschedulable":true}})"),
            "Ready,SchedulingDisabled");
  EXPECT_EQ(
      cell("@node-status", R"({"status":{"conditions":[{"type":"Ready","status":"False"}]}})"),
      "NotReady");
  EXPECT_EQ(cell("@node-status", "{}"), "Unknown");
  EXPECT_EQ(cell("@node-roles", "{}"), "<none>");
  EXPECT_EQ(cell("@node-roles", R"({"metadata":{"labels":{"node-role.kubernetes.io/worker":"",
    "kubernetes.io/role":"master","node-role.kubernetes.io/":""}}})"),
            "master,worker");
  const char* const addresses = R"({"status":{"addresses":[{"type":"Hostname","address":"h"},
    {"type":"InternalIP","address":"10.0.0.1"}]}})";
  EXPECT_EQ(cell("@node-address InternalIP", addresses), "10.0.0.1");
  EXPECT_EQ(cell("@node-address ExternalIP", addresses), "<none>");
  EXPECT_EQ(cell("@unknown .status.nodeInfo.osImage", "{}"), "<unknown>");
}

TEST(ComputedCell, SaysHowAServiceIsReached) {
  EXPECT_EQ(cell("@service-ports", R"({"spec":{"ports":[{"port":80},
    {"port":53,"protocol":"UDP","nodePort":30053}]}})"),
            "80/TCP,53:30053/UDP");
  EXPECT_EQ(cell("@service-ports", "{}"), "<none>");
  EXPECT_EQ(cell("@service-external", R"({"spec":{"type":"ClusterIP"}})"), "<none>");
  EXPECT_EQ(cell("@service-external", R"({"spec":{"type":"LoadBalancer"}})"), "<pending>");
  EXPECT_EQ(cell("@service-external", R"({"spec":{"type":"LoadBalancer","externalIPs":["9.9.9.9"]},
    "status":{"loadBalancer":{"ingress":[{"ip":"1.2.3.4"},{"hostname":"a"}]}}})"),
            "1.2.3.4,a,9.9.9.9");
  EXPECT_EQ(cell("@service-external", R"({"spec":{"type":"ExternalName","externalName":"x.y"}})"),
            "x.y");
  EXPECT_EQ(cell("@labels .spec.selector", R"({"spec":{"selector":{"b":"2","a":"1"}}})"),
            "a=1,b=2");
  EXPECT_EQ(cell("@labels .spec.selector", "{}"), "<none>");
  EXPECT_EQ(cell("@endpoints", "{}"), "<none>");
  EXPECT_EQ(cell("@endpoints", R"({"subsets":[{"addresses":[{"ip":"1.1.1.1"},{"ip":"::1"}],
    "ports":[{"port":80},{"port":81}]}]})"),
            "1.1.1.1:80,[::1]:80,1.1.1.1:81 + 1 more...");
  EXPECT_EQ(cell("@endpoints", R"({"subsets":[{"addresses":[{"ip":"1.1.1.1"}]}]})"), "1.1.1.1");
  EXPECT_EQ(cell("@slice-ports", R"({"ports":[{"port":80},{}]})"), "80,*");
  EXPECT_EQ(cell("@slice-endpoints", R"({"endpoints":[{"addresses":["1.1.1.1","1.1.1.2"]},
    {"addresses":["1.1.1.3"]},{"addresses":["1.1.1.4"]}]})"),
            "1.1.1.1,1.1.1.2,1.1.1.3 + 1 more...");
  EXPECT_EQ(cell("@slice-endpoints", "{}"), "<unset>");
}

TEST(ComputedCell, ReadsEventsOfBothForms) {
  const char* const core = R"({"involvedObject":{"kind":"Pod","name":"p"},"message":" hi\n",
    "source":{"component":"kubelet","host":"n1"},"firstTimestamp":"2026-11-16T00:01:00Z",
    "lastTimestamp":"2026-11-16T00:02:00Z","count":4})";
  EXPECT_EQ(cell("@event-object", core), "pod/p");
  EXPECT_EQ(cell("@event-source", core), "kubelet, n1");
  EXPECT_EQ(cell("@event-message", core), "hi");
  EXPECT_EQ(cell("@event-first", core), "63s");
  EXPECT_EQ(cell("@event-last", core), "3s");
  EXPECT_EQ(cell("@event-count", core), "4");
  const char* const newer = R"({"regarding":{"kind":"Node"},"note":"hi",
    "reportingController":"scheduler","eventTime":"2026-11-16T00:02:00.000001Z"})";
  EXPECT_EQ(cell("@event-object", newer), "node");
  EXPECT_EQ(cell("@event-source", newer), "scheduler");
  EXPECT_EQ(cell("@event-message", newer), "hi");
  EXPECT_EQ(cell("@event-last", newer), "2s");
  EXPECT_EQ(cell("@event-count", newer), "1");
  EXPECT_EQ(cell("@event-last", "{}"), "<unknown>");
  EXPECT_EQ(cell("@event-message", "{}"), "");
}

TEST(ComputedCell, SaysHowFarReplicasAndJobsAre) {
  const char* const deployment =
      R"({"spec":{"replicas":3,"selector":{"matchLabels":{"b":"2","a":"1"},
    "matchExpressions":[{"key":"c","operator":"In","values":["y","x"]}]},
    "template":{"spec":{"containers":[{"name":"m","image":"i:1"},{"name":"n","image":"j"}]}}},
    "status":{"readyReplicas":2,"updatedReplicas":1}})";
  EXPECT_EQ(cell("@replicas-ready", deployment), "2/3");
  EXPECT_EQ(cell("@zero .status.updatedReplicas", deployment), "1");
  EXPECT_EQ(cell("@zero .status.availableReplicas", deployment), "0");
  EXPECT_EQ(cell("@containers .spec.template.spec.containers", deployment), "m,n");
  EXPECT_EQ(cell("@images .spec.template.spec.containers", deployment), "i:1,j");
  EXPECT_EQ(cell("@selector .spec.selector", deployment), "a=1,b=2,c in (x,y)");
  EXPECT_EQ(cell("@selector .spec.selector", "{}"), "<none>");
  EXPECT_EQ(cell("@job-status", "{}"), "Running");
  EXPECT_EQ(
      cell("@job-status", R"({"status":{"conditions":[{"type":"Complete","status":"True"}]}})"),
      "Complete");
  EXPECT_EQ(cell("@job-completions", R"({"spec":{"completions":3},"status":{"succeeded":1}})"),
            "1/3");
  EXPECT_EQ(cell("@job-completions", R"({"spec":{"parallelism":2}})"), "0/1 of 2");
  EXPECT_EQ(cell("@job-completions", "{}"), "0/1");
  EXPECT_EQ(cell("@job-duration", "{}"), "");
  EXPECT_EQ(cell("@job-duration", R"({"status":{"startTime":"2026-11-16T00:01:33Z"}})"), "30s");
  EXPECT_EQ(cell("@job-duration", R"({"status":{"startTime":"2026-11-16T00:00:00Z",
    "completionTime":"2026-11-16T00:00:09Z"}})"),
            "9s");
}

TEST(ComputedCell, SaysWhatVolumesAndQuotasHold) {
  EXPECT_EQ(cell("@count .data .binaryData", R"({"data":{"a":"","b":""},"binaryData":{"c":""}})"),
            "3");
  EXPECT_EQ(cell("@count .secrets", R"({"secrets":[{"name":"a"}]})"), "1");
  EXPECT_EQ(cell("@count .data", "{}"), "0");
  EXPECT_EQ(
      cell("@quantity .spec.capacity.storage", R"({"spec":{"capacity":{"storage":"1024Mi"}}})"),
      "1Gi");
  EXPECT_EQ(cell("@quantity .a", "{}"), "null");
  EXPECT_EQ(cell("@access-modes .m", R"({"m":["ReadWriteMany","ReadWriteOnce"]})"), "RWO,RWX");
  EXPECT_EQ(cell("@phase", R"({"status":{"phase":"Bound"}})"), "Bound");
  EXPECT_EQ(cell("@phase", R"({"metadata":{"deletionTimestamp":"x"},"status":{"phase":"Bound"}})"),
            "Terminating");
  EXPECT_EQ(cell("@volume-claim", R"({"spec":{"claimRef":{"namespace":"n","name":"c"}}})"), "n/c");
  EXPECT_EQ(cell("@volume-claim", "{}"), "");
  EXPECT_EQ(cell("@class-name", R"({"metadata":{"name":"s","annotations":{
    "storageclass.kubernetes.io/is-default-class":"true"}}})"),
            "s (default)");
  EXPECT_EQ(cell("@class-name", R"({"metadata":{"name":"s"}})"), "s");
  EXPECT_EQ(cell("@flag .allowVolumeExpansion", "{}"), "false");
  const char* const quota = R"({"status":{"hard":{"requests.cpu":"2","limits.cpu":"4","pods":"10"},
    "used":{"requests.cpu":"500m","pods":"1"}}})";
  EXPECT_EQ(cell("@quota requests", quota), "pods: 1/10, requests.cpu: 500m/2");
  EXPECT_EQ(cell("@quota limits", quota), "limits.cpu: 0/4");
}

TEST(ComputedCell, SaysWhoIsBound) {
  const char* const binding = R"({"roleRef":{"kind":"Role","name":"r"},"subjects":[
    {"kind":"User","name":"ann"},{"kind":"User","name":"bob"},
    {"kind":"ServiceAccount","name":"s","namespace":"n"}]})";
  EXPECT_EQ(cell("@role", binding), "Role/r");
  EXPECT_EQ(cell("@subjects User", binding), "ann, bob");
  EXPECT_EQ(cell("@subjects ServiceAccount", binding), "n/s");
  EXPECT_EQ(cell("@subjects Group", binding), "");
}

TEST(ComputedCell, AddsUpWhatContainersUse) {
  const char* const metrics = R"({"containers":[{"usage":{"cpu":"250m","memory":"1Mi"}},
    {"usage":{"cpu":"1","memory":"512Ki"}}]})";
  EXPECT_EQ(cell("@usage cpu", metrics), "1250m");
  EXPECT_EQ(cell("@usage memory", metrics), "1536Ki");
}

TEST(ComputedCell, IsNullWhenNobodyKnowsIt) {
  EXPECT_EQ(cell("@other", "{}"), "null");
}

TEST(LabelSelectorText, CanBeReadBack) {
  const Json selector = read(R"({"matchLabels":{"z":"1"},"matchExpressions":[
    {"key":"a","operator":"Exists"},{"key":"b","operator":"DoesNotExist"},
    {"key":"c","operator":"NotIn","values":["x","w"]}]})");
  EXPECT_EQ(label_selector_text(selector), "a,!b,c notin (w,x),z=1");
  const auto parsed = LabelSelector::parse(label_selector_text(selector));
  ASSERT_TRUE(parsed);
  EXPECT_TRUE(parsed->matches(read(R"({"metadata":{"labels":{"a":"","z":"1"}}})")));
  EXPECT_FALSE(parsed->matches(read(R"({"metadata":{"labels":{"a":"","b":"","z":"1"}}})")));
  EXPECT_EQ(label_selector_text(read("{}")), "");
}

}  // namespace
}  // namespace trainyard
