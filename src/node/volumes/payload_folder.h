#pragma once

#include "node/volumes/volume_files.h"

#include <filesystem>
#include <set>
#include <string>

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

/// Makes the folder and its files in advance, without content: write_payload() has less to do then,
/// if these names are what it is to show, and they belong to nobody in particular.
Result<> prepare_payload(const std::filesystem::path& folder, const std::set<std::string>& names);

/// Whether there is a whole content, by whomever it was written.
bool holds_payload(const std::filesystem::path& folder);

}  // namespace trainyard::node
