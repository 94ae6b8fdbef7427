#include "node/volumes/volumes.h"

#include "object/values/quantity.h"

#include <fmt/format.h>

#include <algorithm>

namespace trainyard::node {
namespace {

Quantity storage_at(const Json& object, std::string_view path) {
  const Json* amount = find(object, path);
  return amount == nullptr ? Quantity() : Quantity::parse(*amount).value_or(Quantity());
}

Quantity size_of(const Json& volume) {
  return storage_at(volume, "spec.capacity.storage");
}

bool allows(const JsonArray& modes, const JsonArray& asked) {
  return std::all_of(asked.begin(), asked.end(), [&](const Json& mode) {
    return std::find(modes.begin(), modes.end(), mode) != modes.end();
  });
}

bool is_enough(const Json& volume, const Json& claim) {
  return string_at(volume, "spec.storageClassName") == string_at(claim, "spec.storageClassName") &&
         size_of(volume) >= storage_at(claim, "spec.resources.requests.storage") &&
         allows(array_at(volume, "spec.accessModes"), array_at(claim, "spec.accessModes"));
}

}  // namespace

std::string volume_name(const Json& claim) {
  return fmt::format("pvc-{}", uid_of(claim));
}

Json claim_reference(const Json& claim) {
  return {{"apiVersion", "v1"},
          {"kind", "PersistentVolumeClaim"},
          {"namespace", namespace_of(claim)},
          {"name", name_of(claim)},
          {"uid", uid_of(claim)},
          {"resourceVersion", string_at(claim, "metadata.resourceVersion")}};
}

Key claim_of(const Json& volume) {
  return Key{std::string(string_at(volume, "spec.claimRef.namespace")),
             std::string(string_at(volume, "spec.claimRef.name"))};
}

Json make_volume(const Json& claim, const std::string& path, const std::string& reclaim_policy) {
  JsonObject spec{{"capacity", object_at(claim, "spec.resources.requests")},
                  {"accessModes", array_at(claim, "spec.accessModes")},
                  {"persistentVolumeReclaimPolicy", reclaim_policy},
                  {"volumeMode", "Filesystem"},
                  {"hostPath", {{"path", path}}},
                  {"claimRef", claim_reference(claim)}};
  if (const std::string_view name = string_at(claim, "spec.storageClassName"); !name.empty()) {
    spec["storageClassName"] = name;
  }
  return {{"apiVersion", "v1"},
          {"kind", "PersistentVolume"},
          {"metadata",
           {{"name", volume_name(claim)},
            {"annotations", {{"pv.kubernetes.io/provisioned-by", kProvisioner}}}}},
          {"spec", std::move(spec)}};
}

std::string folder_of_volume(const Json& volume) {
  const std::string_view host = string_at(volume, "spec.hostPath.path");
  return std::string(host.empty() ? string_at(volume, "spec.local.path") : host);
}

bool wants_more(const Json& claim) {
  return storage_at(claim, "status.capacity.storage") <
         storage_at(claim, "spec.resources.requests.storage");
}

bool may_bind(const Json& volume, const Json& claim) {
  const Key named = claim_of(volume);
  if (named.name.empty()) return true;
  const std::string_view uid = string_at(volume, "spec.claimRef.uid");
  return named == key_of(claim) && (uid.empty() || uid == uid_of(claim));
}

ObjectPtr choose_volume(const std::vector<ObjectPtr>& volumes, const Json& claim) {
  ObjectPtr best;
  for (const ObjectPtr& volume : volumes) {
    const Json& body = volume->body();
    if (!may_bind(body, claim) || !is_enough(body, claim) || is_being_deleted(body)) continue;
    const bool reserved = claim_of(body) == key_of(claim);
    if (reserved) return volume;
    if (best == nullptr || size_of(body) < size_of(best->body())) best = volume;
  }
  return best;
}

}  // namespace trainyard::node
