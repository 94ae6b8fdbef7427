#include "server/rules/faults.h"

#include "object/values/names.h"

#include <algorithm>

namespace trainyard::server {
namespace {

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

}  // namespace

bool same_field(const Json& before, const Json& after, std::string_view path) {
  const Json* old_value = find(before, path);
  const Json* new_value = find(after, path);
  if (old_value == nullptr || new_value == nullptr) return old_value == new_value;
  return *old_value == *new_value;
}

void check_field_unchanged(const Json& before, const Json& after, std::string_view path,
                           Errors& errors) {
  if (same_field(before, after, path)) return;
  const Json* value = find(after, path);
  errors.push_back(
      field_errors::invalid(std::string(path), value == nullptr ? Json() : *value, kImmutable));
}

void check_labels(const JsonObject& labels, const std::string& path, Errors& errors) {
  for (const auto& label : labels) {
    add_problems(qualified_name_problems(key_of_member(label)), path, key_of_member(label), errors);
    if (!label.value().is_string()) continue;
    const std::string_view value = view(label.value().get_string());
    add_problems(label_value_problems(value), path, value, errors);
  }
}

void check_label_selector(const Json& selector, const std::string& path, Errors& errors) {
  check_labels(object_at(selector, "matchLabels"), path + ".matchLabels", errors);
  std::size_t index = 0;
  for (const Json& expression : array_at(selector, "matchExpressions")) {
    const std::string here = at(path + ".matchExpressions", index++);
    const std::string_view op = string_at(expression, "operator");
    const JsonArray& values = array_at(expression, "values");
    if (op == "In" || op == "NotIn") {
      if (values.empty()) {
        errors.push_back(field_errors::required(
            here + ".values", "must be specified when `operator` is 'In' or 'NotIn'"));
      }
    } else if (op == "Exists" || op == "DoesNotExist") {
      if (!values.empty()) {
        errors.push_back(field_errors::forbidden(
            here + ".values",
            "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"));
      }
    } else {
      errors.push_back(
          field_errors::invalid(here + ".operator", Json(op), "not a valid selector operator"));
    }
    const std::string_view key = string_at(expression, "key");
    add_problems(qualified_name_problems(key), here + ".key", key, errors);
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (!values[i].is_string()) continue;
      const std::string_view value = view(values[i].get_string());
      add_problems(label_value_problems(value), at(here + ".values", i), value, errors);
    }
  }
}

bool selects_nothing_in_particular(const Json& selector) {
  return object_at(selector, "matchLabels").empty() &&
         array_at(selector, "matchExpressions").empty();
}

void check_port(const Json& port, const std::string& path, Errors& errors) {
  if (!port.is_int64() || (port.get_int64() >= 1 && port.get_int64() <= 65535)) return;
  errors.push_back(field_errors::invalid(path, port, "must be between 1 and 65535, inclusive"));
}

void check_port_or_name(const Json& port, const std::string& path, Errors& errors) {
  if (port.is_string()) {
    const std::string_view name = view(port.get_string());
    add_problems(port_name_problems(name), path, name, errors);
  } else {
    check_port(port, path, errors);
  }
}

std::vector<std::string> port_name_problems(std::string_view name) {
  std::vector<std::string> problems;
  if (name.size() > 15) problems.emplace_back("must be no more than 15 characters");
  const bool charset = !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
    return c == '-' || is_digit(c) || (c >= 'a' && c <= 'z');
  });
  if (!charset) {
    problems.emplace_back("must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)");
  }
  if (std::none_of(name.begin(), name.end(), is_letter)) {
    problems.emplace_back("must contain at least one letter (a-z)");
  }
  if (name.find("--") != std::string_view::npos) {
    problems.emplace_back("must not contain consecutive hyphens");
  }
  if (name.starts_with('-') || name.ends_with('-')) {
    problems.emplace_back("must not begin or end with a hyphen");
  }
  return problems;
}

std::vector<std::string> config_key_problems(std::string_view key) {
  std::vector<std::string> problems;
  if (key.size() > 253) problems.emplace_back("must be no more than 253 characters");
  const bool charset = !key.empty() && std::all_of(key.begin(), key.end(), [](char c) {
    return is_letter(c) || is_digit(c) || c == '-' || c == '_' || c == '.';
  });
  if (!charset) {
    problems.emplace_back(
        "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. "
        "'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is "
        "'[-._a-zA-Z0-9]+')");
  }
  if (key == ".") {
    problems.emplace_back("must not be '.'");
  } else if (key == "..") {
    problems.emplace_back("must not be '..'");
  } else if (key.starts_with("..")) {
    problems.emplace_back("must not start with '..'");
  }
  return problems;
}

}  // namespace trainyard::server
