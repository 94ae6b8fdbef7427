#pragma once

#include "base/result.h"

#include <cstdint>
#include <filesystem>
#include <optional>

namespace trainyard::node {

/// How the pods of a namespace share what one of them makes in a volume.
enum class Sharing : std::uint8_t {
  kByAcl,   // all may write, whatever their umask
  kByMode,  // there are no access lists: what is made with the usual umask is its maker's to change
  kAsOne,   // they all run as the server's user
  kNot,     // the disk lets nobody give a folder away, as some networks' do
};

/// Makes the folder of a volume of ours, for whoever the pods of its namespace run as: `group` is
/// theirs (namespace_groups.h), nothing where there is none. One that is there is made so, too.
Result<Sharing> make_volume_folder(const std::filesystem::path& folder,
                                   std::optional<std::int64_t> group);

/// Gives such a folder, not what is in it, to a pod's fsGroup: what is made there from now on
/// belongs to it. What others have made, it may change by the namespace's group.
Result<> give_to_fs_group(const std::filesystem::path& folder, std::int64_t group);

}  // namespace trainyard::node
