#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace trainyard {

/// How many bytes the character at the front takes; 0 when the text is empty or not UTF-8 there.
std::size_t character_size(std::string_view text);

bool is_utf8(std::string_view text);

/// The text with U+FFFD for each byte that is no part of a character.
std::string as_utf8(std::string_view bytes);

}  // namespace trainyard
