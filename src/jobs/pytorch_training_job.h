#pragma once

#include "jobs/engine/form.h"

namespace trainyard::jobs {

/// T9k's PyTorchTrainingJob: replicas that meet through MASTER_ADDR, MASTER_PORT, RANK and
/// WORLD_SIZE, or through torchrun.
class PyTorchTrainingJob final : public JobKind {
 public:
  const Resource& resource() const override { return kPyTorchTrainingJobs; }
  JobForm read(const Json& job) const override;
  Json make_pod(const Json& job, const JobForm& form, const Replica& replica,
                std::int64_t port) const override;
};

}  // namespace trainyard::jobs
