#pragma once

#include "client/api.h"

#include <string_view>

namespace trainyard::client {

/// ADDED, MODIFIED, DELETED or BOOKMARK: how a watch event's type is written.
std::string_view word_of(WatchEvent::Type type);

}  // namespace trainyard::client
