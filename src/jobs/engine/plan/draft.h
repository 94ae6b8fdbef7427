#pragma once

#include "jobs/engine/form/observation.h"
#include "jobs/engine/plan/plan.h"

#include <string>
#include <vector>

namespace trainyard::jobs {

/// A plan in the making: what it rests on, and what it says so far. The steps of planning are
/// functions over it, one file for each concern.
struct Draft {
  Draft(const JobKind& job_kind, const JobView& job_view);

  const JobKind& kind;
  const JobView& view;
  const Json& job;
  JobForm form;
  Json before;  // the job's status as it was read; an object
  Json status;  // as it shall be
  std::vector<Observed> observed;
  /// By group: restarts of all its replicas, also of those that were scaled away.
  std::vector<std::int64_t> restarts;
  /// By group: ended pods whose removal, and so their restart, is under way.
  std::vector<std::int64_t> promised;
  /// With RestartScope::kJob: how often all were started anew.
  std::int64_t rounds = 0;
  std::optional<EndedBy> ended_by;  // where this plan ends the job
  JobPlan plan;

  const ReplicaGroup& group_of(const Observed& one) const { return form.groups[one.replica.group]; }
  bool restarts_together() const { return form.limits.restart_scope == RestartScope::kJob; }
  /// What the status said before.
  bool was(const std::string& condition, bool value) const;
  void set(const std::string& condition, bool value, const std::string& reason,
           const std::string& message);
  void set_phase(std::string_view phase) { status.get_object()["phase"] = phase; }
  void tell(std::string reason, std::string message, bool warning = false);
  /// Plans to delete its pod, unless that is under way.
  void remove(const Observed& one);
  /// Where every pod has a Service of its own: plans to delete that one, too.
  void remove_service(const Observed& one);
};

}  // namespace trainyard::jobs
