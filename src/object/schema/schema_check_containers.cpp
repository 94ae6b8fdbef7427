// Whether lists and objects obey a schema; see schema_check.cpp.
#include "object/schema/schema_rules.h"
#include "object/values/field_errors.h"
#include "object/values/metadata_rules.h"
#include "object/values/names.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

namespace trainyard {
namespace {

/// JSON with sorted keys, so that equal values have equal texts.
void append_canonical(std::string& out, const Json& value) {
  if (value.is_array()) {
    for (const Json& element : value.get_array()) append_canonical(out += ',', element);
    out += ']';
  } else if (value.is_object()) {
    std::vector<const JsonObject::value_type*> members;
    for (const auto& member : value.get_object()) members.push_back(&member);
    std::sort(members.begin(), members.end(),
              [](const auto* a, const auto* b) { return a->key() < b->key(); });
    for (const auto* member : members) {
      append_text(out, Json(member->key()));
      append_canonical(out += ':', member->value());
    }
    out += '}';
  } else {
    append_text(out, value);
  }
}

/// Short lists are compared pairwise, which allocates nothing; enough for all but hostile ones.
constexpr std::size_t kShortList = 32;

const Json* member_of(const Json& element, const std::string& name) {
  return element.is_object() ? element.get_object().if_contains(name) : nullptr;
}

bool same_parts(const Json& a, const Json& b, const std::vector<std::string>& keys) {
  if (keys.empty()) return a == b;
  return std::all_of(keys.begin(), keys.end(), [&](const std::string& key) {
    const Json* left = member_of(a, key);
    const Json* right = member_of(b, key);
    return left == nullptr || right == nullptr ? left == right : *left == *right;
  });
}

/// Texts that are equal when the elements are the same.
std::string identity_text(const Json& element, const std::vector<std::string>& keys) {
  std::string text;
  if (keys.empty()) append_canonical(text, element);
  for (const std::string& key : keys) {
    const Json* part = member_of(element, key);
    text += part == nullptr ? '-' : '+';
    if (part != nullptr) append_canonical(text, *part);
  }
  return text;
}

/// The positions at which an element occurs for the second time. Elements are compared by what they
/// have under the keys; without keys, as a whole.
std::vector<std::size_t> repeated(const JsonArray& array, const std::vector<std::string>& keys) {
  if (array.size() <= kShortList) {
    bool any = false;
    for (std::size_t i = 1; i < array.size() && !any; ++i) {
      for (std::size_t j = 0; j < i && !any; ++j) any = same_parts(array[i], array[j], keys);
    }
    if (!any) return {};
  }
  std::vector<std::size_t> positions;
  std::unordered_map<std::string, int> seen;
  for (std::size_t i = 0; i < array.size(); ++i) {
    if (++seen[identity_text(array[i], keys)] == 2) positions.push_back(i);
  }
  return positions;
}

bool is_group_version(std::string_view text) {
  return std::count(text.begin(), text.end(), '/') <= 1;
}

void check_embedded_kind(const Json& value, const FieldPath& path,
                         std::vector<FieldError>& errors) {
  const Json* kind = find(value, "kind");
  if (kind == nullptr) {
    errors.push_back(field_errors::required(path.field("kind").text(), "must not be empty"));
    return;
  }
  if (!kind->is_string()) return;  // the schema's own business, or the check of types below
  std::string lower = to_string(kind->get_string());
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  const auto problems = dns1035_label_problems(lower);
  if (lower.empty()) {
    errors.push_back(field_errors::invalid(path.field("kind").text(), *kind, "must not be empty"));
  } else if (!problems.empty()) {
    errors.push_back(field_errors::invalid(
        path.field("kind").text(), *kind,
        "may have mixed case, but should otherwise match: " + join(problems, ",")));
  }
}

void check_embedded_version(const Json& value, const FieldPath& path,
                            std::vector<FieldError>& errors) {
  const Json* version = find(value, "apiVersion");
  const std::string field = path.field("apiVersion").text();
  if (version == nullptr) {
    errors.push_back(field_errors::required(field, "must not be empty"));
  } else if (version->is_string() && version->get_string().empty()) {
    errors.push_back(field_errors::invalid(field, *version, "must not be empty"));
  } else if (version->is_string() && !is_group_version(view(version->get_string()))) {
    errors.push_back(field_errors::invalid(
        field, *version,
        fmt::format("unexpected GroupVersion string: {}", view(version->get_string()))));
  }
}

void check_embedded_name(const Json& metadata, const FieldPath& path,
                         std::vector<FieldError>& errors) {
  for (const bool is_prefix : {true, false}) {
    const std::string_view name = is_prefix ? "generateName" : "name";
    const std::string_view given = string_at(metadata, name);
    if (given.empty()) continue;
    for (const std::string& problem : path_segment_problems(given, is_prefix)) {
      errors.push_back(field_errors::invalid(path.field(name).text(), Json(given), problem));
    }
  }
  const std::string_view ns = string_at(metadata, "namespace");
  if (ns.empty()) return;
  for (const std::string& problem : label_problems(ns)) {
    errors.push_back(field_errors::invalid(path.field("namespace").text(), Json(ns), problem));
  }
}

}  // namespace

bool Schema::check_array(const Json& value, const FieldPath& path, Report* report) const {
  const JsonArray& array = value.get_array();
  bool good = true;
  if (report != nullptr) report->passed += 2;
  for (std::size_t i = 0; items_ && i < array.size(); ++i) {
    good = items_->check(array[i], path.index(i), report) && good;
    if (!good && report == nullptr) return false;
  }
  const auto count = static_cast<std::int64_t>(array.size());
  if (rules_ != nullptr) {
    const bool too_few = rules_->min_items && count < *rules_->min_items;
    const bool too_many = rules_->max_items && count > *rules_->max_items;
    const bool repeats = rules_->unique_items && !repeated(array, {}).empty();
    good = good && !too_few && !too_many && !repeats;
    if (!good && report == nullptr) return false;
    const std::string field = too_few || too_many || repeats ? path.dotted_text() : "";
    if (too_few) {
      report->add(field_errors::invalid(
          field, Json(count),
          fmt::format("{} in body should have at least {} items", field, *rules_->min_items)));
    }
    if (too_many) report->add(field_errors::too_many(field, count, *rules_->max_items));
    if (repeats) {
      report->add(field_errors::invalid(
          field, Json(""), fmt::format("{} in body shouldn't contain duplicates", field)));
    }
  }
  return (!elements_differ_ || check_distinct(array, path, report)) && good;
}

/// x-kubernetes-list-type: set and map.
bool Schema::check_distinct(const JsonArray& array, const FieldPath& path, Report* report) const {
  const bool map = list_type_ == ListType::kMap;
  for (std::size_t i = 0; map && i < array.size(); ++i) {
    if (array[i].is_object() || array[i].is_null()) continue;
    if (report != nullptr) {
      report->add(field_errors::invalid(path.index(i).text(), array[i],
                                        "must be an object for an array of list-type map"));
    }
    return false;
  }
  static const std::vector<std::string> kWhole;
  const std::vector<std::string>& keys = map ? map_keys_ : kWhole;
  const std::vector<std::size_t> positions = repeated(array, keys);
  if (report == nullptr) return positions.empty();
  for (const std::size_t i : positions) {
    JsonObject identity;
    for (const std::string& key : keys) {
      if (const Json* part = member_of(array[i], key)) identity[key] = *part;
    }
    report->add(field_errors::duplicate(path.index(i).text(), map ? Json(identity) : array[i]));
  }
  return positions.empty();
}

bool Schema::check_object(const Json& value, const FieldPath& path, Report* report) const {
  const JsonObject& object = value.get_object();
  bool good = check_members(object, path, report);
  if (!good && report == nullptr) return false;
  if (report != nullptr) ++report->passed;
  const auto count = static_cast<std::int64_t>(object.size());
  if (rules_ != nullptr) {
    const bool too_few = rules_->min_properties && count < *rules_->min_properties;
    const bool too_many = rules_->max_properties && count > *rules_->max_properties;
    good = good && !too_few && !too_many;
    if (report != nullptr && too_few) {
      const std::string field = path.dotted_text();
      report->add(field_errors::invalid(field, Json(count),
                                        fmt::format("{} in body should have at least {} properties",
                                                    field, *rules_->min_properties)));
    }
    if (report != nullptr && too_many) {
      report->add(field_errors::too_many(path.dotted_text(), count, *rules_->max_properties));
    }
  }
  for (const std::string& name : required_) {
    if (object.contains(name)) continue;
    good = false;
    if (report == nullptr) return false;
    report->add(field_errors::required(path.field(name).dotted_text()));
  }
  return (!embedded_resource_ || check_embedded(value, path, report)) && good;
}

bool Schema::check_members(const JsonObject& object, const FieldPath& path, Report* report) const {
  bool good = true;
  for (const auto& member : object) {
    const std::string_view name(member.key().data(), member.key().size());
    if (const Schema* own = own_property(name)) {
      good = own->check(member.value(), path.field(name), report) && good;
    } else if (additional_) {
      good = additional_->check(member.value(), path.key(name), report) && good;
    } else if (forbids_additional_) {
      good = false;
      if (report != nullptr) {
        report->add(field_errors::invalid(
            path.dotted_text(), Json(name),
            fmt::format("{}.{} in body is a forbidden property", path.dotted_text(), name)));
      }
    }
    if (!good && report == nullptr) return false;
  }
  return good;
}

/// An object inside another: it says what it is, and its metadata follows the rules of metadata.
bool Schema::check_embedded(const Json& value, const FieldPath& path, Report* report) const {
  std::vector<FieldError> errors;
  check_embedded_version(value, path, errors);
  check_embedded_kind(value, path, errors);
  for (const std::string_view name : {"apiVersion", "kind"}) {
    const Json* member = find(value, name);
    if (member != nullptr && !member->is_string()) {
      errors.push_back(field_errors::invalid(path.field(name).text(), *member, "must be a string"));
    }
  }
  if (const Json* metadata = find(value, "metadata")) {
    const FieldPath at = path.field("metadata");
    check_metadata(*metadata, at, errors);
    check_embedded_name(*metadata, at, errors);
  }
  const bool good = errors.empty();
  if (report != nullptr) {
    for (FieldError& error : errors) report->add(std::move(error));
  }
  return good;
}

}  // namespace trainyard
