#include "object/apply/fields.h"
#include "object/apply/managed_fields.h"
#include "object/apply/ownership.h"
#include "object/values/metadata.h"

#include <fmt/format.h>

#include <algorithm>

namespace trainyard {
namespace {

constexpr std::string_view kLastApplied = "kubectl.kubernetes.io/last-applied-configuration";
constexpr std::size_t kMostAnnotationBytes = 256 << 10;

/// Fields that another manager owns and that would change.
struct Conflict {
  const Owner* owner;
  FieldSet fields;
};

void remove_member(JsonObject& object, std::string_view name) {
  if (const auto found = object.find(name); found != object.end()) object.stable_erase(found);
}

Error bad_request(std::string message) {
  return Error(Code::kBadRequest, std::move(message));
}

/// apps/v1, Kind=Deployment; /v1, Kind=Pod
std::string shown_kind(const Json& object) {
  const std::string_view version = string_at(object, "apiVersion");
  return fmt::format("{}{}, Kind={}", version.find('/') == std::string_view::npos ? "/" : "",
                     version, string_at(object, "kind"));
}

/// What is left out in an update is known from the address; an apply is merged by what it says.
Result<> check_type_is_named(const Json& configuration) {
  std::vector<std::string_view> missing;
  for (const std::string_view field : {"apiVersion", "kind"}) {
    if (string_at(configuration, field).empty()) missing.push_back(field);
  }
  if (missing.empty()) return Ok();
  return bad_request(fmt::format(
      "invalid object type: {}: an apply must name its type, and {} {} "
      "missing",
      shown_kind(configuration), fmt::join(missing, " and "), missing.size() > 1 ? "are" : "is"));
}

Result<> check_configuration(const Json* current, const Json& configuration, const Schema& schema,
                             const FieldManager& manager) {
  if (!configuration.is_object()) return bad_request("a configuration must be an object");
  TRY_OK(check_type_is_named(configuration));
  if (current != nullptr && string_at(*current, "kind") != string_at(configuration, "kind")) {
    return bad_request("invalid object type: " + shown_kind(configuration));
  }
  if (string_at(configuration, "apiVersion") != manager.api_version) {
    return bad_request(fmt::format(
        "Incorrect version specified in apply patch. Specified patch version: {}, expected: {}",
        string_at(configuration, "apiVersion"), manager.api_version));
  }
  const Json* managed = find(configuration, "metadata.managedFields");
  if (managed != nullptr && !managed->is_null()) {
    return bad_request("metadata.managedFields must be nil");
  }
  const std::vector<std::string> problems = check_fields(configuration, &schema);
  if (problems.empty()) return Ok();
  std::string list = problems.front();
  if (problems.size() > 1) list = fmt::format("errors:\n  {}", fmt::join(problems, "\n  "));
  return bad_request(fmt::format("failed to create typed patch object ({}/{}; {}): {}",
                                 namespace_of(configuration), name_of(configuration),
                                 shown_kind(configuration), list));
}

/// The live object with what the configuration says. `creationTimestamp: null`, which tools write
/// who mean nothing by it, says nothing.
Json merge_configuration(const Json& live, const Json& configuration, const Schema& schema) {
  Json merged = merge_fields(live, configuration, &schema);
  Json* created = find(merged, "metadata.creationTimestamp");
  if (created == nullptr || !created->is_null()) return merged;
  const Json* before = find(live, "metadata.creationTimestamp");
  if (before != nullptr) {
    *created = *before;
  } else {
    remove_member(find(merged, "metadata")->get_object(), "creationTimestamp");
  }
  return merged;
}

/// What the manager applied last time, does not any more, and nobody else owns. `owners` has what
/// it applies now.
FieldSet forgotten_fields(const Json& merged, const FieldSet& last, const Owner& self,
                          const Owners& owners, const Schema& schema) {
  if (last.is_within(self.fields)) return {};
  const auto all_of = [&](const Json& object) {
    // A list that loses its elements is still there when somebody else owns it.
    return with_parents(fields_of(object, &schema, EmptyLists::kCount), &schema);
  };
  const FieldSet last_all = with_parents(last, &schema);
  const FieldSet merged_all = all_of(merged);
  // What is left when all of it goes, and then what somebody owns comes back.
  FieldSet wanted = all_of(without_fields(merged, last_all, &schema));
  for (const Owner& owner : owners.all()) wanted.add(with_parents(owner.fields, &schema));
  FieldSet gone = merged_all;
  gone.remove(wanted);
  // What nobody owned went along with its parents; only what the manager had may go.
  FieldSet lost = merged_all;
  lost.remove(all_of(without_fields(merged, gone, &schema)));
  return lost.common_with(last_all);
}

std::vector<Conflict> conflicts_with(const Owners& owners, const Owner& self,
                                     const FieldChanges& changes) {
  FieldSet changed = changes.modified;
  changed.add(changes.added);
  std::vector<Conflict> conflicts;
  for (const Owner& owner : owners.all()) {
    if (owner.is_same_as(self)) continue;
    FieldSet contested = owner.fields.common_with(changed);
    if (!contested.empty()) conflicts.push_back({&owner, std::move(contested)});
  }
  return conflicts;
}

/// What kubectl applied from the client and nobody has changed since: taking this over is no
/// conflict, so that people can go over to server-side apply.
FieldSet applied_by_client(const Json& live, const Schema& schema, const FieldManager& manager) {
  const auto last = parse_json(annotation_of(live, kLastApplied));
  if (!last || string_at(*last, "apiVersion") != manager.api_version) return {};
  if (!check_fields(*last, &schema).empty()) return {};
  FieldSet fields = fields_of(*last, &schema);
  const FieldChanges changes = compare_fields(*last, live, &schema);
  fields.remove(changes.modified);
  fields.remove(changes.added);
  fields.remove(changes.removed);
  return fields;
}

std::string shown_owner(const Owner& owner) {
  std::string text = to_text(Json(owner.manager));
  if (!owner.subresource.empty()) {
    text += fmt::format(" with subresource {}", to_text(Json(owner.subresource)));
  }
  if (!owner.applies) text += fmt::format(" using {}", owner.api_version);
  return text;
}

Error conflict_error(const std::vector<Conflict>& conflicts) {
  std::vector<FieldError> causes;
  std::vector<std::string> lines;
  for (const Conflict& conflict : conflicts) {
    const std::string owner = shown_owner(*conflict.owner);
    lines.push_back(fmt::format("conflicts with {}:", owner));
    for (const std::string& path : conflict.fields.paths()) {
      causes.push_back({path, "conflict with " + owner, "FieldManagerConflict"});
      lines.push_back("- " + path);
    }
  }
  std::string message = causes.size() == 1 ? fmt::format("Apply failed with 1 conflict: {}: {}",
                                                         causes[0].message, causes[0].field)
                                           : fmt::format("Apply failed with {} conflicts: {}",
                                                         causes.size(), fmt::join(lines, "\n"));
  return Error(Code::kConflict, std::move(message), std::move(causes));
}

/// Fields sorted by name, as kubectl writes and compares the annotation.
Json with_sorted_fields(const Json& value) {
  if (value.is_array()) {
    JsonArray elements;
    for (const Json& element : value.get_array()) elements.push_back(with_sorted_fields(element));
    return elements;
  }
  if (!value.is_object()) return value;
  std::vector<std::string_view> names;
  for (const auto& member : value.get_object()) {
    names.emplace_back(member.key().data(), member.key().size());
  }
  std::sort(names.begin(), names.end());
  JsonObject sorted;
  for (const std::string_view name : names) {
    sorted.emplace(name, with_sorted_fields(value.get_object().at(name)));
  }
  return sorted;
}

/// Keeps the annotation of client-side apply up to date where there is one, so that people can go
/// back to it.
void refresh_last_applied(Json& object, const Json& configuration) {
  if (annotation_of(object, kLastApplied).empty()) return;
  Json applied = with_sorted_fields(configuration);
  if (Json* annotations = find(applied, "metadata.annotations");
      annotations != nullptr && annotations->is_object()) {
    remove_member(annotations->get_object(), kLastApplied);
  }
  JsonObject& annotations = find(object, "metadata.annotations")->get_object();
  annotations[kLastApplied] = to_text(applied) + "\n";
  std::size_t bytes = 0;
  for (const auto& annotation : annotations) {
    bytes += annotation.key().size();
    if (annotation.value().is_string()) bytes += annotation.value().get_string().size();
  }
  if (bytes > kMostAnnotationBytes) remove_member(annotations, kLastApplied);
}

/// Takes from the other owners what conflicts and what is gone.
void take_over(Owners& owners, const Owner& self, const std::vector<Conflict>& conflicts,
               const FieldSet& removed) {
  // Conflicts point into the owners, and have their order: owners are sorted by identity.
  auto conflict = conflicts.begin();
  for (Owner& owner : owners.all()) {
    if (owner.is_same_as(self)) continue;
    if (conflict != conflicts.end() && conflict->owner == &owner) {
      owner.fields.remove((conflict++)->fields);
    }
    owner.fields.remove(removed);
  }
  owners.remove_empty();
}

}  // namespace

Result<Json> apply_configuration(const Json* current, const Json& configuration,
                                 const Schema& schema, const FieldManager& manager, bool force) {
  TRY_OK(check_configuration(current, configuration, schema, manager));
  static const Json kNothing = JsonObject();
  const Json& live = current == nullptr ? kNothing : *current;
  TRY(Owners owners, Owners::read(live));
  if (owners.empty() && current != nullptr) {
    FieldManager earlier = manager;
    earlier.name = "before-first-apply";
    track_changes(owners, kNothing, live, schema, earlier);
  }
  for (Owner& owner : owners.all()) owner.fields = fitted_to(owner.fields, &schema);

  Owner self = owner_for(manager, true);
  FieldSet last;
  self.time.clear();
  if (const Owner* before = owners.find(self)) {
    last = before->fields;
    self.time = before->time;
  }
  self.fields = fields_of(configuration, &schema);
  std::erase_if(owners.all(), [&](const Owner& owner) { return owner.is_same_as(self); });
  owners.add(self);
  const Json merged = merge_configuration(live, configuration, schema);
  const FieldSet forgotten = forgotten_fields(merged, last, self, owners, schema);
  const Json rest = without_fields(merged, forgotten, &schema);

  const FieldChanges changes = compare_fields(live, rest, &schema);
  std::vector<Conflict> conflicts = conflicts_with(owners, self, changes);
  if (!conflicts.empty() && !force) {
    std::vector<Conflict> refused = conflicts;
    if (manager.name == "kubectl") {
      const FieldSet allowed = applied_by_client(live, schema, manager);
      for (Conflict& conflict : refused) conflict.fields.remove(allowed);
      std::erase_if(refused, [](const Conflict& conflict) { return conflict.fields.empty(); });
    }
    if (!refused.empty()) return conflict_error(refused);
  }
  take_over(owners, self, conflicts, changes.removed);
  if (Owner* mine = owners.find(self)) {
    strip_metadata(mine->fields);
    if (!is_same_but_for_nulls(live, rest)) mine->time = manager.time;
  }
  owners.remove_empty();
  Json result = without_fields(merged, forgotten, &schema, Emptied::kLeaveOut);
  owners.write(result);
  if (manager.name == "kubectl") refresh_last_applied(result, configuration);
  return result;
}

}  // namespace trainyard
