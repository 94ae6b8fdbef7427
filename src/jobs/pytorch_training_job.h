#pragma once

#include "jobs/engine/form/form.h"

namespace trainyard::jobs {

/// T9k's PyTorchTrainingJob: replicas that meet through MASTER_ADDR, MASTER_PORT, RANK and
/// WORLD_SIZE, or through torchrun.
class PyTorchTrainingJob final : public JobKind {
 public:
  const Resource& resource() const override { return kPyTorchTrainingJobs; }
  std::string_view name() const override { return "PyTorchTrainingJob"; }
  JobForm read(const Json& job) const override;
  Json make_pod(const Json& job, const JobForm& form, const Replica& replica,
                std::int64_t port) const override;
  std::string_view main_container() const override { return "python"; }
};

}  // namespace trainyard::jobs
