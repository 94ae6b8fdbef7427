#pragma once

#include "http/server.h"

#include <string_view>

namespace trainyard::console {

/// Whether the path is one of the documents, which are for everybody who may see the console's
/// page.
bool is_help_path(std::string_view path);
http::Response serve_help(std::string_view path, const http::Headers& asked);

}  // namespace trainyard::console
