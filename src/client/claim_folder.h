#pragma once

#include "client/api.h"

#include <string>

namespace trainyard::client {

/// On a PersistentVolumeClaim: a folder of the user's instead of one in the data folder.
inline constexpr const char* kPathAnnotation = "trainyard.dev/path";
inline constexpr const char* kReadOnlyAnnotation = "trainyard.dev/read-only";

/// Where a claim's files are on the server's machine, and whether they may be changed.
struct ClaimFolder {
  std::string path;
  bool read_only = false;
};

/// By the volume that the claim is bound to, and that is bound to it. kNotFound when there is no
/// such claim, kUnavailable while it has no volume, kUnsupported when that is no folder.
awaitable<Result<ClaimFolder>> find_claim_folder(Api& api, Key claim);

/// In words that help.
Error no_such_volume(const Key& claim);

}  // namespace trainyard::client
