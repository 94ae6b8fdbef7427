#include "scheduler/plan/test_cluster.h"

#include "object/patch/patch.h"
#include "object/yaml/yaml.h"

#include <fmt/format.h>

namespace trainyard::scheduler {
namespace {

Json yaml(const std::string& text) {
  return parse_yaml(text)->front();
}

Json merged(Json base, const std::string& more) {
  apply_merge_patch(base, yaml(more));
  return base;
}

}  // namespace

void TestCluster::node(const std::string& name, const std::string& resources,
                       const std::string& more) {
  Json node{{"metadata", {{"name", name}, {"labels", {{"kubernetes.io/hostname", name}}}}},
            {"status",
             {{"allocatable", {{"pods", 100}}},
              {"conditions", JsonArray{{{"type", "Ready"}, {"status", "True"}}}}}}};
  apply_merge_patch(*find(node, "status.allocatable"), yaml(resources));
  cluster.set_node(reader_.read_node(merged(std::move(node), more)));
}

void TestCluster::add_pod(const std::string& name, const std::string& requests,
                          const std::string& more, const std::string& extra) {
  Json pod{{"metadata",
            {{"name", name},
             {"namespace", "default"},
             {"uid", "uid-" + name},
             {"creationTimestamp",
              fmt::format("2026-03-01T10:{:02}:{:02}Z", made_ / 60 % 60, made_ % 60)}}},
           {"spec", {{"containers", JsonArray{{{"resources", {{"requests", yaml(requests)}}}}}}}}};
  ++made_;
  pod = merged(merged(std::move(pod), extra), more);
  cluster.set_pod(reader_.read_pod(std::make_shared<const StoredObject>(std::move(pod), 1)));
}

void TestCluster::pod(const std::string& name, const std::string& requests,
                      const std::string& more) {
  add_pod(name, requests, more, "{}");
}

void TestCluster::running(const std::string& name, const std::string& requests,
                          const std::string& node_name, const std::string& more) {
  add_pod(name, requests, more, fmt::format("spec: {{nodeName: {}}}", node_name));
}

void TestCluster::group(const std::string& name, int min_member, const std::string& more) {
  Json group{{"metadata", {{"name", name}, {"namespace", "default"}}},
             {"spec", {{"minMember", min_member}}}};
  make_path(group, "metadata.creationTimestamp") =
      fmt::format("2026-03-01T10:{:02}:{:02}Z", made_ / 60 % 60, made_ % 60);
  ++made_;
  cluster.set_group(ObjectReader::read_group(merged(std::move(group), more),
                                             [](const std::string&) { return std::nullopt; }));
}

void TestCluster::gang(const std::string& name, int members, const std::string& requests,
                       const std::string& more) {
  group(name, members);
  for (int i = 0; i < members; ++i) {
    add_pod(fmt::format("{}-{}", name, i), requests, more,
            fmt::format("metadata: {{annotations: {{{}: {}}}}}", kGroupAnnotation, name));
  }
}

std::map<std::string, std::string> TestCluster::placed() const {
  std::map<std::string, std::string> nodes;
  for (const Placed& gang : plan().placed) {
    for (const Placement& pod : gang.pods) nodes[pod.pod.name] = pod.node;
  }
  return nodes;
}

std::string TestCluster::said_to(const std::string& pod) const {
  for (const Waiting& waiting : plan().waiting) {
    for (const Key& key : waiting.pods) {
      if (key.name == pod) return waiting.text();
    }
  }
  return {};
}

}  // namespace trainyard::scheduler
