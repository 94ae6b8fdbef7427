#pragma once

#include "cli/arena/context.h"
#include "cli/arena/types.h"

#include <vector>

/// A file that says what a long command line would.
namespace trainyard::cli::arena {

/// The words of `arena submit` that a document stands for. Its keys are flags, `type` and
/// `command`; lists are flags that are repeated, objects are KEY=VALUE:
///
///   type: pytorch
///   name: mnist
///   image: pytorch
///   env: {EPOCHS: "3"}
///   data: [training-data:/data]
///   command: python train.py
Result<std::vector<std::string>> words_of_document(const Json& document);

/// A job's objects, as --dry-run prints them or somebody has written them: with the record that
/// names them, and with the labels by which Arena knows its jobs.
struct JobObjects {
  TrainingType type;
  std::vector<Json> objects;  // the record first, the job last
};
Result<JobObjects> complete_objects(std::vector<Json> documents, const Caller& caller);

}  // namespace trainyard::cli::arena
