#include "server/admission/definitions.h"

#include "base/words/text.h"
#include "object/schema/definition.h"
#include "server/status.h"

#include <fmt/format.h>

#include <algorithm>

namespace trainyard::server {
namespace {

Kind definition_kind() {
  Kind kind;
  kind.resource = kDefinitions;
  kind.kind = "CustomResourceDefinition";
  return kind;
}

void fill_names(Json& definition) {
  const std::string kind(string_at(definition, "spec.names.kind"));
  Json& names = make_path(definition, "spec.names");
  if (string_at(names, "singular").empty()) names.get_object()["singular"] = lower(kind);
  if (string_at(names, "listKind").empty()) names.get_object()["listKind"] = kind + "List";
  Json& strategy = make_path(definition, "spec.conversion.strategy");
  if (strategy.is_null()) strategy = "None";
}

Json condition(const char* type, const char* reason, const char* message, const std::string& now) {
  return {{"type", type},
          {"status", "True"},
          {"lastTransitionTime", now},
          {"reason", reason},
          {"message", message}};
}

void write_status(const Json* before, Json& definition, const std::string& now) {
  const Json* names = find(definition, "spec.names");
  JsonArray versions = before == nullptr ? JsonArray() : array_at(*before, "status.storedVersions");
  for (const Json& version : array_at(definition, "spec.versions")) {
    const Json name(string_at(version, "name"));
    const bool known = std::find(versions.begin(), versions.end(), name) != versions.end();
    if (bool_at(version, "storage") && !known) versions.push_back(name);
  }
  Json status{{"acceptedNames", *names}};
  status.get_object()["storedVersions"] = std::move(versions);
  const JsonArray& established =
      before == nullptr ? JsonArray() : array_at(*before, "status.conditions");
  status.get_object()["conditions"] =
      !established.empty()
          ? Json(established)
          : Json(JsonArray{condition("NamesAccepted", "NoConflicts", "no conflicts found", now),
                           condition("Established", "InitialNamesAccepted",
                                     "the initial names have been accepted", now)});
  make_path(definition, "status") = std::move(status);
}

/// Two kinds of a group may not share a name: clients could not tell them apart.
void check_name_conflicts(const KindTable& kinds, const Json& definition,
                          std::vector<FieldError>& errors) {
  const std::string_view group = string_at(definition, "spec.group");
  const std::string_view plural = string_at(definition, "spec.names.plural");
  const std::string_view name = string_at(definition, "spec.names.kind");
  for (const KindPtr& kind : kinds.all()) {
    if (kind->resource.group != group || kind->resource.plural == plural) continue;
    if (kind->kind != name) continue;
    errors.push_back({"spec.names.kind",
                      fmt::format("Duplicate value: \"{}\": already in use by {}.{}", name,
                                  kind->resource.plural, group),
                      "FieldValueDuplicate"});
    return;
  }
}

void check_unchanged(const Json& before, const Json& after, std::vector<FieldError>& errors) {
  for (const char* field : {"spec.group", "spec.scope", "spec.names.kind", "spec.names.plural"}) {
    if (string_at(before, field) == string_at(after, field)) continue;
    errors.push_back(
        {field, fmt::format("Invalid value: \"{}\": field is immutable", string_at(after, field)),
         "FieldValueInvalid"});
  }
  for (const Json& stored : array_at(before, "status.storedVersions")) {
    const JsonArray& versions = array_at(after, "spec.versions");
    const bool kept = std::any_of(versions.begin(), versions.end(), [&](const Json& version) {
      return Json(string_at(version, "name")) == stored;
    });
    if (!kept) {
      errors.push_back({"status.storedVersions",
                        fmt::format("Invalid value: {}: must appear in spec.versions: objects may "
                                    "still be kept in it",
                                    to_text(stored)),
                        "FieldValueInvalid"});
    }
  }
}

/// Rules that nobody evaluates are said aloud.
void warn_of_rules(const std::vector<Kind>& kinds, const AdmissionContext& context) {
  if (context.warnings == nullptr) return;
  for (const Kind& kind : kinds) {
    if (!kind.schema->has_unevaluated_rules()) continue;
    context.warnings->push_back(
        fmt::format("spec.versions[{}]: x-kubernetes-validations (CEL) are not evaluated by this "
                    "server: objects that break these rules will be accepted",
                    kind.resource.version));
  }
}

}  // namespace

Result<> admit_definition(const KindTable& kinds, const Json* before, Json& definition,
                          const AdmissionContext& context) {
  const Kind kind = definition_kind();
  const std::string name(name_of(definition));
  if (kinds.is_built_in(name)) {
    return forbidden_object(kind, name,
                            "this kind is part of Trainyard, which serves its own definition");
  }
  fill_names(definition);
  std::vector<FieldError> errors = check_definition(definition);
  check_name_conflicts(kinds, definition, errors);
  if (before != nullptr) check_unchanged(*before, definition, errors);
  if (!errors.empty()) return invalid_object(kind, name, std::move(errors));
  auto compiled = read_kinds(std::make_shared<const Json>(definition), {});
  if (!compiled) {
    return invalid_object(
        kind, name,
        {{"spec.versions", "Invalid value: " + compiled.error().message(), "FieldValueInvalid"}});
  }
  warn_of_rules(*compiled, context);
  if (before == nullptr)
    make_path(definition, "metadata.finalizers") = JsonArray{kDefinitionCleanUp};
  write_status(before, definition, format_time(context.now));
  return Ok();
}

void note_termination(Json& definition, WallTime now) {
  JsonArray conditions;
  for (const Json& one : array_at(definition, "status.conditions")) {
    if (string_at(one, "type") != "Terminating") conditions.push_back(one);
  }
  conditions.push_back(condition("Terminating", "InstanceDeletionInProgress",
                                 "objects of this kind are being deleted, and it goes after them",
                                 format_time(now)));
  make_path(definition, "status.conditions") = std::move(conditions);
}

ObjectPtr built_in_definition(Json definition) {
  constexpr std::int64_t kBeforeAll = 1;
  // An answer for a client that reads it, not a moment that anything happened at.
  const std::string since = "1970-01-01T00:00:01Z";
  fill_names(definition);
  write_status(nullptr, definition, since);
  const std::string name(name_of(definition));
  make_path(definition, "metadata.creationTimestamp") = since;
  make_path(definition, "metadata.uid") = "built-in-" + name;
  make_path(definition, "metadata.resourceVersion") = std::to_string(kBeforeAll);
  make_path(definition, "metadata.generation") = 1;
  return std::make_shared<const StoredObject>(std::move(definition), kBeforeAll);
}

}  // namespace trainyard::server
