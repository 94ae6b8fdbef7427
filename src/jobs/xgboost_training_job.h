#pragma once

#include "jobs/engine/form/form.h"
#include "jobs/resources.h"

namespace trainyard::jobs {

/// T9k's XGBoostTrainingJob: one master and workers, which meet through MASTER_ADDR, MASTER_PORT,
/// RANK and WORLD_SIZE.
class XGBoostTrainingJob final : public JobKind {
 public:
  const Resource& resource() const override { return kXGBoostTrainingJobs; }
  std::string_view name() const override { return "XGBoostTrainingJob"; }
  JobForm read(const Json& job) const override;
  Json make_pod(const Json& job, const JobForm& form, const Replica& replica,
                std::int64_t port) const override;
  std::string_view main_container() const override { return "xgboost"; }
};

}  // namespace trainyard::jobs
