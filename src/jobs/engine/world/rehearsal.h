#pragma once

#include "jobs/engine/plan/plan.h"

#include <map>
#include <string>

namespace trainyard::jobs {

/// A job on a machine that exists only in the mind: plans are made by plan_job() and carried out on
/// objects in memory. Who asks what would happen gets the answer from the rules themselves.
class Rehearsal {
 public:
  /// The job as a user wrote it. All its pods run.
  Rehearsal(const JobKind& kind, Json job);

  /// The pod ends so; `reason` as containers' statuses tell it.
  void end_pod(const std::string& name, std::int64_t code, const std::string& reason);
  /// Its node is lost: it is gone, and nobody knows how it ended.
  void lose_pod(const std::string& name);
  void set_paused(bool paused);
  void pass_time(std::chrono::seconds span) { now_ += span; }
  /// Plans and acts until there is nothing left to do. Pods that are told to end do.
  void settle();

  const JobKind& kind() const { return kind_; }
  const Json& job() const { return job_; }
  const JobForm& form() const { return form_; }
  /// What the engine remembers of it.
  Json status() const { return kind_.recall(job_); }
  const std::map<std::string, Json>& pods() const { return pods_; }
  std::string pod_name(const Replica& replica) const;

 private:
  JobPlan plan() const;
  void carry_out(const JobPlan& plan);
  void run_pods();

  const JobKind& kind_;
  Json job_;
  JobForm form_;
  std::map<std::string, Json> pods_;
  std::set<std::string> services_;
  bool has_pod_group_ = false;
  Json tensorboard_;
  WallTime now_;
  int made_ = 0;
};

}  // namespace trainyard::jobs
