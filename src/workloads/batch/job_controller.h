#pragma once

#include "base/task_group.h"
#include "client/reporting/events.h"
#include "client/watching/controller.h"
#include "client/watching/informer.h"
#include "workloads/batch/job_plan.h"

namespace trainyard::workloads {

inline const Resource kJobs{"batch", "v1", "jobs"};

/// Runs the pods of batch/v1 Jobs until enough have succeeded or too many have failed.
class JobController final : public client::Reconciler {
 public:
  JobController(Executor loop, client::Api& api, Clock& clock);
  void start();
  awaitable<void> stop();

  awaitable<Result<client::Requeue>> reconcile(Key key) override;

 private:
  void heard_of_pod(const Json& pod);
  awaitable<Result<JobView>> look_at(ObjectPtr job);
  awaitable<Result<>> carry_out(ObjectPtr job, JobPlan plan);
  awaitable<Result<>> write_status(ObjectPtr job, Json status);
  awaitable<Result<>> create_pods(ObjectPtr job, std::vector<std::optional<std::int64_t>> indexes);
  awaitable<Result<>> create_pod(ObjectPtr job, std::optional<std::int64_t> index);
  awaitable<Result<>> untrack(ObjectPtr pod);
  awaitable<Result<>> end_pod(ObjectPtr job, ObjectPtr pod, bool counted);
  awaitable<Result<>> remove_job(ObjectPtr job);
  awaitable<Result<>> let_orphans_go(Key key, std::string job_uid);

  client::Api& api_;
  Clock& clock_;
  client::EventRecorder events_;
  client::Controller controller_;
  client::Informer jobs_;
  client::Informer pods_;
  TaskGroup tasks_;
};

}  // namespace trainyard::workloads
