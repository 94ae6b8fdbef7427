#pragma once

#include "base/result.h"
#include "object/json/json.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

/// The form of a backup: an archive that tar can read, whose first file says what it is, and behind
/// its end one line with the checksum of all before. Pure.
namespace trainyard::cli {

/// The first file of the archive.
inline constexpr const char* kManifestName = "trainyard-backup.json";
/// How long the last line is, with its blanks.
inline constexpr std::size_t kSealSize = 160;

struct Seal {
  std::string sha256;
  std::uint64_t bytes = 0;  // of the archive

  std::string text() const;
};
/// From the last bytes of a file. kInvalid: it is none.
Result<Seal> parse_seal(std::string_view text);

/// Whether a file that begins like this is a backup, or was to become one.
bool begins_like_backup(std::string_view beginning);

/// From the manifest: the data folder that was saved. Errors are for people: made by a newer
/// version, or not ours.
Result<std::string> check_manifest(const std::string& text);

/// A volume whose files were in the old data folder has them in the new one; nothing for all else.
std::optional<Json> rehomed(const Json& object, const std::string& from, const std::string& to);

}  // namespace trainyard::cli
