#pragma once

#include "base/notifier.h"
#include "base/task_group.h"
#include "client/api.h"
#include "client/events.h"
#include "node/claims.h"
#include "node/config.h"
#include "node/container_run.h"
#include "node/hosts.h"
#include "node/pod_status.h"

#include <memory>
#include <string>
#include <vector>

namespace trainyard::node {

/// What all workers of a node share.
struct NodeParts {
  Executor loop;
  client::Api& api;
  Clock& clock;
  client::EventRecorder& events;
  const NodeConfig& config;
  const Paths& paths;
  Hosts& hosts;
  const Claims& claims;
};

/// Looks after one pod from its placement to its end: starts or adopts its containers, reports
/// their state, stops them when the pod is deleted, and leaves nothing behind. Never kills because
/// the server stops: a cancelled worker simply lets go.
class PodWorker {
 public:
  PodWorker(NodeParts& parts, ObjectPtr pod);
  ~PodWorker();

  /// A newer state of the pod.
  void update(ObjectPtr pod);
  /// The pod no longer exists.
  void set_gone();
  /// Ends the containers although the pod stays: for a machine that is about to go down.
  void end_containers();
  awaitable<void> wait_ended();
  /// Something outside has changed that a waiting container may need.
  void look_again();

  /// Returns when the pod is gone and cleaned up after.
  awaitable<void> run();
  awaitable<void> stop() { return tasks_.stop(); }

 private:
  struct Container {
    Json spec;
    bool init = false;
    ContainerView view;
    std::unique_ptr<ContainerRun> run;
    bool done = false;
    std::int64_t signalled_grace = -1;  // with which its shim was told to stop; -1: not yet
  };

  awaitable<void> run_containers();
  void find_last_run(Container& container);
  awaitable<void> supervise(Container& container);
  awaitable<bool> start(Container& container);
  Result<RunSpec> make_spec(const Container& container) const;
  void set_waiting(Container& container, const Error& cause);
  bool runs_again(const Container& container) const;
  awaitable<void> write_status();
  void stop_containers();
  void stop_container(Container& container) const;
  awaitable<void> wait_or_stop(std::chrono::seconds span);
  bool all_done() const;
  bool must_stop() const;
  std::int64_t grace() const;
  std::unique_ptr<ContainerRun> make_run(const std::string& container, int number) const;
  void refresh(Container& container);
  void notify();
  void notify_from_outside();

  NodeParts& parts_;
  ObjectPtr pod_;
  std::string uid_;
  Key key_;
  std::string ip_;
  std::vector<std::unique_ptr<Container>> containers_;
  Json written_;  // the status that was written last
  bool gone_ = false;
  bool ending_ = false;
  bool dirty_ = true;
  std::uint64_t outside_changes_ = 0;  // of the pod, or of what its containers may wait for
  Notifier changed_;
  TaskGroup tasks_;
};

}  // namespace trainyard::node
