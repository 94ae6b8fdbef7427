#pragma once

#include <string>

namespace trainyard::cli {

/// Kubernetes replaces $(NAME) and $$ in commands and variables; this is how a text has to be
/// written so that the container gets what was typed.
std::string as_it_is(const std::string& text);

}  // namespace trainyard::cli
