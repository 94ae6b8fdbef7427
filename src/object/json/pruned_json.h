#pragma once

#include "object/json/json.h"

#include <string>
#include <vector>

namespace trainyard {

/// Reads a document as parse_json() does, but leaves out the members of these names, wherever they
/// are, and lets the last of several members of one name count: for long answers of servers, where
/// building trees takes most of the time. The whole tree has one storage, so that who keeps a part
/// of it keeps all of it.
Result<Json> parse_json_without(std::string_view text, const std::vector<std::string>& left_out);

}  // namespace trainyard
