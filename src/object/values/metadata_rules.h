#pragma once

#include "object/json/json.h"
#include "object/values/field_path.h"

#include <string>
#include <vector>

/// The rules of metadata, which are the same for every object and not part of any kind's schema.
namespace trainyard {

/// What is wrong with an object's metadata, apart from its name, whose form depends on the kind:
/// types of all fields, syntax of labels, annotations, finalizers and owners.
std::vector<FieldError> check_metadata(const Json& object);
/// The same for metadata that is elsewhere, such as in an embedded object.
void check_metadata(const Json& metadata, const FieldPath& path, std::vector<FieldError>& errors);

/// Removes fields that metadata does not have and adds their paths to `removed`; also nulls, which
/// clients send for what they have not set. A label or annotation that is null is empty text.
void prune_metadata(Json& metadata, const FieldPath& path, std::vector<std::string>& removed);

}  // namespace trainyard
