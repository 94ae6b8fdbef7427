#pragma once

#include "object/values/metadata.h"

/// The job kinds' resources.
namespace trainyard::jobs {

inline const Resource kTensorFlowTrainingJobs{"batch.tensorstack.dev", "v1beta1",
                                              "tensorflowtrainingjobs"};
inline const Resource kXGBoostTrainingJobs{"batch.tensorstack.dev", "v1beta1",
                                           "xgboosttrainingjobs"};
inline const Resource kPyTorchJobs{"kubeflow.org", "v1", "pytorchjobs"};
inline const Resource kTFJobs{"kubeflow.org", "v1", "tfjobs"};
inline const Resource kKubeflowMpiJobs{"kubeflow.org", "v2beta1", "mpijobs"};
inline const Resource kMpiJobs{"batch.tensorstack.dev", "v1beta1", "mpijobs"};
inline const Resource kGenericJobs{"batch.tensorstack.dev", "v1beta1", "genericjobs"};

}  // namespace trainyard::jobs
