#pragma once

#include "node/node_parts.h"
#include "node/pod/pod_plan.h"
#include "node/pod/pod_probes.h"
#include "node/pod/pod_runtime.h"

#include <functional>
#include <string>
#include <vector>

namespace trainyard::node {

/// The containers of one pod: looks at their runs, and carries out what was planned for them. All
/// that it knows of a run is the runtime's; a server that comes back knows the same.
class PodContainers {
 public:
  /// `on_news` is called when look() would see something new.
  PodContainers(NodeParts& parts, PodRuntime& runtime, std::function<void()> on_news)
      : parts_(parts),
        runtime_(runtime),
        on_news_(std::move(on_news)),
        probes_(parts, view_, on_news_) {}

  /// What an earlier server has left running, or has seen ending.
  void adopt(const ObjectPtr& pod, const PodFacts& facts);
  /// Brings the view up to date.
  void look(const ObjectPtr& pod);
  /// Something outside has changed, such as a volume claim: what was hindered may try again. False:
  /// nothing was.
  bool forget_hindrances();
  /// Does what the plan says, but starts a few containers at a time: each takes milliseconds, and a
  /// pod may have hundreds. True when it has started some, so that planning again is of use.
  /// Sidecars, which are stopped after the others, get what is left of the grace period.
  bool carry_out(const PodPlan& plan, const ObjectPtr& pod, std::int64_t grace_seconds,
                 std::int64_t grace_left);

  awaitable<void> stop_probes() { return probes_.stop(); }

  PodView& view() { return view_; }
  const PodView& view() const { return view_; }
  /// The last moment at which a container was started or seen to run for the first time.
  TimePoint last_start() const { return last_start_; }
  bool is_hindered() const;

 private:
  /// What belongs to the container of the view with the same index.
  struct Container {
    std::int64_t told_grace = -1;  // with which it was told to stop; -1: not yet
    bool told_back_off = false;
    bool told_start = true;  // or that it has not come to it
    bool probed = false;     // its probes have been started for this run
    bool pre_stop_begun = false;
    bool pre_stop_done = false;
  };

  void adopt(std::size_t index, const Json& status, const ObjectPtr& pod);
  void look_at(std::size_t index, const ObjectPtr& pod);
  void expect_probes(std::size_t index, const Json& reported, const ObjectPtr& pod);
  void begin_probes(std::size_t index, const ObjectPtr& pod);
  void watch(std::size_t index);
  void start(std::size_t index, int number, const ObjectPtr& pod);
  void tell_start(const ContainerView& container, const PodRuntime::Launch& told,
                  const ObjectPtr& pod);
  void tell_outcome(std::size_t index, const ObjectPtr& pod);
  void hinder(std::size_t index, const ObjectPtr& pod, Obstacle obstacle);
  std::int64_t grace_of(std::size_t index, std::int64_t grace_seconds,
                        std::int64_t grace_left) const;
  void stop(std::size_t index, const ObjectPtr& pod, std::int64_t grace_seconds);
  bool must_run_hook_first(std::size_t index, const ObjectPtr& pod, std::int64_t grace_seconds);
  void send_stop(std::size_t index, const ObjectPtr& pod, std::int64_t grace_seconds);
  static const Json& spec_of(const ObjectPtr& pod, std::size_t index);
  std::optional<ActionPlace> place_of(const ObjectPtr& pod, std::size_t index) const;

  NodeParts& parts_;
  PodRuntime& runtime_;
  std::function<void()> on_news_;
  PodFacts facts_;
  PodView view_;
  std::vector<Container> containers_;
  PodProbes probes_;
  TimePoint last_start_ = TimePoint::min();
};

}  // namespace trainyard::node
