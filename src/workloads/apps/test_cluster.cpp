#include "workloads/apps/test_cluster.h"

#include "workloads/apps/apps.h"
#include "workloads/apps/pods.h"
#include "workloads/text.h"

#include <gtest/gtest.h>

namespace trainyard::workloads {
namespace {

const Key kWeb{"ns", "web"};

std::string image_of(const Json& pod) {
  return std::string(string_at(array_at(pod, "spec.containers").at(0), "image"));
}

}  // namespace

TestCluster::TestCluster() {
  begin();
}

TestCluster::~TestCluster() {
  world.api.before_call = nullptr;
  world.api.after_write = nullptr;
  end();
}

void TestCluster::begin() {
  const Executor loop = world.loop.executor();
  kinds_ =
      std::make_unique<ServedKinds>(loop, world.api, world.clock,
                                    std::vector<ServedKind>{{kPods, "Pod", true},
                                                            {kReplicaSets, "ReplicaSet", true},
                                                            {kDeployments, "Deployment", true}});
  garbage_ = std::make_unique<GarbageCollector>(loop, world.api, world.clock, *kinds_);
  sets_ = std::make_unique<ReplicaSetController>(loop, world.api, world.clock);
  deployments_ = std::make_unique<DeploymentController>(loop, world.api, world.clock);
  garbage_->start();
  sets_->start();
  deployments_->start();
  kinds_->start();
}

void TestCluster::end() {
  world.loop.run(kinds_->stop());
  world.loop.run(deployments_->stop());
  world.loop.run(sets_->stop());
  world.loop.run(garbage_->stop());
  deployments_.reset();
  sets_.reset();
  garbage_.reset();
  kinds_.reset();
}

void TestCluster::restart() {
  end();
  begin();
}

void TestCluster::work_as_node() {
  for (const ObjectPtr& pod : world.api.all(kPods)) {
    Json body = pod->body();
    if (is_being_deleted(body)) {
      if (has_ended()) world.api.erase(kPods, key_of(body));
      continue;
    }
    if (!is_active_pod(body) || is_ready_pod(body)) continue;
    const bool runs = string_at(body, "status.phase") == "Running";
    const bool ready = image_of(body) != "bad" && becomes_ready();
    if (runs && !ready) continue;
    make_path(body, "spec.nodeName") = "node-1";
    make_path(body, "status.phase") = "Running";
    make_path(body, "status.conditions") =
        JsonArray{{{"type", "Ready"},
                   {"status", ready ? "True" : "False"},
                   {"lastTransitionTime", format_time(world.clock.wall())}}};
    world.api.put(kPods, std::move(body));
  }
}

void TestCluster::step(std::chrono::nanoseconds span) {
  work_as_node();
  world.pass(span, span);
}

void TestCluster::run(std::chrono::nanoseconds span) {
  for (std::chrono::nanoseconds passed{}; passed < span; passed += std::chrono::milliseconds(100)) {
    step();
  }
}

void TestCluster::deploy(std::int64_t replicas, const std::string& image, JsonObject spec) {
  Json object = make_object("apps/v1", "Deployment", "ns", "web");
  spec["replicas"] = replicas;
  spec["selector"] = {{"matchLabels", {{"app", "web"}}}};
  spec["template"] = {{"metadata", {{"labels", {{"app", "web"}}}}},
                      {"spec", {{"containers", JsonArray{{{"name", "main"}, {"image", image}}}}}}};
  object.get_object()["spec"] = std::move(spec);
  world.api.put(kDeployments, std::move(object));
}

void TestCluster::change(Json spec) {
  EXPECT_TRUE(world.api.user_patches(kDeployments, kWeb, Json{{"spec", std::move(spec)}}));
}

Json TestCluster::deployment() const {
  const ObjectPtr found = world.api.find(kDeployments, kWeb);
  EXPECT_NE(found, nullptr);
  return found == nullptr ? Json() : found->body();
}

std::vector<ObjectPtr> TestCluster::active_pods() const {
  std::vector<ObjectPtr> active;
  for (const ObjectPtr& pod : world.api.all(kPods)) {
    if (is_active_pod(pod->body())) active.push_back(pod);
  }
  return active;
}

std::int64_t TestCluster::count_ready() const {
  std::int64_t ready = 0;
  for (const ObjectPtr& pod : active_pods()) ready += is_ready_pod(pod->body()) ? 1 : 0;
  return ready;
}

std::int64_t TestCluster::count_image(const std::string& image) const {
  std::int64_t count = 0;
  for (const ObjectPtr& pod : active_pods()) count += image_of(pod->body()) == image ? 1 : 0;
  return count;
}

bool TestCluster::has_event(const std::string& reason, const std::string& part_of_message) const {
  for (const ObjectPtr& event : world.api.all(kEvents)) {
    if (string_at(event->body(), "reason") == reason &&
        string_at(event->body(), "message").find(part_of_message) != std::string_view::npos) {
      return true;
    }
  }
  return false;
}

}  // namespace trainyard::workloads
