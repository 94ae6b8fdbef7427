#include "object/values/quantity.h"
#include "server/rules/kind_rules.h"
#include "server/rules/placement.h"
#include "server/rules/resources.h"
#include "server/rules/volumes.h"

namespace trainyard::server {
namespace {

/// The fields of a volume's spec that are not its source.
const std::set<std::string_view> kNoSources{"capacity",
                                            "accessModes",
                                            "claimRef",
                                            "persistentVolumeReclaimPolicy",
                                            "storageClassName",
                                            "mountOptions",
                                            "volumeMode",
                                            "nodeAffinity",
                                            "volumeAttributesClassName"};

/// What becomes of a bound claim is decided; only its size may still grow.
JsonObject fixed_claim(const Json& claim) {
  JsonObject fixed = object_at(claim, "spec");
  fixed.erase("volumeAttributesClassName");
  if (Json* resources = fixed.if_contains("resources"); resources != nullptr) {
    if (resources->is_object()) resources->get_object().erase("requests");
  }
  return fixed;
}

Quantity amount_at(const Json& object, std::string_view path) {
  const Json* found = find(object, path);
  return found == nullptr ? Quantity() : Quantity::parse(*found).value_or(Quantity());
}

}  // namespace

void check_volume(const Json& volume, Errors& errors) {
  const Json* spec = find(volume, "spec");
  if (spec == nullptr) return;
  check_access_modes(*spec, "spec.accessModes", errors);
  const JsonObject& capacity = object_at(*spec, "capacity");
  if (capacity.empty()) {
    errors.push_back(field_errors::required("spec.capacity"));
  } else if (!capacity.contains("storage")) {
    errors.push_back(field_errors::not_supported(
        "spec.capacity", Json(key_of_member(*capacity.begin())), {"storage"}));
  }
  check_amounts(capacity, "spec.capacity", errors);
  if (only_source(*spec, kNoSources, "spec", errors) == nullptr) {
    errors.push_back(field_errors::required("spec", "must specify a volume type"));
  }
  if (const Json* nodes = find(*spec, "nodeAffinity.required")) {
    check_node_selector(*nodes, "spec.nodeAffinity.required", errors);
  } else if (find(*spec, "local") != nullptr) {
    errors.push_back(
        field_errors::required("spec.nodeAffinity", "Local volume requires node affinity"));
  }
}

void check_claim(const Json& claim, Errors& errors) {
  if (const Json* spec = find(claim, "spec")) check_claim_spec(*spec, "spec", errors);
}

void check_volume_update(const Json& before, const Json& after, Errors& errors) {
  JsonObject old_source = object_at(before, "spec");
  JsonObject new_source = object_at(after, "spec");
  for (const std::string_view field : kNoSources) {
    old_source.erase(field);
    new_source.erase(field);
  }
  if (old_source != new_source) {
    errors.push_back(field_errors::forbidden(
        "spec.persistentvolumesource", "spec.persistentvolumesource is immutable after creation"));
  }
  check_field_unchanged(before, after, "spec.volumeMode", errors);
}

void check_claim_update(const Json& before, const Json& after, Errors& errors) {
  JsonObject old_spec = fixed_claim(before);
  JsonObject new_spec = fixed_claim(after);
  // Binding sets the volume, once.
  if (!old_spec.contains("volumeName")) new_spec.erase("volumeName");
  if (old_spec != new_spec) {
    errors.push_back(
        field_errors::forbidden("spec",
                                "spec is immutable after creation except resources.requests and "
                                "volumeAttributesClassName for bound claims"));
  }
  const char* const kSize = "spec.resources.requests.storage";
  const Quantity wanted = amount_at(after, kSize);
  if (wanted == amount_at(before, kSize)) return;
  if (string_at(before, "status.phase") != "Bound") {
    errors.push_back(
        field_errors::forbidden("spec",
                                "spec is immutable after creation except resources.requests and "
                                "volumeAttributesClassName for bound claims"));
  } else if (wanted < amount_at(before, "status.capacity.storage")) {
    errors.push_back(field_errors::forbidden(kSize, "field can not be less than status.capacity"));
  }
}

void check_storage_class_update(const Json& before, const Json& after, Errors& errors) {
  for (const char* field : {"parameters", "provisioner", "reclaimPolicy"}) {
    if (same_field(before, after, field)) continue;
    errors.push_back(
        field_errors::forbidden(field, fmt::format("updates to {} are forbidden.", field)));
  }
  check_field_unchanged(before, after, "volumeBindingMode", errors);
}

}  // namespace trainyard::server
