#pragma once

#include "base/files/shared_folder.h"
#include "client/volume_files.h"
#include "object/json/json.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace trainyard::server {

// What requests for the files of volumes say, and the words of the answers. No I/O in here.

/// Some bytes of a file.
struct ByteRange {
  std::int64_t first = 0;
  std::int64_t length = 0;
  bool operator==(const ByteRange&) const = default;
};

/// What a Range header asks for of a file of `size` bytes: one range. Nothing when the header is to
/// be ignored, which is what HTTP says of any that we cannot read; kInvalid when the file has no
/// such bytes.
Result<std::optional<ByteRange>> parse_range(std::string_view header, std::int64_t size);

/// Content-Disposition that makes browsers save and never show, with the name in both ways of
/// writing it.
std::string attachment(std::string_view name);

/// "TAG" or W/"TAG" of If-Match and its kin, without the quotes; empty when it is none.
std::string parse_tag(std::string_view header);

/// {"name", "encoded", "type", …}. `encoded` is the name for addresses, byte by byte, where it is
/// not text.
Json describe_file(const FileFacts& facts);
Json describe_view(const std::string& path, const client::FileView& view);

}  // namespace trainyard::server
