#pragma once

#include "base/notifier.h"
#include "node/pod/pod_containers.h"

#include <string>

namespace trainyard::node {

/// Looks after one pod from its placement to its end, in one loop: look at the containers, plan
/// (pod_plan.h), act, report, wait for news. Never kills because the server stops: a cancelled
/// worker simply lets go.
class PodWorker {
 public:
  PodWorker(NodeParts& parts, ObjectPtr pod);

  const Key& key() const { return key_; }
  ObjectPtr pod() const { return pod_.get(); }
  /// A newer state of the pod.
  void update(ObjectPtr pod);
  /// The pod no longer exists.
  void set_gone();
  /// Ends the containers although the pod stays: for a machine that is about to go down.
  void end_containers();
  awaitable<void> wait_ended();
  /// Of containers that have ended.
  awaitable<void> remove_cgroups();
  /// Something outside has changed that a waiting container may need.
  void look_again();
  /// A ConfigMap or Secret in its namespace has changed.
  void on_config(const std::string& name);

  /// Returns when the pod is gone and cleaned up after.
  awaitable<void> run();
  awaitable<void> stop();

 private:
  /// Names the pod, for the record of crashes.
  std::string work_on() const;
  void begin();
  awaitable<void> prepare_files();
  bool take_step();
  awaitable<void> advance();
  awaitable<void> report();
  void set_over(bool over);
  awaitable<bool> write_status(Json status, std::uint64_t hash);
  void forget_written();
  awaitable<void> remove_object();
  awaitable<void> wait_for_news();
  void release_address();
  void tell_left_behind(const Result<>& removed) const;
  std::int64_t grace() const;
  std::int64_t grace_left() const;
  void notify();

  NodeParts& parts_;
  Kept pod_;
  Key key_;
  PodFacts facts_;
  std::unique_ptr<PodRuntime> runtime_;
  PodContainers containers_;
  PodPlan plan_;
  /// The status that was written last; null once the pod tells of it, which is soon: there can be
  /// thousands of them.
  Json written_;
  std::int64_t written_revision_ = 0;
  std::uint64_t written_hash_ = 0;  // of its text; 0: nothing was written
  bool over_ = false;               // nothing of it runs, and that has been reported
  bool gone_ = false;
  bool ending_ = false;
  bool news_ = true;
  bool told_deadline_ = false;
  std::optional<TimePoint> ending_since_;
  std::optional<TimePoint> wake_;  // when time alone is news
  Notifier changed_;
};

}  // namespace trainyard::node
