#pragma once

#include "node/pod/pod_view.h"

#include <string>
#include <utility>
#include <vector>

namespace trainyard::node {

// Containers and pods at some moment, for tests of the pure core.

inline const WallTime kNow = *parse_time("2026-03-01T10:00:00Z");

inline ContainerView absent(const std::string& name = "main") {
  ContainerView view;
  view.name = name;
  view.image = "torch";
  return view;
}

inline ContainerView running(const std::string& name = "main") {
  ContainerView view = absent(name);
  view.state.phase = RunState::Phase::kRunning;
  view.state.started = kNow - std::chrono::seconds(60);
  return view;
}

inline ContainerView ended(std::int64_t code, const std::string& name = "main") {
  ContainerView view = running(name);
  view.state.phase = RunState::Phase::kEnded;
  view.state.exit_code = code;
  view.state.reason = code == 0 ? "Completed" : "Error";
  view.state.finished = kNow - std::chrono::seconds(30);
  return view;
}

inline ContainerView init(ContainerView view) {
  view.role = Role::kInit;
  return view;
}

inline ContainerView sidecar(ContainerView view) {
  view.role = Role::kSidecar;
  return view;
}

/// The `number`th run, with its predecessors as quick failures.
inline ContainerView again(ContainerView view, int number) {
  view.number = number;
  view.crashes = number;
  view.last = ended(1, view.name).state;
  return view;
}

inline PodView pod_of(std::vector<ContainerView> containers,
                      RestartPolicy policy = RestartPolicy::kNever) {
  PodView pod;
  pod.policy = policy;
  pod.containers = std::move(containers);
  return pod;
}

}  // namespace trainyard::node
