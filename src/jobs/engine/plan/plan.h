#pragma once

#include "base/clock.h"
#include "jobs/engine/form/form.h"

#include <chrono>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace trainyard::jobs {

/// Everything that a decision about a job may rest on, read at one moment.
struct JobView {
  ObjectPtr job;
  std::map<std::string, ObjectPtr> pods;        // the job's own, by name
  std::map<std::string, std::string> services;  // those of the job that there are: uids by name
  bool has_pod_group = false;
  std::int64_t group_members = 0;  // how many its PodGroup asks for; 0: it is not known
  std::string group_taken_by;  // the owner, when the PodGroup of the job's name is not the job's
  ObjectPtr tensorboard;       // the job's own; null: there is none
  bool port_is_usable = true;  // its port, as long as it has no pods
  std::string refusal;         // why something of it could not be made a moment ago
  WallTime now;
};

struct PlannedEvent {
  bool warning = false;
  std::string reason;
  std::string message;
};

/// Of this very object: one that was made anew under the name is somebody's.
struct Removal {
  std::string name;
  std::string uid;
  /// Of a pod that lives: only in this very state. One that ends meanwhile must be looked at first:
  /// its end may be the job's.
  std::string version;
};

/// What to do next. Every step may be repeated, and any prefix of them may be all that happens
/// before a crash: the next plan goes on from what it finds.
struct JobPlan {
  bool needs_port = false;  // nothing else can be planned before the job has its port
  std::vector<SupportObject> create_support;  // before the pods; what is there already is as good
  std::vector<Json> create_services;
  std::optional<Json> create_pod_group;
  std::optional<std::int64_t> resize_pod_group;  // its minMember
  std::optional<Json> create_tensorboard;
  std::vector<Json> create_pods;
  std::vector<Removal> remove_pods;
  std::vector<Removal> remove_services;
  bool remove_job = false;     // it is over, and has been for long enough
  std::optional<Json> status;  // when it differs from the job's
  std::vector<PlannedEvent> events;
  std::optional<std::chrono::milliseconds> look_again;
};

/// Decides. No I/O, no clock, no randomness: the same view gives the same plan.
JobPlan plan_job(const JobKind& kind, const JobView& view);

}  // namespace trainyard::jobs
