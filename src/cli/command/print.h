#pragma once

#include "cli/command/context.h"

#include <string>
#include <vector>

namespace trainyard::cli {

/// Prints a value as -o json or -o yaml asks; false when -o is neither.
bool print_value(const Flags& flags, const Json& value);
/// Prints names, one a line, as -o name asks; false when it does not.
bool print_names(const Flags& flags, const std::vector<std::string>& names);
/// Prints objects as -o asks (json, yaml, name); false when -o is not one of these.
bool print_objects(const Flags& flags, const std::vector<ObjectPtr>& objects);
/// The same for one object, which is not wrapped in a list.
bool print_object(const Flags& flags, const ObjectPtr& object);

}  // namespace trainyard::cli
