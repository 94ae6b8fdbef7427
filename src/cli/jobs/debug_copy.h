#pragma once

#include "base/result.h"
#include "object/json/json.h"

#include <string>

namespace trainyard::cli {

/// A job that brings up the same pods but idles in place of the training. Under another name it can
/// stand beside the first. Kinds that have no debug mode are an error. Pure.
Result<Json> debug_copy(const Json& job, const std::string& name);

}  // namespace trainyard::cli
