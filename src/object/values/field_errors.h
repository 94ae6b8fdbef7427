#pragma once

#include "object/json/json.h"

#include <string>
#include <string_view>
#include <vector>

/// What can be wrong with a field, in the words and with the reasons of kube-apiserver, which
/// scripts look for. An empty field stands for the object itself.
namespace trainyard::field_errors {

/// Of a cause that names a field that its kind does not know; the message may say what was meant.
inline constexpr const char* kUnknownField = "FieldValueUnknown";

FieldError invalid(std::string field, const Json& value, std::string_view detail);
FieldError type_invalid(std::string field, const Json& value, std::string_view detail);
FieldError required(std::string field, std::string_view detail = "");
FieldError forbidden(std::string field, std::string_view detail);
FieldError duplicate(std::string field, const Json& value);
FieldError not_supported(std::string field, const Json& value,
                         const std::vector<std::string>& supported);
FieldError too_long(std::string field, std::int64_t most_bytes);
FieldError too_many(std::string field, std::int64_t count, std::int64_t most);

/// "PATH in body must be of type integer: "string"": a value's type is not the expected one.
FieldError wrong_type(const std::string& field, std::string_view expected, std::string_view found);
/// The JSON type of a value: object, array, string, integer, number, boolean or null.
std::string_view type_name(const Json& value);

/// A value as messages show it: JSON, shortened when long.
std::string shown(const Json& value);
/// A number as Go's %v writes it: 0.5, 100000, 1e+06.
std::string shown(double value);

}  // namespace trainyard::field_errors
