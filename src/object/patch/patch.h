#pragma once

#include "object/json/json.h"
#include "object/schema/schema.h"

namespace trainyard {

// A patch that fails leaves its target changed in part: patch a copy.

/// JSON merge patch (RFC 7386): objects merge, null removes, everything else replaces.
void apply_merge_patch(Json& target, const Json& patch);

/// Kubernetes' strategic merge patch: as above, but lists merge where the schema says so, by a key
/// or, with plain values, by value, and a patch can direct how:
///
///   $patch: delete|replace|merge     in an object, or in an element of a keyed list
///   $retainKeys: [a, b]              every other field of the object goes
///   $setElementOrder/x: [...]        the order of what the list x holds in the end
///   $deleteFromPrimitiveList/x: [...]  what the list x loses
Result<> apply_strategic_patch(Json& target, const Json& patch, const Schema& schema);

/// JSON patch (RFC 6902). kBadRequest when the patch is none, kInvalid when it does not fit the
/// object: nothing is where a path leads, an index is too large, a test fails.
Result<> apply_json_patch(Json& target, const Json& patch);

}  // namespace trainyard
