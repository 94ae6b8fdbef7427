#pragma once

#include "object/json/json.h"

#include <vector>

namespace trainyard {

/// Takes out the members at these positions, which must be in order. The others keep theirs. Takes
/// one pass, where erasing them one by one would take one each.
void erase_members(JsonObject& object, const std::vector<std::size_t>& positions);

}  // namespace trainyard
