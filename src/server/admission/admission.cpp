#include "server/admission/admission.h"

#include "base/crypto/ids.h"
#include "base/words/near_words.h"
#include "object/table/table.h"
#include "object/values/field_errors.h"
#include "object/values/metadata_rules.h"
#include "server/job_rules/job_rules.h"
#include "server/kinds/kind_table.h"
#include "server/rules/rules.h"
#include "server/status.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>

namespace trainyard::server {
namespace {

// What is told of an object that is wrong all over: more than anybody reads, and less than a body
// of three megabytes can be made to cost.
constexpr std::size_t kMostUnknown = 100;
constexpr std::size_t kMostErrors = 1000;

Result<> check_type_fields(const Kind& kind, const Json& object) {
  if (!object.is_object()) return Error(Code::kBadRequest, "the body is not an object");
  const std::string_view api_version = string_at(object, "apiVersion");
  const std::string_view name = string_at(object, "kind");
  if ((!api_version.empty() && api_version != kind.resource.api_version()) ||
      (!name.empty() && name != kind.kind)) {
    return Error(Code::kBadRequest,
                 fmt::format("this address takes {} of {}, and the body is a {} of {}", kind.kind,
                             kind.resource.api_version(), name, api_version));
  }
  return Ok();
}

/// Puts apiVersion and kind first, where people look for them.
void set_type_fields(const Kind& kind, Json& object) {
  JsonObject ordered{{"apiVersion", kind.resource.api_version()}, {"kind", kind.kind}};
  ordered["metadata"] = JsonObject();
  for (auto& member : object.get_object()) {
    if (member.key() != "apiVersion" && member.key() != "kind") {
      ordered[member.key()] = std::move(member.value());
    }
  }
  object = std::move(ordered);
}

void remove_field(Json& object, std::string_view parent, std::string_view name) {
  Json* found = find(object, parent);
  if (found == nullptr || !found->is_object()) return;
  JsonObject& members = found->get_object();
  if (const auto member = members.find(name); member != members.end()) {
    members.stable_erase(member);
  }
}

/// What a field was probably meant to be called, by the names beside it; may be empty. Fields below
/// keys with dots in them are not found.
std::string meant_name(const Kind& kind, std::string_view path) {
  const Schema* here = kind.schema.get();
  std::string typed;
  while (here != nullptr && !path.empty()) {
    const std::string_view step = path.substr(0, path.find('.'));
    path.remove_prefix(std::min(path.size(), step.size() + 1));
    typed = step.substr(0, step.find('['));
    if (path.empty()) break;
    here = here->property(typed);
    const auto lists = std::count(step.begin(), step.end(), '[');
    for (auto i = lists; i > 0 && here != nullptr; --i) here = here->items();
  }
  return here == nullptr ? "" : nearest_word(typed, here->property_names());
}

/// Takes away what the kind does not know. That, and what was sent twice, is passed over, told of
/// or refused, as the request asks.
Result<> prune_unknown(const Kind& kind, Json& object, const AdmissionContext& context) {
  std::vector<std::string> unknown = kind.schema->prune(object);
  if (context.validation == FieldValidation::kIgnore) return Ok();
  if (unknown.size() > kMostUnknown) unknown.resize(kMostUnknown);
  std::vector<std::string> problems = context.duplicates;
  std::vector<FieldError> causes;
  for (const std::string& field : unknown) {
    const std::string meant = meant_name(kind, field);
    causes.push_back({field, meant.empty() ? "" : fmt::format("did you mean \"{}\"?", meant),
                      field_errors::kUnknownField});
    problems.push_back(fmt::format("unknown field \"{}\"", field));
  }
  if (problems.empty()) return Ok();
  if (context.validation == FieldValidation::kWarn) {
    if (context.warnings == nullptr) return Ok();
    context.warnings->insert(context.warnings->end(), problems.begin(), problems.end());
    return Ok();
  }
  return Error(
      Code::kBadRequest,
      fmt::format("{} in version \"{}\" cannot be handled as a {}: strict decoding error: {}",
                  kind.kind, kind.resource.version, kind.kind, fmt::join(problems, ", ")),
      std::move(causes));
}

/// Kubernetes' words for a wrong type name the type that was found; people look for the value.
void name_values(const Json& object, std::vector<FieldError>& errors) {
  for (FieldError& error : errors) {
    if (error.reason != "FieldValueTypeInvalid") continue;
    const Json value = evaluate_path(object, "." + error.field);
    const bool plain = value.is_string() || value.is_number() || value.is_bool();
    if (plain) error.message += fmt::format(" (it is {})", to_text(value).substr(0, 80));
  }
}

/// Rules between fields rely on what is there and of which type, not on its value.
bool types_hold(const std::vector<FieldError>& errors) {
  return std::none_of(errors.begin(), errors.end(), [](const FieldError& error) {
    return error.reason == "FieldValueTypeInvalid" || error.reason == "FieldValueRequired";
  });
}

/// Adds the rules that are broken, except those of fields that something is said of already.
void add_broken_rules(const Kind& kind, const Json& object, std::vector<FieldError>& errors) {
  std::set<std::string> known;
  for (const FieldError& error : errors) known.insert(error.field);
  for (FieldError& broken : check_rules(kind, object)) {
    if (!known.contains(broken.field)) errors.push_back(std::move(broken));
  }
}

/// Finalizers of built-in kinds are Kubernetes' own or have a domain: whose they are must be clear
/// when one holds up a deletion.
void check_finalizer_names(const Json& object, std::vector<FieldError>& errors) {
  for (const Json& finalizer : array_at(object, "metadata.finalizers")) {
    if (!finalizer.is_string()) continue;  // said by check_metadata()
    const std::string_view name(finalizer.get_string().data(), finalizer.get_string().size());
    const bool standard = name == "kubernetes" || name == "orphan" || name == "foregroundDeletion";
    if (standard || name.find('/') != std::string_view::npos) continue;
    errors.push_back(field_errors::invalid(
        "metadata.finalizers", finalizer,
        "name is neither a standard finalizer name nor is it fully qualified"));
  }
}

Result<> validate(const Kind& kind, const Json& object, std::vector<FieldError> errors) {
  std::vector<FieldError> found = check_metadata(object);
  errors.insert(errors.end(), found.begin(), found.end());
  if (!kind.custom && kind.resource != kDefinitions) check_finalizer_names(object, errors);
  found = kind.schema->validate(object);
  name_values(object, found);
  if (types_hold(found)) add_broken_rules(kind, object, found);
  errors.insert(errors.end(), found.begin(), found.end());
  if (errors.empty()) return Ok();
  if (errors.size() > kMostErrors) errors.erase(errors.begin() + kMostErrors, errors.end());
  return invalid_object(kind, std::string(name_of(object)), std::move(errors));
}

std::vector<FieldError> check_name(const Kind& kind, const Json& object) {
  const std::string_view name = name_of(object);
  if (name.empty()) {
    return {{"metadata.name", "Required value: name or generateName is required",
             "FieldValueRequired"}};
  }
  std::vector<FieldError> errors;
  for (const std::string& problem : name_problems(kind, name)) {
    errors.push_back({"metadata.name", fmt::format("Invalid value: \"{}\": {}", name, problem),
                      "FieldValueInvalid"});
  }
  return errors;
}

Result<> place_in_namespace(const Kind& kind, const std::string& ns, Json& object) {
  const std::string given(namespace_of(object));
  if (!kind.namespaced) {
    remove_field(object, "metadata", "namespace");
    return Ok();
  }
  if (!given.empty() && given != ns) {
    return Error(Code::kBadRequest,
                 fmt::format("the namespace of the provided object ({}) does not match the "
                             "namespace of the request ({})",
                             given, ns));
  }
  make_path(object, "metadata.namespace") = ns;
  return Ok();
}

/// Who is waited for may only become fewer once deletion was asked for.
void check_finalizers(const Json& before, const Json& after, std::vector<FieldError>& errors) {
  if (!is_being_deleted(before)) return;
  std::set<std::string> old_ones;
  for (const Json& one : array_at(before, "metadata.finalizers")) old_ones.insert(to_text(one));
  JsonArray added;
  for (const Json& one : array_at(after, "metadata.finalizers")) {
    if (!old_ones.contains(to_text(one))) added.push_back(one);
  }
  if (added.empty()) return;
  errors.push_back({"metadata.finalizers",
                    fmt::format("Forbidden: no new finalizers can be added if the object is being "
                                "deleted, found new finalizers {}",
                                to_text(added)),
                    "FieldValueForbidden"});
}

/// The object without what the server itself keeps: what generation counts changes of.
Json desired_part(const Kind& kind, const Json& object) {
  JsonObject desired = object.get_object();
  desired.erase("metadata");
  if (kind.has_status) desired.erase("status");
  return desired;
}

}  // namespace

Result<Json> admit_create(const Kind& kind, const std::string& ns, Json object,
                          const AdmissionContext& context) {
  TRY_OK(check_type_fields(kind, object));
  set_type_fields(kind, object);
  if (const Json* metadata = find(object, "metadata"); !metadata->is_object()) {
    return Error(Code::kBadRequest, "metadata must be an object");
  }
  if (!string_at(object, "metadata.resourceVersion").empty()) {
    return Error(Code::kBadRequest, "resourceVersion should not be set on objects to be created");
  }
  TRY_OK(place_in_namespace(kind, ns, object));
  if (name_of(object).empty()) {
    if (const std::string prefix(string_at(object, "metadata.generateName")); !prefix.empty()) {
      constexpr std::size_t kLongestPrefix = 58;  // leaves a host name's 63 with the suffix
      make_path(object, "metadata.name") = prefix.substr(0, kLongestPrefix) + random_suffix();
    }
  }
  for (const char* field : {"resourceVersion", "deletionTimestamp", "deletionGracePeriodSeconds",
                            "managedFields", "selfLink", "generation"}) {
    remove_field(object, "metadata", field);
  }
  if (kind.has_status) remove_field(object, "", "status");
  TRY_OK(prune_unknown(kind, object, context));
  kind.schema->apply_defaults(object);
  set_dependent_defaults(kind, object);
  TRY_OK(validate(kind, object, check_name(kind, object)));
  if (context.warnings != nullptr) {
    for (std::string& warning : warn_of_job(kind, object)) {
      context.warnings->push_back(std::move(warning));
    }
  }
  make_path(object, "metadata.uid") = make_uuid();
  make_path(object, "metadata.creationTimestamp") = format_time(context.now);
  if (kind.has_generation) make_path(object, "metadata.generation") = 1;
  set_built_in_defaults(kind, object);
  // What keeps a deleted namespace until all that is in it has gone.
  if (kind.resource == kNamespaces) {
    make_path(object, "spec.finalizers") = JsonArray{"kubernetes"};
  }
  return object;
}

Result<Json> admit_update(const Kind& kind, const Json& current, Json object, Part part,
                          const AdmissionContext& context) {
  TRY_OK(check_type_fields(kind, object));
  const std::string name(name_of(current));
  const std::string_view version = string_at(object, "metadata.resourceVersion");
  if (!version.empty() && version != string_at(current, "metadata.resourceVersion")) {
    return modified_meanwhile(kind, name);
  }
  if (!uid_of(object).empty() && uid_of(object) != uid_of(current)) {
    return Error(Code::kConflict, fmt::format("{} \"{}\" has another uid: the object was deleted "
                                              "and created anew",
                                              kind.resource.plural, name));
  }
  if (!name_of(object).empty() && name_of(object) != name) {
    return Error(Code::kBadRequest, fmt::format("the name of the object ({}) does not match the "
                                                "name of the request ({})",
                                                name_of(object), name));
  }
  set_type_fields(kind, object);
  TRY_OK(prune_unknown(kind, object, context));
  if (part == Part::kFinalize) {
    Json updated = current;
    make_path(updated, "spec.finalizers") = array_at(object, "spec.finalizers");
    return updated;
  }
  if (part == Part::kStatus) {
    Json updated = current;
    const Json* status = find(object, "status");
    make_path(updated, "status") = status == nullptr ? Json(JsonObject()) : *status;
    TRY_OK(validate(kind, updated, {}));
    return updated;
  }
  // What belongs to the server stays as it is, whatever was sent.
  for (const char* field : {"name", "namespace", "uid", "creationTimestamp", "generation",
                            "deletionTimestamp", "deletionGracePeriodSeconds", "resourceVersion"}) {
    remove_field(object, "metadata", field);
    if (const Json* kept = find(current, std::string("metadata.") + field)) {
      make_path(object, std::string("metadata.") + field) = *kept;
    }
  }
  if (kind.has_status) {
    remove_field(object, "", "status");
    if (const Json* status = find(current, "status")) make_path(object, "status") = *status;
  }
  if (kind.resource == kNamespaces) {
    make_path(object, "spec.finalizers") = array_at(current, "spec.finalizers");
  }
  kind.schema->apply_defaults(object);
  set_dependent_defaults(kind, object);
  std::vector<FieldError> errors = check_immutable(kind, current, object);
  check_finalizers(current, object, errors);
  TRY_OK(validate(kind, object, std::move(errors)));
  if (kind.has_generation && desired_part(kind, object) != desired_part(kind, current)) {
    make_path(object, "metadata.generation") = int_at(current, "metadata.generation", 1) + 1;
  }
  return object;
}

}  // namespace trainyard::server
