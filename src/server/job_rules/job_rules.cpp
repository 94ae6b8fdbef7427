#include "server/job_rules/job_rules.h"

#include "server/job_rules/job_rule_parts.h"

#include <fmt/format.h>

namespace trainyard::server {
namespace {

struct RulesOfKind {
  std::string_view name;  // plural.group
  void (*check)(const Json& object, PodSpecCheck check_pod_spec, Findings& findings);
  void (*check_update)(const Json& before, const Json& after, Findings& findings);
};

constexpr RulesOfKind kRules[] = {
    {"pytorchtrainingjobs.batch.tensorstack.dev", check_pytorch_training_job,
     check_pytorch_training_job_update},
    {"tensorflowtrainingjobs.batch.tensorstack.dev", check_tensorflow_training_job,
     check_training_job_update},
    {"xgboosttrainingjobs.batch.tensorstack.dev", check_xgboost_training_job,
     check_training_job_update},
    {"genericjobs.batch.tensorstack.dev", check_generic_job, check_generic_job_update},
    {"mpijobs.batch.tensorstack.dev", check_t9k_mpi_job, check_t9k_mpi_job_update},
    {"pytorchjobs.kubeflow.org", check_kubeflow_pytorch_job, check_kubeflow_training_job_update},
    {"tfjobs.kubeflow.org", check_kubeflow_tf_job, check_kubeflow_training_job_update},
    {"mpijobs.kubeflow.org", check_kubeflow_mpi_job, check_kubeflow_mpi_job_update},
    {"tensorboards.tensorstack.dev", check_tensorboard, nullptr},
    {"notebooks.tensorstack.dev", check_notebook, nullptr},
    {"podgroups.scheduling.volcano.sh", check_pod_group, nullptr},
    {"queues.scheduling.volcano.sh", check_queue, nullptr},
};

const RulesOfKind* rules_of(const Kind& kind) {
  const std::string name = fmt::format("{}.{}", kind.resource.plural, kind.resource.group);
  for (const RulesOfKind& rules : kRules) {
    if (rules.name == name) return &rules;
  }
  return nullptr;
}

}  // namespace

std::vector<FieldError> check_job_rules(const Kind& kind, const Json& object,
                                        PodSpecCheck check_pod_spec) {
  Findings findings;
  if (const RulesOfKind* rules = rules_of(kind)) rules->check(object, check_pod_spec, findings);
  return std::move(findings).take();
}

std::vector<std::string> warn_of_job(const Kind& kind, const Json& object) {
  const RulesOfKind* rules = rules_of(kind);
  if (rules == nullptr || rules->check != check_pytorch_training_job) return {};
  return warn_of_pytorch_training_job(object);
}

std::vector<FieldError> check_job_update(const Kind& kind, const Json& before, const Json& after) {
  Findings findings;
  const RulesOfKind* rules = rules_of(kind);
  if (rules != nullptr && rules->check_update != nullptr) {
    rules->check_update(before, after, findings);
  }
  return std::move(findings).take();
}

}  // namespace trainyard::server
