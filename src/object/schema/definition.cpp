#include "object/schema/definition.h"

#include "base/words/text.h"
#include "object/schema/definition_schema.h"
#include "object/values/field_errors.h"
#include "object/values/field_path.h"
#include "object/values/formats.h"
#include "object/values/metadata.h"
#include "object/values/names.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace trainyard {
namespace {

namespace fe = field_errors;
using Errors = std::vector<FieldError>;

void check_dns1035(std::string_view name, const FieldPath& path, Errors& errors) {
  if (const auto problems = dns1035_label_problems(name); !problems.empty()) {
    errors.push_back(fe::invalid(path.text(), Json(name), join(problems, ",")));
  }
}

void check_group(const Json& spec, const FieldPath& path, Errors& errors) {
  const std::string_view group = string_at(spec, "group");
  const std::string field = path.field("group").text();
  if (group.empty()) {
    errors.push_back(fe::required(field));
  } else if (const auto problems = subdomain_problems(group); !problems.empty()) {
    errors.push_back(fe::invalid(field, Json(group), join(problems, ",")));
  } else if (group.find('.') == std::string_view::npos) {
    errors.push_back(fe::invalid(field, Json(group), "should be a domain with at least one dot"));
  }
}

void check_kind_name(std::string_view name, const FieldPath& path, Errors& errors) {
  if (name.empty()) return;
  if (const auto problems = dns1035_label_problems(lower(name)); !problems.empty()) {
    errors.push_back(
        fe::invalid(path.text(), Json(name),
                    "may have mixed case, but should otherwise match: " + join(problems, ",")));
  }
}

void check_names(const Json& spec, const FieldPath& path, Errors& errors) {
  const FieldPath at = path.field("names");
  const std::string_view plural = string_at(spec, "names.plural");
  const std::string_view kind = string_at(spec, "names.kind");
  const std::string_view singular = string_at(spec, "names.singular");
  const std::string_view list_kind = string_at(spec, "names.listKind");
  if (plural.empty()) errors.push_back(fe::required(at.field("plural").text()));
  if (kind.empty()) errors.push_back(fe::required(at.field("kind").text()));
  if (!plural.empty()) check_dns1035(plural, at.field("plural"), errors);
  if (!singular.empty()) check_dns1035(singular, at.field("singular"), errors);
  check_kind_name(kind, at.field("kind"), errors);
  check_kind_name(list_kind, at.field("listKind"), errors);
  if (!kind.empty() && kind == list_kind) {
    errors.push_back(fe::invalid(at.field("listKind").text(), Json(list_kind),
                                 "kind and listKind may not be the same"));
  }
  for (const std::string_view list : {"shortNames", "categories"}) {
    const FieldPath names = at.field(list);
    std::size_t index = 0;
    for (const Json& name : array_at(spec, fmt::format("names.{}", list))) {
      const FieldPath place = names.index(index++);
      if (name.is_string()) {
        check_dns1035(to_string(name.get_string()), place, errors);
      } else {
        errors.push_back(fe::wrong_type(place.text(), "string", fe::type_name(name)));
      }
    }
  }
}

void check_deprecation(const Json& version, const FieldPath& path, Errors& errors) {
  const Json* warning = find(version, "deprecationWarning");
  if (warning == nullptr || !warning->is_string()) return;
  const JsonString& text = warning->get_string();
  const std::string field = path.field("deprecationWarning").text();
  const auto add = [&](std::string_view rule) {
    errors.push_back(fe::invalid(field, *warning, rule));
  };
  if (!bool_at(version, "deprecated")) {
    add("can only be set for deprecated versions");
    return;
  }
  if (text.size() > 256) add("must be <= 256 characters long");
  if (text.empty()) add("must not be an empty string");
  const auto control = std::find_if(text.begin(), text.end(), [](char c) {
    return static_cast<unsigned char>(c) < ' ' || c == 0x7f;
  });
  if (control != text.end()) {
    add(
        fmt::format("must only contain printable UTF-8 characters; non-printable character found "
                    "at index {}",
                    control - text.begin()));
  }
}

bool check_json_path(std::string_view value, const FieldPath& path, Errors& errors) {
  if (value.starts_with('.')) return true;
  errors.push_back(
      fe::invalid(path.text(), Json(value), "must be a simple json path starting with ."));
  return false;
}

void check_scale(const Json& version, const FieldPath& path, Errors& errors) {
  const Json* scale = find(version, "subresources.scale");
  if (scale == nullptr || scale->is_null()) return;
  const FieldPath subresources = path.field("subresources");
  const FieldPath at = subresources.field("scale");
  for (const std::string_view part : {"spec", "status"}) {
    const std::string name = fmt::format("{}ReplicasPath", part);
    const std::string_view value = string_at(*scale, name);
    const FieldPath place = at.field(name);
    if (value.empty()) {
      errors.push_back(fe::required(place.text()));
    } else if (check_json_path(value, place, errors) &&
               !value.starts_with(fmt::format(".{}.", part))) {
      errors.push_back(fe::invalid(place.text(), Json(value),
                                   fmt::format("should be a json path under .{}", part)));
    }
  }
  const std::string_view selector = string_at(*scale, "labelSelectorPath");
  const FieldPath place = at.field("labelSelectorPath");
  if (!selector.empty() && check_json_path(selector, place, errors) &&
      !selector.starts_with(".spec.") && !selector.starts_with(".status.")) {
    errors.push_back(fe::invalid(place.text(), Json(selector),
                                 "should be a json path under either .spec or .status"));
  }
}

void check_choice(std::string_view value, const std::vector<std::string>& choices,
                  const FieldPath& path, Errors& errors) {
  if (value.empty() || std::find(choices.begin(), choices.end(), value) != choices.end()) return;
  errors.push_back(fe::invalid(path.text(), Json(value), "must be one of " + join(choices, ",")));
}

void check_columns(const Json& version, const FieldPath& path, Errors& errors) {
  static const std::vector<std::string> kTypes{"boolean", "date", "integer", "number", "string"};
  static const std::vector<std::string> kFormats{"byte",  "date",  "date-time", "double",
                                                 "float", "int32", "int64",     "password"};
  const FieldPath list = path.field("additionalPrinterColumns");
  std::size_t index = 0;
  for (const Json& column : array_at(version, "additionalPrinterColumns")) {
    const FieldPath at = list.index(index++);
    if (string_at(column, "name").empty()) errors.push_back(fe::required(at.field("name").text()));
    if (string_at(column, "type").empty()) {
      errors.push_back(
          fe::required(at.field("type").text(), "must be one of " + join(kTypes, ",")));
    }
    check_choice(string_at(column, "type"), kTypes, at.field("type"), errors);
    check_choice(string_at(column, "format"), kFormats, at.field("format"), errors);
    const FieldPath json_path = at.field("JSONPath");  // kube-apiserver's own spelling
    if (string_at(column, "jsonPath").empty()) {
      errors.push_back(fe::required(json_path.text()));
    } else {
      check_json_path(string_at(column, "jsonPath"), json_path, errors);
    }
  }
}

/// The schema of the field that a path such as .spec.color names, or what is wrong with the path.
Result<const Json*> find_selectable(const Json& schema, std::string_view path) {
  const auto wrong = [](std::string message) { return Error(Code::kInvalid, std::move(message)); };
  const Json* here = &schema;
  while (!path.empty()) {
    if (path.front() == '[') return wrong("array notation is not allowed");
    const std::size_t end = std::min(path.find_first_of(".[]", 1), path.size());
    const std::string_view name = path.substr(1, end - 1);
    if (path.front() != '.') {
      return wrong(fmt::format("expected [ or . but got: {}", path.substr(0, end)));
    }
    if (name.empty() && end == path.size()) return wrong("unexpected end of JSON path");
    here = object_at(*here, "properties").if_contains(name);
    if (here == nullptr || !here->is_object()) return wrong("does not refer to a valid field");
    path.remove_prefix(end);
  }
  return here;
}

void check_selectable_fields(const Json& version, const FieldPath& path, Errors& errors) {
  constexpr std::size_t kMostFields = 8;
  const FieldPath list = path.field("selectableFields");
  const Json* schema = find(version, "schema.openAPIV3Schema");
  if (array_at(version, "selectableFields").empty()) return;
  if (schema == nullptr) {
    errors.push_back(
        fe::invalid(list.text(), Json(""),
                    "selectableFields may only be set when validations.schema is included"));
    return;
  }
  std::set<std::string> seen;
  std::size_t index = 0;
  for (const Json& field : array_at(version, "selectableFields")) {
    const FieldPath element = list.index(index++);
    const std::string at = element.field("jsonPath").text();
    const std::string given(string_at(field, "jsonPath"));
    if (given.empty()) {
      errors.push_back(fe::required(at));
      continue;
    }
    const auto found = find_selectable(*schema, given);
    if (!found) {
      errors.push_back(
          fe::invalid(at, Json(given), "is an invalid path: " + found.error().message()));
      continue;
    }
    if (given.starts_with(".metadata")) {
      errors.push_back(fe::invalid(at, Json(given), "must not point to fields in metadata"));
    }
    const std::string_view type = string_at(**found, "type");
    if (type != "string" && type != "boolean" && type != "integer") {
      errors.push_back(fe::invalid(at, Json(given),
                                   "must point to a field of type string, boolean or integer. "
                                   "Enum string fields and strings with formats are allowed."));
    }
    if (!seen.insert(given).second) errors.push_back(fe::duplicate(at, Json(given)));
  }
  if (seen.size() > kMostFields) {
    errors.push_back(
        fe::too_many(list.text(), static_cast<std::int64_t>(seen.size()), kMostFields));
  }
}

void check_version(const Json& version, const FieldPath& path, Errors& errors) {
  if (!version.is_object()) {
    errors.push_back(fe::wrong_type(path.text(), "object", fe::type_name(version)));
    return;
  }
  check_dns1035(string_at(version, "name"), path.field("name"), errors);
  check_deprecation(version, path, errors);
  const FieldPath schema = path.field("schema");
  const FieldPath open_api = schema.field("openAPIV3Schema");
  const Json* given = find(version, "schema.openAPIV3Schema");
  if (given == nullptr || given->is_null()) {
    errors.push_back(fe::required(open_api.text(), "schemas are required"));
  } else {
    const Json* status = find(version, "subresources.status");
    const bool has_status = status != nullptr && !status->is_null();
    definition_schema::check(*given, open_api, has_status, errors);
  }
  check_scale(version, path, errors);
  check_columns(version, path, errors);
  check_selectable_fields(version, path, errors);
}

void check_versions(const Json& spec, const FieldPath& path, Errors& errors) {
  const FieldPath list = path.field("versions");
  const JsonArray& versions = array_at(spec, "versions");
  std::set<std::string_view> names;
  std::size_t stored = 0;
  std::size_t index = 0;
  for (const Json& version : versions) {
    check_version(version, list.index(index++), errors);
    names.insert(string_at(version, "name"));
    if (bool_at(version, "storage")) ++stored;
  }
  if (names.size() != versions.size()) {
    errors.push_back(fe::invalid(list.text(), Json(versions), "must contain unique version names"));
  }
  if (stored != 1) {
    errors.push_back(fe::invalid(list.text(), Json(versions),
                                 "must have exactly one version marked as storage version"));
  }
}

void check_conversion(const Json& spec, const FieldPath& path, Errors& errors) {
  const Json* conversion = find(spec, "conversion");
  if (conversion == nullptr || conversion->is_null()) return;
  const FieldPath at = path.field("conversion");
  const std::string_view strategy = string_at(*conversion, "strategy");
  const std::string field = at.field("strategy").text();
  if (strategy.empty()) {
    errors.push_back(fe::required(field));
  } else if (strategy == "Webhook") {
    errors.push_back(fe::invalid(field, Json(strategy),
                                 "this server does not call conversion webhooks: use None, which "
                                 "only changes apiVersion, or one version"));
  } else if (strategy != "None") {
    errors.push_back(fe::not_supported(field, Json(strategy), {"None"}));
  } else if (const Json* webhook = find(*conversion, "webhook");
             webhook != nullptr && webhook->is_object()) {
    errors.push_back(fe::forbidden(at.field("webhookClientConfig").text(),
                                   "should not be set when strategy is not set to Webhook"));
  }
}

/// Groups of the Kubernetes project need a word that they were agreed upon there.
void check_approval(const Json& definition, Errors& errors) {
  constexpr std::string_view kAnnotation = "api-approved.kubernetes.io";
  constexpr std::string_view kWhere = "see https://github.com/kubernetes/enhancements/pull/1111";
  const std::string domain = "." + std::string(string_at(definition, "spec.group"));
  if (!domain.ends_with(".k8s.io") && !domain.ends_with(".kubernetes.io")) return;
  const std::string_view approval = annotation_of(definition, kAnnotation);
  const std::string field = fmt::format("metadata.annotations[{}]", kAnnotation);
  if (approval.empty()) {
    errors.push_back(
        fe::required(field, fmt::format("protected groups must have approval annotation \"{}\", {}",
                                        kAnnotation, kWhere)));
  } else if (!approval.starts_with("unapproved") &&
             (!formats::is_uri(approval) || approval.find("://") == std::string_view::npos)) {
    errors.push_back(fe::invalid(
        field, Json(approval),
        fmt::format("protected groups must have approval annotation \"{}\" with either a URL or a "
                    "reason starting with \"unapproved\", {}",
                    kAnnotation, kWhere)));
  }
}

}  // namespace

std::vector<FieldError> check_definition(const Json& definition) {
  Errors errors;
  const FieldPath root;
  const FieldPath path = root.field("spec");
  const Json* spec = find(definition, "spec");
  if (spec == nullptr || !spec->is_object()) return {fe::required(path.text())};
  const std::string_view name = name_of(definition);
  const std::string expected =
      fmt::format("{}.{}", string_at(*spec, "names.plural"), string_at(*spec, "group"));
  if (!name.empty() && name != expected) {
    errors.push_back(
        fe::invalid("metadata.name", Json(name), "must be spec.names.plural+\".\"+spec.group"));
  }
  check_group(*spec, path, errors);
  const std::string_view scope = string_at(*spec, "scope");
  if (scope.empty()) {
    errors.push_back(fe::required(path.field("scope").text()));
  } else if (scope != "Cluster" && scope != "Namespaced") {
    errors.push_back(
        fe::not_supported(path.field("scope").text(), Json(scope), {"Cluster", "Namespaced"}));
  }
  check_versions(*spec, path, errors);
  check_names(*spec, path, errors);
  check_conversion(*spec, path, errors);
  if (bool_at(*spec, "preserveUnknownFields")) {
    errors.push_back(fe::invalid(path.field("preserveUnknownFields").text(), Json(true),
                                 "cannot set to true, set x-kubernetes-preserve-unknown-fields to "
                                 "true in spec.versions[*].schema instead"));
  }
  check_approval(definition, errors);
  return errors;
}

void apply_definition_defaults(Json& definition) {
  Json* spec = find(definition, "spec");
  if (spec == nullptr || !spec->is_object()) return;
  const std::string kind(string_at(*spec, "names.kind"));
  if (!kind.empty() && string_at(*spec, "names.singular").empty()) {
    make_path(*spec, "names.singular") = lower(kind);
  }
  if (!kind.empty() && string_at(*spec, "names.listKind").empty()) {
    make_path(*spec, "names.listKind") = kind + "List";
  }
  if (Json& conversion = spec->get_object()["conversion"]; conversion.is_null()) {
    conversion = JsonObject{{"strategy", "None"}};
  }
}

}  // namespace trainyard
