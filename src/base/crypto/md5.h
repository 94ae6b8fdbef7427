#pragma once

#include <string>
#include <string_view>

namespace trainyard {

/// MD5 as lower-case hex: for names that others make in the same way, never to keep anything safe.
std::string md5_hex(std::string_view bytes);

}  // namespace trainyard
