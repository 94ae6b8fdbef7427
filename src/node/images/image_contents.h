#pragma once

#include "node/images/image_environment.h"
#include "object/json/json.h"

#include <filesystem>
#include <string>
#include <vector>

namespace trainyard::node {

/// What an image's environment has of what jobs are made of, as far as its files tell: nothing of
/// it is run.
struct ImageContents {
  std::string python;    // empty: there is none
  bool in_venv = false;  // pip may install there
  bool known = false;    // where its packages are
  /// Of torch, tensorflow, xgboost, horovod (built for torch), mpirun, ssh, sshd.
  std::vector<std::string> found;
};

ImageContents look_into(const ImageEnvironment& environment);
Json to_json(const ImageContents& contents);

}  // namespace trainyard::node
