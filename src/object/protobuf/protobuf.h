#pragma once

#include "object/json/json.h"

#include <string_view>

namespace trainyard {

/// Reads a body of type application/vnd.kubernetes.protobuf, which kubectl sends for what it makes
/// without a file: an envelope that names the kind, and the object in it. Gives what the same
/// client would have written as JSON, but leaves out members that would be null.
/// Field numbers of api/protobuf are known, others are skipped. kUnsupported for kinds that are not
/// described there, kBadRequest for what is broken.
Result<Json> decode_protobuf(std::string_view body);

}  // namespace trainyard
