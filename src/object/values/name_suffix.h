#pragma once

#include "object/json/json.h"

#include <string>

namespace trainyard {

/// Five hex digits that tell objects of one name apart, whenever they lived: of the FNV-1a hash of
/// name and uid. T9k's pods carry them in their names.
std::string name_suffix(const Json& object);

}  // namespace trainyard
