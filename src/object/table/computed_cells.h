#pragma once

#include "base/clock.h"
#include "object/json/json.h"

#include <string>
#include <string_view>

namespace trainyard {

/// The cells of built-in kinds that no JSONPath can express. Their columns carry a name instead of
/// a path, with arguments after a blank: @pod-ready, @none .spec.nodeName, @count .data. Each is
/// formatted as kubectl prints it on a cluster. Null for names that nobody knows.
Json computed_cell(std::string_view column, const Json& object, WallTime now);
bool is_computed_cell(std::string_view column);

/// How long ago, as kubectl says it; <unknown> for what is no time.
std::string age_text(std::string_view time, WallTime now);

}  // namespace trainyard
