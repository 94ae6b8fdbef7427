#pragma once

#include "base/result.h"
#include "http/wire/message.h"

#include <string>
#include <string_view>

namespace trainyard::http {

/// Whether who asks takes an answer that is packed by gzip.
bool accepts_gzip(const Headers& request);
std::string pack(std::string_view bytes, int effort);
/// kInvalid: it was not packed, or not all of it is there.
Result<std::string> unpack(std::string_view packed);

}  // namespace trainyard::http
