#pragma once

#include "base/result.h"
#include "object/values/metadata.h"

#include <optional>
#include <string>
#include <vector>

namespace trainyard::cli::arena {

/// A type of training job that is there: how it is written on command lines, and which objects it
/// has.
struct TrainingType {
  std::string name;  // pytorchjob: also the label `app` of all that belongs to such a job
  std::vector<std::string> aliases;
  Resource resource;
  std::string kind;       // PyTorchJob
  std::string container;  // the name of the container that trains
  std::string chief;      // the replica whose node, log and shell stand for the job
};

/// In the order in which jobs that are alike otherwise are listed.
const std::vector<TrainingType>& training_types();
const TrainingType& training_type(const std::string& name);

/// What --type means, in any case; nothing for an empty word: all types.
Result<std::optional<TrainingType>> parse_type(const std::string& word);
/// The same as a list: one type, or all.
Result<std::vector<TrainingType>> types_meant(const std::string& word);

/// NAME-TYPE, the ConfigMap that is the record of a job.
std::string record_name(const std::string& job, const TrainingType& type);

}  // namespace trainyard::cli::arena
