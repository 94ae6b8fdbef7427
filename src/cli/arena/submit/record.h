#pragma once

#include "cli/arena/types.h"

#include <string>
#include <vector>

/// The record of a job: a ConfigMap that names all its objects, so that it can be deleted.
namespace trainyard::cli::arena {

/// `service/mnist-tensorboard`, `pytorchjob.kubeflow.org/mnist`: how objects are called in output
/// and in records.
std::string object_word(const Json& object);

/// `values` is what was asked for, for people who look.
Json make_record(const std::string& job, const TrainingType& type, const std::string& ns,
                 const std::vector<Json>& objects, const Json& values);

struct RecordedObject {
  Resource resource;
  std::string kind;  // pytorchjob.kubeflow.org
  std::string name;
};

/// An error for a line that names a kind which no job of ours has.
Result<std::vector<RecordedObject>> read_record(const Json& record);

}  // namespace trainyard::cli::arena
