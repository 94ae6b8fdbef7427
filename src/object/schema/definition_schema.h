#pragma once

#include "object/json/json.h"
#include "object/values/field_path.h"

#include <vector>

/// What a CustomResourceDefinition's schema may say. The parts of definition.h's check.
namespace trainyard::definition_schema {

using Errors = std::vector<FieldError>;

/// All of it: `schema` is the openAPIV3Schema at `path`.
void check(const Json& schema, const FieldPath& path, bool has_status, Errors& errors);

/// Whether every keyword has a value of its type; the other checks rely on it.
bool check_keyword_types(const Json& schema, const FieldPath& path, Errors& errors);
/// Keywords that are not for definitions, and how list types and their keys fit together.
void check_keywords(const Json& schema, const FieldPath& path, Errors& errors);
/// Whether the schema says of each value what it is, so that objects can be pruned and defaulted.
/// False without a word for schemas that use what check_keywords() refuses.
bool check_structure(const Json& schema, const FieldPath& path, Errors& errors);
/// Whether the defaults obey the schema that they are in. The schema must be structural.
void check_defaults(const Json& schema, const FieldPath& path, Errors& errors);

/// A keyword's value; nullptr when it is missing or null.
const Json* given(const Json& schema, std::string_view keyword);

}  // namespace trainyard::definition_schema
