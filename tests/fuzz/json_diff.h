#pragma once

#include "object/json/json.h"
#include "object/schema/schema.h"

/// Patches that turn one value into another, so that a target can say what must come out.
namespace trainyard::fuzz {

/// A merge patch cannot put nulls into an object, since they remove, and a strategic one has
/// meanings of its own for names that begin with $.
bool has_null_member(const Json& value);
bool has_directive(const Json& value);

Json merge_patch_between(const Json& before, const Json& after);
/// Operations of a JSON patch, added to `operations`; `pointer` is where the values are.
void json_patch_between(const Json& before, const Json& after, const std::string& pointer,
                        JsonArray& operations);
/// Nothing when `after` cannot be reached: elements of its lists that cannot be told apart.
Result<Json> strategic_patch_between(const Json& before, const Json& after, const Schema* schema);

}  // namespace trainyard::fuzz
