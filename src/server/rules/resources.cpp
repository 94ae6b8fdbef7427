#include "server/rules/resources.h"

#include "object/values/names.h"
#include "object/values/quantity.h"

#include <algorithm>

namespace trainyard::server {
namespace {

bool is_container_resource(std::string_view name) {
  return name == "cpu" || name == "memory" || name == "ephemeral-storage" ||
         name.starts_with("hugepages-");
}

/// What cannot be shared out in parts: GPUs and other devices, huge pages.
bool is_whole(std::string_view name) {
  return name.starts_with("hugepages-") || !is_native_resource(name);
}

void check_name(std::string_view name, const std::string& path, Errors& errors) {
  const std::vector<std::string> problems = qualified_name_problems(name);
  add_problems(problems, path, name, errors);
  if (!problems.empty() || name.find('/') != std::string_view::npos) return;
  if (is_container_resource(name)) return;
  errors.push_back(field_errors::invalid(path, Json(name),
                                         "must be a standard resource type or fully qualified"));
  errors.push_back(
      field_errors::invalid(path, Json(name), "must be a standard resource for containers"));
}

void check_list(const JsonObject& amounts, const std::string& path, Errors& errors) {
  for (const auto& amount : amounts) {
    const std::string here = entry(path, key_of_member(amount));
    check_name(key_of_member(amount), here, errors);
    const auto value = Quantity::parse(amount.value());
    const bool device = !is_native_resource(key_of_member(amount));
    if (value && device && *value != Quantity::of(value->as_integer())) {
      errors.push_back(field_errors::invalid(here, amount.value(), "must be an integer"));
    }
  }
  check_amounts(amounts, path, errors);
}

void check_request(std::string_view name, const Json& request, const Json* limit,
                   const std::string& path, Errors& errors) {
  if (limit == nullptr) {
    if (!is_whole(name)) return;
    errors.push_back(field_errors::required(path + ".limits",
                                            "Limit must be set for non overcommitable resources"));
    return;
  }
  const auto wanted = Quantity::parse(request);
  const auto most = Quantity::parse(*limit);
  if (!wanted || !most) return;
  const std::string limit_text = canonical_quantity(*limit).value_or("");
  const Json shown(canonical_quantity(request).value_or(""));
  if (is_whole(name) && *wanted != *most) {
    errors.push_back(
        field_errors::invalid(path + ".requests", shown,
                              fmt::format("must be equal to {} limit of {}", name, limit_text)));
  } else if (*wanted > *most) {
    errors.push_back(field_errors::invalid(
        path + ".requests", shown,
        fmt::format("must be less than or equal to {} limit of {}", name, limit_text)));
  }
}

}  // namespace

bool is_native_resource(std::string_view name) {
  return name.find('/') == std::string_view::npos ||
         name.find("kubernetes.io/") != std::string_view::npos;
}

void check_amounts(const JsonObject& amounts, const std::string& path, Errors& errors) {
  for (const auto& amount : amounts) {
    const auto value = Quantity::parse(amount.value());
    if (!value || *value >= Quantity()) continue;
    errors.push_back(field_errors::invalid(entry(path, key_of_member(amount)),
                                           Json(canonical_quantity(amount.value()).value_or("")),
                                           kNotNegative));
  }
}

void check_resources(const Json& resources, const std::string& path, Errors& errors) {
  const JsonObject& limits = object_at(resources, "limits");
  const JsonObject& requests = object_at(resources, "requests");
  check_list(limits, path + ".limits", errors);
  check_list(requests, path + ".requests", errors);
  for (const auto& request : requests) {
    check_request(key_of_member(request), request.value(), limits.if_contains(request.key()), path,
                  errors);
  }
}

}  // namespace trainyard::server
