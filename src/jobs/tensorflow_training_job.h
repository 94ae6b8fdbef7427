#pragma once

#include "jobs/engine/form/form.h"
#include "jobs/resources.h"

namespace trainyard::jobs {

/// T9k's TensorFlowTrainingJob: replicas that TF_CONFIG tells of each other. The chief is the
/// master, else worker 0.
class TensorFlowTrainingJob final : public JobKind {
 public:
  const Resource& resource() const override { return kTensorFlowTrainingJobs; }
  std::string_view name() const override { return "TensorFlowTrainingJob"; }
  JobForm read(const Json& job) const override;
  Json make_pod(const Json& job, const JobForm& form, const Replica& replica,
                std::int64_t port) const override;
  std::string_view main_container() const override { return "tensorflow"; }
};

}  // namespace trainyard::jobs
