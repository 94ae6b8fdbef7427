#include "jobs/kinds.h"

#include "jobs/generic_job.h"
#include "jobs/kubeflow/kubeflow_mpi_job.h"
#include "jobs/kubeflow/pytorch_job.h"
#include "jobs/kubeflow/tf_job.h"
#include "jobs/mpi/mpi_job.h"
#include "jobs/pytorch_training_job.h"
#include "jobs/tensorflow_training_job.h"
#include "jobs/xgboost_training_job.h"

namespace trainyard::jobs {

const std::vector<const JobKind*>& job_kinds() {
  static const PyTorchTrainingJob kPyTorch;
  static const TensorFlowTrainingJob kTensorFlow;
  static const XGBoostTrainingJob kXGBoost;
  static const GenericJob kGeneric;
  static const PyTorchJob kKubeflowPyTorch;
  static const TFJob kKubeflowTensorFlow;
  static const KubeflowMpiJob kKubeflowMpi;
  static const MpiJob kMpi;
  static const std::vector<const JobKind*> kKinds{
      &kPyTorch,         &kTensorFlow,         &kXGBoost,     &kGeneric,
      &kKubeflowPyTorch, &kKubeflowTensorFlow, &kKubeflowMpi, &kMpi};
  return kKinds;
}

const JobKind* find_job_kind(const Json& object) {
  for (const JobKind* kind : job_kinds()) {
    if (kind->name() == string_at(object, "kind") &&
        kind->resource().api_version() == string_at(object, "apiVersion")) {
      return kind;
    }
  }
  return nullptr;
}

}  // namespace trainyard::jobs
