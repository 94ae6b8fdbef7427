#pragma once

#include "server/kind_table.h"

#include <optional>
#include <string>

namespace trainyard::server {

/// The answers by which clients find out what is served: /version, /api, /apis, /api/v1,
/// /apis/GROUP, /apis/GROUP/VERSION. Nothing for other paths.
std::optional<Json> discover(const KindTable& kinds, const std::string& path);

}  // namespace trainyard::server
