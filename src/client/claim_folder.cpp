#include "client/claim_folder.h"

#include <fmt/format.h>

namespace trainyard::client {
namespace {

const Resource kVolumes{"", "v1", "persistentvolumes"};

Error not_bound(const Key& claim) {
  return Error(Code::kUnavailable,
               fmt::format("volume {} has no folder yet: `kubectl describe pvc {}` says why",
                           claim.name, claim.name));
}

}  // namespace

Error no_such_volume(const Key& claim) {
  return Error(Code::kNotFound,
               fmt::format("there is no volume {} in namespace {}: `trainyard data list -A` shows "
                           "all",
                           claim.name, claim.ns));
}

awaitable<Result<ClaimFolder>> find_claim_folder(Api& api, Key claim) {
  const auto found = co_await api.get(kVolumeClaims, claim);
  if (found.failed_with(Code::kNotFound)) co_return no_such_volume(claim);
  if (!found) co_return found.error();
  const Json& body = (*found)->body();
  Key volume{"", std::string(string_at(body, "spec.volumeName"))};
  if (volume.name.empty()) co_return not_bound(claim);
  const auto made = co_await api.get(kVolumes, std::move(volume));
  if (made.failed_with(Code::kNotFound)) co_return not_bound(claim);
  if (!made) co_return made.error();
  // Anybody can write any volume's name into a claim; whose it is, the volume says.
  if (string_at((*made)->body(), "spec.claimRef.uid") != uid_of(body)) co_return not_bound(claim);
  const std::string_view host = string_at((*made)->body(), "spec.hostPath.path");
  ClaimFolder folder;
  folder.path = host.empty() ? string_at((*made)->body(), "spec.local.path") : host;
  folder.read_only = annotation_of(body, kReadOnlyAnnotation) == "true";
  if (!folder.path.empty()) co_return folder;
  co_return Error(Code::kUnsupported,
                  fmt::format("volume {} is no folder of this machine: mount it in a pod and use "
                              "`kubectl cp`",
                              claim.name));
}

}  // namespace trainyard::client
