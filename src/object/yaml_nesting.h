#pragma once

#include <cstddef>
#include <string_view>

namespace trainyard {

/// How deeply the brackets of a YAML text are nested at most, counted no further than `limit`.
/// yaml-cpp reads a list or mapping in brackets to its end before it tells anybody of its
/// beginning, at some 70 bytes a bracket: this finds out in one pass and without memory. Where a
/// line goes on with the text of the line before it may take a bracket of that text for one of the
/// structure.
std::size_t bracket_depth(std::string_view yaml, std::size_t limit);

}  // namespace trainyard
