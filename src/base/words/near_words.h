#pragma once

#include <string>
#include <vector>

namespace trainyard {

/// The word that was probably meant; empty when none is near enough to be worth saying. Pure.
std::string nearest_word(const std::string& typed, const std::vector<std::string>& known);

}  // namespace trainyard
