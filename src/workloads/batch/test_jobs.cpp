#include "workloads/batch/test_jobs.h"

#include "workloads/apps/pods.h"

#include <gtest/gtest.h>

namespace trainyard::workloads {

using namespace std::chrono_literals;

TestJobs::TestJobs() {
  controller_ = std::make_unique<JobController>(world.loop.executor(), world.api, world.clock);
  controller_->start();
}

TestJobs::~TestJobs() {
  world.api.before_call = nullptr;
  world.api.after_write = nullptr;
  world.loop.run(controller_->stop());
}

void TestJobs::restart() {
  world.loop.run(controller_->stop());
  controller_ = std::make_unique<JobController>(world.loop.executor(), world.api, world.clock);
  controller_->start();
}

void TestJobs::submit(JsonObject spec) {
  Json job = make_object("batch/v1", "Job", "ns", "work");
  make_path(job, "metadata.uid") = "job-uid";
  const JsonObject labels{{"batch.kubernetes.io/controller-uid", "job-uid"}};
  spec["selector"] = {{"matchLabels", labels}};
  spec["template"] = {
      {"metadata", {{"labels", labels}}},
      {"spec", {{"restartPolicy", "Never"}, {"containers", JsonArray{{{"name", "main"}}}}}}};
  job.get_object()["spec"] = std::move(spec);
  world.api.put(kJobs, std::move(job));
  pass(1s);
}

void TestJobs::change(Json spec) {
  EXPECT_TRUE(world.api.user_patches(kJobs, kKey, Json{{"spec", std::move(spec)}}));
  pass(1s);
}

Json TestJobs::job() const {
  const ObjectPtr found = world.api.find(kJobs, kKey);
  EXPECT_NE(found, nullptr);
  return found == nullptr ? Json() : found->body();
}

std::vector<ObjectPtr> TestJobs::active_pods() const {
  std::vector<ObjectPtr> active;
  for (const ObjectPtr& pod : world.api.all(kPods)) {
    if (is_active_pod(pod->body())) active.push_back(pod);
  }
  return active;
}

void TestJobs::work_as_node() {
  for (const ObjectPtr& pod : world.api.all(kPods)) {
    Json body = pod->body();
    if (is_being_deleted(body)) {
      if (array_at(body, "metadata.finalizers").empty()) {
        world.api.erase(kPods, key_of(body));
      } else if (int_at(body, "metadata.deletionGracePeriodSeconds") != 0) {
        make_path(body, "metadata.deletionGracePeriodSeconds") = 0;
        world.api.put(kPods, std::move(body));
      }
    } else if (string_at(body, "spec.nodeName").empty()) {
      make_path(body, "spec.nodeName") = "node-1";
      make_path(body, "status.phase") = "Running";
      world.api.put(kPods, std::move(body));
    }
  }
}

void TestJobs::end_pod(const ObjectPtr& pod, bool well) {
  Json body = world.api.find(kPods, key_of(pod->body()))->body();
  make_path(body, "status") = {
      {"phase", well ? "Succeeded" : "Failed"},
      {"containerStatuses",
       JsonArray{
           {{"state", {{"terminated", {{"finishedAt", format_time(world.clock.wall())}}}}}}}}};
  world.api.put(kPods, std::move(body));
}

void TestJobs::end_all(bool well) {
  for (const ObjectPtr& pod : active_pods()) end_pod(pod, well);
  pass(1s);
}

void TestJobs::pass(std::chrono::nanoseconds span) {
  for (std::chrono::nanoseconds passed{}; passed < span; passed += 100ms) {
    world.pass(100ms);
    work_as_node();
  }
  world.pass(100ms);
}

bool TestJobs::has_event(const std::string& reason) const {
  for (const ObjectPtr& event : world.api.all(kEvents)) {
    if (string_at(event->body(), "reason") == reason) return true;
  }
  return false;
}

}  // namespace trainyard::workloads
