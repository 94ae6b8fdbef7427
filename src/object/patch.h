#pragma once

#include "object/json.h"
#include "object/schema.h"

namespace trainyard {

/// JSON merge patch (RFC 7386): objects merge, null removes, everything else replaces.
void apply_merge_patch(Json& target, const Json& patch);

/// Kubernetes' strategic merge patch: as above, but lists whose schema names a merge key merge by
/// it, and `$patch: delete|replace` and `$deleteFromPrimitiveList/x` are obeyed.
Result<> apply_strategic_patch(Json& target, const Json& patch, const Schema& schema);

/// JSON patch (RFC 6902).
Result<> apply_json_patch(Json& target, const Json& patch);

}  // namespace trainyard
