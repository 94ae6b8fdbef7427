#include "server/findings.h"

#include <fmt/format.h>

namespace trainyard::server {

void Findings::add(std::string path, std::string message, const char* reason) {
  errors_.push_back({std::move(path), std::move(message), reason});
}

void Findings::required(std::string path, std::string_view why) {
  add(std::move(path), fmt::format("Required value: {}", why), "FieldValueRequired");
}

void Findings::invalid(std::string path, const Json& value, std::string_view rule) {
  add(std::move(path), fmt::format("Invalid value: {}: {}", to_text(value), rule),
      "FieldValueInvalid");
}

void Findings::unsupported(std::string path, const Json& value,
                           const std::vector<std::string_view>& allowed) {
  std::string list;
  for (const std::string_view one : allowed) {
    list += fmt::format("{}\"{}\"", list.empty() ? "" : ", ", one);
  }
  add(std::move(path),
      fmt::format("Unsupported value: {}: supported values: {}", to_text(value), list),
      "FieldValueNotSupported");
}

void Findings::forbidden(std::string path, std::string_view why) {
  add(std::move(path), fmt::format("Forbidden: {}", why), "FieldValueForbidden");
}

void Findings::not_found(std::string path, const Json& value, std::string_view why) {
  add(std::move(path), fmt::format("Not found: {}: {}", to_text(value), why), "FieldValueNotFound");
}

void Findings::duplicate(std::string path, const Json& value) {
  add(std::move(path), fmt::format("Duplicate value: {}", to_text(value)), "FieldValueDuplicate");
}

void Findings::too_many(std::string path, std::int64_t count, std::string_view rule) {
  add(std::move(path), fmt::format("Too many: {}: {}", count, rule), "FieldValueTooMany");
}

std::string member_path(const std::string& path, std::string_view name) {
  return name.find('.') == std::string_view::npos ? fmt::format("{}.{}", path, name)
                                                  : fmt::format("{}[{}]", path, name);
}

}  // namespace trainyard::server
