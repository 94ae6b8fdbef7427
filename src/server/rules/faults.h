#pragma once

#include "object/values/field_errors.h"

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <vector>

/// What all rules are written with. Only for the files of this folder.
namespace trainyard::server {

using Errors = std::vector<FieldError>;

/// spec.ports[1]
inline std::string at(const std::string& path, std::size_t index) {
  return fmt::format("{}[{}]", path, index);
}

/// data[key]
inline std::string entry(const std::string& path, std::string_view key) {
  return fmt::format("{}[{}]", path, key);
}

inline std::string_view view(const JsonString& text) {
  return {text.data(), text.size()};
}

template <class Member>
std::string_view key_of_member(const Member& member) {
  return {member.key().data(), member.key().size()};
}

/// Every problem is a fault of the same value.
inline void add_problems(const std::vector<std::string>& problems, const std::string& path,
                         std::string_view value, Errors& errors) {
  for (const std::string& problem : problems) {
    errors.push_back(field_errors::invalid(path, Json(value), problem));
  }
}

inline FieldError not_found(std::string path, std::string_view value) {
  return {std::move(path), fmt::format("Not found: \"{}\"", value), "FieldValueNotFound"};
}

inline constexpr const char* kNotNegative = "must be greater than or equal to 0";
inline constexpr const char* kImmutable = "field is immutable";

/// Whether a field is the same in both, absence included.
bool same_field(const Json& before, const Json& after, std::string_view path);
/// A field that may not change; told as kube-apiserver does, with the new value.
void check_field_unchanged(const Json& before, const Json& after, std::string_view path,
                           Errors& errors);
/// Labels, wherever they are: keys and values.
void check_labels(const JsonObject& labels, const std::string& path, Errors& errors);
/// A {matchLabels, matchExpressions}.
void check_label_selector(const Json& selector, const std::string& path, Errors& errors);
bool selects_nothing_in_particular(const Json& selector);
/// 1 to 65535.
void check_port(const Json& port, const std::string& path, Errors& errors);
/// A port's number, or its name.
void check_port_or_name(const Json& port, const std::string& path, Errors& errors);
/// Names of ports: at most 15 letters, digits and hyphens.
std::vector<std::string> port_name_problems(std::string_view name);
/// Keys of ConfigMaps and Secrets.
std::vector<std::string> config_key_problems(std::string_view key);

}  // namespace trainyard::server
