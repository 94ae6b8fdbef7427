#pragma once

#include "base/result.h"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace trainyard {

/// Objects are JSON trees; field order is kept as written.
using Json = boost::json::value;
using JsonObject = boost::json::object;
using JsonArray = boost::json::array;
using JsonString = boost::json::string;

/// Reads one JSON document. Numbers are exact; a key that occurs twice in one object and nesting
/// beyond kMaxDepth are errors. Boost's own reader rounds doubles and keeps the last duplicate.
Result<Json> parse_json(std::string_view text);
/// Reads a document as if its bytes from `begin` to `end`, whole members, were not there.
Result<Json> parse_json_without(std::string_view text, std::size_t begin, std::size_t end);
/// Reads documents in which keys occur twice, too: the last one counts, and each is told of in a
/// sentence, as `duplicate field "data.a"`.
Result<Json> parse_json(std::string_view text, std::vector<std::string>& duplicates);
/// Whether parse_json() would read it, without building anything.
Result<> check_json(std::string_view text);
inline constexpr std::size_t kMaxDepth = 200;

/// Writes without white space; doubles in their shortest exact form, as Go does.
std::string to_text(const Json& value);
void append_text(std::string& out, const Json& value);
/// Indented by two blanks, for people.
std::string to_pretty_text(const Json& value);

/// Whether two trees say the same, in whatever order members stand. Boost's == searches for each
/// member; this one finds most of them where it looks first.
bool same_json(const Json& left, const Json& right);

/// Walks "spec.template.metadata": nullptr where a step is missing or not an object.
const Json* find(const Json& root, std::string_view dotted_path);
Json* find(Json& root, std::string_view dotted_path);
/// nullptr: there is none, or it is no list.
JsonArray* find_array(Json& root, std::string_view dotted_path);
/// The value at a path, or the fallback when it is missing or of another type.
std::string_view string_at(const Json& root, std::string_view dotted_path,
                           std::string_view fallback = "");
std::int64_t int_at(const Json& root, std::string_view dotted_path, std::int64_t fallback = 0);
bool bool_at(const Json& root, std::string_view dotted_path, bool fallback = false);
/// The members or elements at a path; an empty container when missing.
const JsonObject& object_at(const Json& root, std::string_view dotted_path);
const JsonArray& array_at(const Json& root, std::string_view dotted_path);
/// The strings of the array there, without what is not a string.
std::vector<std::string> texts_at(const Json& root, std::string_view dotted_path);
/// Makes the objects on the way. What is there and not an object is replaced.
Json& make_path(Json& root, std::string_view dotted_path);

std::string to_string(const JsonString& text);
inline std::string_view view(const JsonString& text) {
  return {text.data(), text.size()};
}

}  // namespace trainyard
