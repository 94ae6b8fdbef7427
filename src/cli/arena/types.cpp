#include "cli/arena/types.h"

#include "base/check.h"
#include "cli/arena/words.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace trainyard::cli::arena {
namespace {

/// Types of Arena's that are not here: their words are known all the same.
constexpr std::pair<const char*, const char*> kAbsent[] = {
    {"horovodjob", "horovodjob"},  {"horovod", "horovodjob"}, {"etjob", "etjob"},
    {"elastictraining", "etjob"},  {"et", "etjob"},           {"deepspeedjob", "deepspeedjob"},
    {"deepspeed", "deepspeedjob"}, {"dp", "deepspeedjob"},    {"volcanojob", "volcanojob"},
    {"volcano", "volcanojob"},     {"sparkjob", "sparkjob"},  {"spark", "sparkjob"},
    {"rayjob", "rayjob"},          {"rj", "rayjob"},
};

}  // namespace

const std::vector<TrainingType>& training_types() {
  static const std::vector<TrainingType> kTypes = {
      {"tfjob",
       {"tensorflow", "tf"},
       {"kubeflow.org", "v1", "tfjobs"},
       "TFJob",
       "tensorflow",
       "chief"},
      {"mpijob", {"mpi"}, {"kubeflow.org", "v2beta1", "mpijobs"}, "MPIJob", "mpi", "launcher"},
      {"pytorchjob",
       {"pytorch", "py"},
       {"kubeflow.org", "v1", "pytorchjobs"},
       "PyTorchJob",
       "pytorch",
       "master"},
  };
  return kTypes;
}

const TrainingType& training_type(const std::string& name) {
  const auto& all = training_types();
  const auto found = std::find_if(all.begin(), all.end(),
                                  [&](const TrainingType& type) { return type.name == name; });
  CHECK(found != all.end());
  return *found;
}

Result<std::optional<TrainingType>> parse_type(const std::string& word) {
  if (word.empty()) return std::optional<TrainingType>();
  const std::string wanted = lower(word);
  std::vector<std::string> names;
  for (const TrainingType& type : training_types()) {
    names.push_back(type.name);
    if (type.name == wanted ||
        std::find(type.aliases.begin(), type.aliases.end(), wanted) != type.aliases.end()) {
      return std::optional(type);
    }
  }
  const auto* absent = std::find_if(std::begin(kAbsent), std::end(kAbsent),
                                    [&](const auto& row) { return row.first == wanted; });
  if (absent != std::end(kAbsent)) {
    return Error(Code::kUnsupported, fmt::format("jobs of the type {} are not supported here: {}",
                                                 absent->second, fmt::join(names, ", ")));
  }
  return Error(Code::kInvalid, fmt::format("unknown job type \"{}\": the supported types are {}",
                                           word, fmt::join(names, ", ")));
}

Result<std::vector<TrainingType>> types_meant(const std::string& word) {
  TRY(const std::optional<TrainingType> one, parse_type(word));
  return one ? std::vector{*one} : training_types();
}

std::string record_name(const std::string& job, const TrainingType& type) {
  return job + "-" + type.name;
}

}  // namespace trainyard::cli::arena
