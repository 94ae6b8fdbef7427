#pragma once

#include "object/json/json.h"

#include <string_view>

namespace trainyard {

/// What a plain scalar means by go-yaml v2's rules: null, a boolean, a number or text.
Json resolve_plain(std::string_view text);

/// go-yaml reads .inf and .nan as numbers that JSON cannot say.
bool plain_not_finite(std::string_view text);

}  // namespace trainyard
