#pragma once

#include "node/volume_files.h"

#include <filesystem>

namespace trainyard::node {

/// Makes `folder` show exactly `files`. Who reads it sees all of the old content or all of the new:
///
///   folder/NAME           a link to ..data/NAME, one for each first part of a path
///   folder/..data         a link to the folder below, replaced in one step
///   folder/..RANDOM/…     the files
///
/// Nothing is written when it shows them already.
Result<> write_payload(const std::filesystem::path& folder, const VolumeFiles& files,
                       const FileOwner& owner);

/// Whether there is a whole content, by whomever it was written.
bool holds_payload(const std::filesystem::path& folder);

}  // namespace trainyard::node
