#pragma once

#include "workloads/batch/job_controller.h"
#include "workloads/test_world.h"

#include <memory>
#include <string>
#include <vector>

namespace trainyard::workloads {

/// The controller of Jobs over an API in memory, one Job, and a node whose pods end as the test
/// says.
class TestJobs {
 public:
  TestJobs();
  ~TestJobs();
  void restart();  // the controller dies and comes back

  /// Creates the Job `work`.
  void submit(JsonObject spec);
  void change(Json spec);
  Json job() const;
  bool exists() const { return world.api.find(kJobs, kKey) != nullptr; }
  bool has_condition(const std::string& type) const {
    return condition_field(job(), type, "status") == "True";
  }
  std::int64_t status(const std::string& field) const { return int_at(job(), "status." + field); }

  std::vector<ObjectPtr> active_pods() const;
  /// Places every new pod; ends what is to be deleted.
  void work_as_node();
  /// A pod's process ends.
  void end_pod(const ObjectPtr& pod, bool well);
  /// Each active pod's process.
  void end_all(bool well);
  void pass(std::chrono::nanoseconds span);
  bool has_event(const std::string& reason) const;

  static inline const Key kKey{"ns", "work"};
  TestWorld world;

 private:
  std::unique_ptr<JobController> controller_;
};

}  // namespace trainyard::workloads
