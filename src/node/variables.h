#pragma once

#include "base/result.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace trainyard::node {

using Variables = std::vector<std::pair<std::string, std::string>>;

/// $(NAME) becomes its value; an unknown name stays as written; $$ is a plain $. kInvalid when that
/// becomes longer than the kernel lets a word or a variable be: with forty variables that say the
/// one before them twice, it would be longer than the memory.
Result<std::string> expand(std::string_view text, const Variables& variables);
inline constexpr std::size_t kLongestWord = 128UL * 1024 - 1;

}  // namespace trainyard::node
