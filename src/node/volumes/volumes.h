#pragma once

#include "client/claim_folder.h"
#include "object/values/metadata.h"

#include <string>
#include <vector>

namespace trainyard::node {

inline const Resource kVolumes{"", "v1", "persistentvolumes"};
inline const Resource kStorageClasses{"storage.k8s.io", "v1", "storageclasses"};

using client::kPathAnnotation;
using client::kReadOnlyAnnotation;
/// Who makes the volumes of the StorageClass `local`, which claims get that ask for none.
inline constexpr const char* kProvisioner = "trainyard.dev/local";

/// pvc-UID: the name of the volume that is made for a claim.
std::string volume_name(const Json& claim);
/// The volume that stands for a claim's folder, bound to it.
Json make_volume(const Json& claim, const std::string& path, const std::string& reclaim_policy);
/// The entry by which a volume names its claim.
Json claim_reference(const Json& claim);
/// The claim that a volume names; empty when it names none.
Key claim_of(const Json& volume);
/// The folder on this machine that a volume is; empty when it is something else.
std::string folder_of_volume(const Json& volume);

/// Whether a claim asks for more than it was given: somebody has expanded it.
bool wants_more(const Json& claim);
/// Whether a claim may have the volume: it is this claim's, reserved for it, or nobody's.
bool may_bind(const Json& volume, const Json& claim);
/// Of volumes that were there before the claim, the smallest that is all it asks for; or nullptr.
ObjectPtr choose_volume(const std::vector<ObjectPtr>& volumes, const Json& claim);

}  // namespace trainyard::node
