#pragma once

#include "node/run/run_state.h"
#include "object/json/json.h"

#include <string>
#include <vector>

namespace trainyard::node {

enum class RestartPolicy : std::uint8_t { kAlways, kOnFailure, kNever };

/// How a container takes part in its pod's life.
enum class Role : std::uint8_t {
  kInit,     // must succeed before what stands behind it starts
  kSidecar,  // an init container with restartPolicy Always: starts in order, then runs beside
  kMain,
};

/// Why a container that should run does not: what its status tells, and when to try again.
struct Hindrance {
  std::string reason;   // CreateContainerConfigError, ContainerCreating, …; empty: nothing hinders
  std::string message;  // for people
  bool until_change = false;      // trying again is of no use before something outside changes
  std::optional<WallTime> until;  // else: not before that time
};

/// A container as its worker sees it at one moment.
struct ContainerView {
  std::string name;
  std::string image;
  Role role = Role::kMain;

  int number = 0;                // of the current run; that is how often it was restarted
  RunState state;                // of the current run
  std::optional<RunState> last;  // of the run before
  int crashes = 0;               // runs before this one that count for the back-off (back_off.h)
  Hindrance hindrance;

  bool hook_done = true;       // its postStart hook has succeeded, or there is none
  bool startup_passed = true;  // its startup probe has succeeded, or there is none
  bool is_ready = true;        // its readiness probe succeeds, or there is none
  bool condemned = false;      // a probe or a hook has failed: it must end (and may run again)
  std::optional<std::int64_t> condemned_grace;  // the grace period that the probe asks for

  bool started() const { return state.runs() && hook_done && startup_passed; }
  bool ready() const { return started() && is_ready; }
};

/// A pod as its worker sees it at one moment: all that decides what happens next.
struct PodView {
  RestartPolicy policy = RestartPolicy::kAlways;
  std::vector<ContainerView> containers;  // init containers first, each list in the spec's order
  std::optional<WallTime> deadline;       // by activeDeadlineSeconds
  bool must_end = false;                  // it is being deleted, or the machine goes down
};

/// The part of it that the pod's spec tells, and status.startTime.
PodView view_of(const Json& pod);

}  // namespace trainyard::node
