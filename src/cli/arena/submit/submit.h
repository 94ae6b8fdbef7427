#pragma once

#include "cli/arena/command.h"
#include "cli/arena/context.h"
#include "cli/arena/types.h"

#include <string>
#include <vector>

namespace trainyard::cli::arena {

/// `pytorchjob`, `tfjob` and `mpijob` below a command.
void add_submit_types(Command& group);

struct FileOptions {
  std::string file;  // - is standard input
  bool dry_run = false;
  std::string output = "yaml";
};
Result<int> submit_file(Context& context, const FileOptions& options);

/// One YAML document an object, or a List in JSON.
void print_objects(const std::vector<Json>& objects, bool json);
/// The last lines of a submission.
void tell_submitted(Context& context, const TrainingType& type, const std::string& name);

}  // namespace trainyard::cli::arena
