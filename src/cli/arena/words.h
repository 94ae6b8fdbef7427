#pragma once

#include "base/words/text.h"

#include <string>
#include <string_view>

namespace trainyard::cli::arena {

/// Letters of ASCII in capitals, or in small ones; others stay as they are.
std::string upper(std::string_view text);
/// The text, or N/A in place of nothing.
std::string or_none(std::string_view text);

}  // namespace trainyard::cli::arena
