#include "cli/jobs/scaling.h"

#include "cli/command/job_facts.h"

#include <fmt/format.h>

namespace trainyard::cli {
namespace {

Result<> check_bounds(const Json& job, const char* elastic, std::int64_t replicas) {
  const Json* policy = find(job, elastic);
  const std::int64_t least = int_at(*policy, "minReplicas", 1);
  const std::int64_t most = int_at(*policy, "maxReplicas", replicas);
  if (replicas >= least && replicas <= most) return Ok();
  return Error(Code::kInvalid,
               fmt::format("job {} can have {} to {} replicas ({}.minReplicas and maxReplicas), "
                           "not {}",
                           name_of(job), least, most, elastic, replicas));
}

}  // namespace

Result<Json> scale_patch(const Json& job, std::int64_t replicas) {
  Json patch(JsonObject{});
  if (is_kubeflow(job) && find(job, "spec.elasticPolicy") != nullptr) {
    TRY_OK(check_bounds(job, "spec.elasticPolicy", replicas));
    make_path(patch, "spec.pytorchReplicaSpecs.Worker.replicas") = replicas;
    return patch;
  }
  if (bool_at(job, "spec.elastic.enabled")) {
    TRY_OK(check_bounds(job, "spec.elastic", replicas));
    make_path(patch, "spec.elastic.expectedReplicas") = replicas;
    return patch;
  }
  return Error(
      Code::kInvalid,
      fmt::format(
          "job {} is not elastic: its number of replicas is fixed. To change it, create the "
          "job again with other replicas, or with spec.elastic (enabled, minReplicas, "
          "maxReplicas, expectedReplicas) and torchrun",
          name_of(job)));
}

}  // namespace trainyard::cli
