#pragma once

#include "base/task_group.h"
#include "node/node_parts.h"
#include "node/pod/pod_view.h"
#include "node/pod/probe_action.h"
#include "object/values/metadata.h"

#include <functional>

namespace trainyard::node {

/// Runs the probes and hooks of a pod's containers beside them, and writes what they say into the
/// view. Each belongs to one run of a container and ends by itself when that is over.
class PodProbes {
 public:
  /// `on_news` is called when the view has changed.
  PodProbes(NodeParts& parts, PodView& view, std::function<void()> on_news)
      : parts_(parts), view_(view), on_news_(std::move(on_news)), tasks_(parts.loop) {}

  /// A container's run is about to begin: until its probes have spoken, it is not ready. With what
  /// was reported of a run that goes on, it takes up from there.
  void expect(std::size_t index, const Json& container, const Json& reported);
  /// The run has begun. The pod is for events.
  void begin(std::size_t index, const ObjectPtr& pod, ActionPlace place);
  /// Before a container is told to stop: calls `then` with what is left of the grace period.
  void before_stop(std::size_t index, const ObjectPtr& pod, ActionPlace place,
                   std::int64_t grace_seconds, std::function<void(std::int64_t)> then);
  awaitable<void> stop() { return tasks_.stop(); }

 private:
  awaitable<void> run_hook(std::size_t index, int number, ObjectPtr pod, ActionPlace place);
  awaitable<void> run_probe(std::size_t index, int number, Probe probe, ObjectPtr pod,
                            ActionPlace place);
  awaitable<void> run_pre_stop(std::size_t index, ObjectPtr pod, ActionPlace place,
                               std::int64_t grace_seconds, std::function<void(std::int64_t)> then);
  void tell_failure(const Probe& probe, const ObjectPtr& pod, const std::string& message);
  void apply(std::size_t index, const Probe& probe, bool success, const ObjectPtr& pod);
  /// The container while this very run of it goes on; else nullptr.
  ContainerView* current(std::size_t index, int number);

  NodeParts& parts_;
  PodView& view_;
  std::function<void()> on_news_;
  TaskGroup tasks_;
};

}  // namespace trainyard::node
