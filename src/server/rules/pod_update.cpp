#include "server/rules/pod_spec.h"

#include <algorithm>
#include <array>
#include <set>
#include <string>

namespace trainyard::server {
namespace {

constexpr const char* kMayChange =
    "pod updates may not change fields other than "
    "`spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,"
    "`spec.tolerations` (only additions to existing tolerations),"
    "`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)";

/// The images of a list's containers may change; their number may not.
bool check_container_list(const Json& before, const Json& after, const char* list, Errors& errors) {
  if (array_at(before, list).size() == array_at(after, list).size()) return true;
  errors.push_back(field_errors::forbidden(std::string("spec.") + list,
                                           "pod updates may not add or remove containers"));
  return false;
}

/// It may be set, and then only shortened.
void check_deadline(const Json& before, const Json& after, Errors& errors) {
  const Json* old_value = find(before, "activeDeadlineSeconds");
  const Json* new_value = find(after, "activeDeadlineSeconds");
  if (old_value == nullptr || !old_value->is_int64()) return;
  const std::string path = "spec.activeDeadlineSeconds";
  if (new_value == nullptr) {
    errors.push_back(field_errors::invalid(path, Json(),
                                           "must not update from a positive integer to nil value"));
  } else if (new_value->is_int64() && new_value->get_int64() > old_value->get_int64()) {
    errors.push_back(
        field_errors::invalid(path, *new_value, "must be less than or equal to previous value"));
  }
}

/// All of a toleration but its seconds.
std::array<std::string, 4> fixed_toleration(const Json& toleration) {
  const auto part = [&](const char* name) { return std::string(string_at(toleration, name)); };
  return {part("key"), part("operator"), part("value"), part("effect")};
}

void check_tolerations(const Json& before, const Json& after, Errors& errors) {
  std::set<std::array<std::string, 4>> now;
  for (const Json& one : array_at(after, "tolerations")) now.insert(fixed_toleration(one));
  for (const Json& one : array_at(before, "tolerations")) {
    if (now.contains(fixed_toleration(one))) continue;
    errors.push_back(field_errors::forbidden(
        "spec.tolerations",
        "existing toleration can not be modified except its tolerationSeconds"));
    return;
  }
}

void check_gates(const Json& before, const Json& after, Errors& errors) {
  std::set<std::string> old_ones;
  for (const Json& gate : array_at(before, "schedulingGates")) old_ones.insert(to_text(gate));
  std::size_t index = 0;
  for (const Json& gate : array_at(after, "schedulingGates")) {
    const std::string here = at("spec.schedulingGates", index++);
    if (old_ones.contains(to_text(gate))) continue;
    errors.push_back(field_errors::forbidden(
        here, fmt::format("only deletion is allowed, but found new scheduling gate '{}'",
                          string_at(gate, "name"))));
  }
}

/// The spec without what may change, so that the rest can be compared.
JsonObject fixed_spec(const Json& spec) {
  JsonObject fixed = spec.get_object();
  for (const char* field : {"activeDeadlineSeconds", "tolerations", "schedulingGates"}) {
    fixed.erase(field);
  }
  if (int_at(spec, "terminationGracePeriodSeconds") < 0) fixed["terminationGracePeriodSeconds"] = 1;
  for (const char* list : {"containers", "initContainers"}) {
    Json* containers = fixed.if_contains(list);
    if (containers == nullptr || !containers->is_array()) continue;
    for (Json& container : containers->get_array()) {
      if (container.is_object()) container.get_object().erase("image");
    }
  }
  return fixed;
}

/// The names of fields that differ, for those who want to know what it was.
std::string changed_fields(const JsonObject& before, const JsonObject& after) {
  std::string names;
  const auto add = [&](std::string_view name) {
    names += fmt::format("{}`spec.{}`", names.empty() ? "" : ", ", name);
  };
  for (const auto& member : after) {
    const Json* old_value = before.if_contains(member.key());
    if (old_value == nullptr || *old_value != member.value()) add(key_of_member(member));
  }
  for (const auto& member : before) {
    if (!after.contains(member.key())) add(key_of_member(member));
  }
  return names;
}

}  // namespace

void check_pod_update(const Json& before, const Json& after, Errors& errors) {
  const Json* old_spec = find(before, "spec");
  const Json* new_spec = find(after, "spec");
  if (old_spec == nullptr || new_spec == nullptr || !new_spec->is_object()) return;
  if (*old_spec == *new_spec) return;
  const bool same_containers = check_container_list(*old_spec, *new_spec, "containers", errors) &&
                               check_container_list(*old_spec, *new_spec, "initContainers", errors);
  check_deadline(*old_spec, *new_spec, errors);
  check_tolerations(*old_spec, *new_spec, errors);
  check_gates(*old_spec, *new_spec, errors);
  if (!same_containers) return;
  const std::string changed = changed_fields(fixed_spec(*old_spec), fixed_spec(*new_spec));
  if (changed.empty()) return;
  errors.push_back(
      field_errors::forbidden("spec", fmt::format("{}\nchanged: {}", kMayChange, changed)));
}

}  // namespace trainyard::server
