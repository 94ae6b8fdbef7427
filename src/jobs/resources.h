#pragma once

#include "object/metadata.h"

/// The job kinds' resources.
namespace trainyard::jobs {

inline const Resource kTensorFlowTrainingJobs{"batch.tensorstack.dev", "v1beta1",
                                              "tensorflowtrainingjobs"};
inline const Resource kXGBoostTrainingJobs{"batch.tensorstack.dev", "v1beta1",
                                           "xgboosttrainingjobs"};
inline const Resource kGenericJobs{"batch.tensorstack.dev", "v1beta1", "genericjobs"};

}  // namespace trainyard::jobs
