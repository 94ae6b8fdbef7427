#pragma once

#include "http/server.h"

#include <string>
#include <string_view>

namespace trainyard::console {

http::Response respond(int status, const char* type, std::string body);
/// As the API refuses.
http::Response refuse(int status, const char* reason, const std::string& message);
/// A file that was packed when the binary was built, unpacked for who does not.
http::Response respond_packed(std::string_view name, std::string_view packed,
                              const http::Headers& asked);

}  // namespace trainyard::console
