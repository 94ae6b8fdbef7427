#include "object/values/field_errors.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

namespace trainyard::field_errors {
namespace {

FieldError make(std::string field, std::string_view what, std::string_view detail,
                const char* reason) {
  if (field.empty()) field = "<nil>";  // kube-apiserver's name of the object itself
  std::string message(what);
  if (!detail.empty()) message.append(": ").append(detail);
  return {std::move(field), std::move(message), reason};
}

}  // namespace

FieldError invalid(std::string field, const Json& value, std::string_view detail) {
  return make(std::move(field), "Invalid value: " + shown(value), detail, "FieldValueInvalid");
}

FieldError type_invalid(std::string field, const Json& value, std::string_view detail) {
  return make(std::move(field), "Invalid value: " + shown(value), detail, "FieldValueTypeInvalid");
}

FieldError required(std::string field, std::string_view detail) {
  return make(std::move(field), "Required value", detail, "FieldValueRequired");
}

FieldError forbidden(std::string field, std::string_view detail) {
  return make(std::move(field), "Forbidden", detail, "FieldValueForbidden");
}

FieldError duplicate(std::string field, const Json& value) {
  return make(std::move(field), "Duplicate value: " + shown(value), "", "FieldValueDuplicate");
}

FieldError not_supported(std::string field, const Json& value,
                         const std::vector<std::string>& supported) {
  std::string list = "supported values: ";
  for (const std::string& one : supported) {
    if (&one != supported.data()) list += ", ";
    list += to_text(Json(boost::json::string_view(one)));
  }
  return make(std::move(field), "Unsupported value: " + shown(value), supported.empty() ? "" : list,
              "FieldValueNotSupported");
}

FieldError too_long(std::string field, std::int64_t most_bytes) {
  return make(std::move(field), "Too long",
              fmt::format("may not be more than {} bytes", most_bytes), "FieldValueTooLong");
}

FieldError too_many(std::string field, std::int64_t count, std::int64_t most) {
  return make(std::move(field), fmt::format("Too many: {}", count),
              fmt::format("must have at most {} items", most), "FieldValueTooMany");
}

FieldError wrong_type(const std::string& field, std::string_view expected, std::string_view found) {
  return type_invalid(field, Json(found),
                      fmt::format("{} in body must be of type {}: \"{}\"", field, expected, found));
}

std::string_view type_name(const Json& value) {
  if (value.is_object()) return "object";
  if (value.is_array()) return "array";
  if (value.is_string()) return "string";
  if (value.is_bool()) return "boolean";
  if (value.is_null()) return "null";
  return value.is_int64() ? "integer" : "number";
}

std::string shown(const Json& value) {
  if (value.is_double()) return shown(value.get_double());
  if (value.is_null()) return "\"null\"";  // quoted by kube-apiserver, though it is not text
  std::string text = to_text(value);
  constexpr std::size_t kMost = 200;
  if (text.size() > kMost) {
    std::size_t end = kMost;
    while ((static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;  // not inside a character
    text = text.substr(0, end) + "…";
  }
  return text;
}

std::string shown(double value) {
  char digits[64];
  const auto written = [&](std::chars_format format) {
    const auto [end, problem] = std::to_chars(digits, digits + sizeof digits, value, format);
    return std::string(digits, end);
  };
  if (value == 0) return "0";
  const std::string scientific = written(std::chars_format::scientific);
  const int exponent = std::atoi(scientific.c_str() + scientific.find('e') + 1);
  const bool plain = exponent >= -4 && exponent < 6;
  return plain ? written(std::chars_format::fixed) : scientific;
}

}  // namespace trainyard::field_errors
