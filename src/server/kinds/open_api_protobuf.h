#pragma once

#include "object/json/json.h"

#include <string>

namespace trainyard::server {

/// An OpenAPI v2 document as the protobuf message openapi.v2.Document, which is how kubectl reads
/// it. Takes what documents of ours have: what else JSON may hold is left out.
std::string encode_open_api_v2(const Json& document);

}  // namespace trainyard::server
