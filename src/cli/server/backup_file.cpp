#include "cli/server/backup_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>

namespace trainyard::cli {
namespace {

constexpr std::string_view kBegin = "trainyard-backup sha256:";
constexpr std::string_view kMiddle = " bytes:";
constexpr std::size_t kDigits = 64;
constexpr std::int64_t kFormat = 1;

bool is_hex(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

}  // namespace

std::string Seal::text() const {
  std::string line = fmt::format("{}{}{}{}", kBegin, sha256, kMiddle, bytes);
  line.resize(kSealSize - 1, ' ');
  return line + "\n";
}

Result<Seal> parse_seal(std::string_view text) {
  const Error none(Code::kInvalid, "it does not end as a backup does");
  if (text.size() != kSealSize || !text.starts_with(kBegin)) return none;
  text.remove_prefix(kBegin.size());
  Seal seal;
  seal.sha256 = text.substr(0, kDigits);
  text.remove_prefix(kDigits);
  if (!is_hex(seal.sha256) || !text.starts_with(kMiddle)) return none;
  text.remove_prefix(kMiddle.size());
  const auto read = std::from_chars(text.data(), text.data() + text.size(), seal.bytes);
  if (read.ec != std::errc()) return none;
  text.remove_prefix(static_cast<std::size_t>(read.ptr - text.data()));
  if (text.find_first_not_of(' ') != text.size() - 1 || text.back() != '\n') return none;
  return seal;
}

bool begins_like_backup(std::string_view beginning) {
  // Of a user with a number that tar's first form has no room for.
  constexpr std::string_view kLargeOwner = "./PaxHeaders";
  return beginning.starts_with(kManifestName) || beginning.starts_with(kLargeOwner);
}

Result<std::string> check_manifest(const std::string& text) {
  const auto manifest = parse_json(text);
  const std::int64_t format = manifest ? int_at(*manifest, "format") : 0;
  if (format == kFormat) return std::string(string_at(*manifest, "dataDir"));
  if (format > kFormat) {
    return Error(Code::kUnsupported,
                 fmt::format("it was made by trainyard {}, whose backups this version does not "
                             "know: use that version or a newer one",
                             string_at(*manifest, "version", "of another version")));
  }
  return Error(Code::kInvalid, "it does not say what it is");
}

std::optional<Json> rehomed(const Json& object, const std::string& from, const std::string& to) {
  if (string_at(object, "kind") != "PersistentVolume") return std::nullopt;
  const std::string path(string_at(object, "spec.hostPath.path"));
  // The last part is empty: folders of volumes are below.
  const std::string home = (std::filesystem::path(from) / "volumes" / "").string();
  if (from.empty() || from == to || !path.starts_with(home)) return std::nullopt;
  Json moved = object;
  make_path(moved, "spec.hostPath.path") =
      (std::filesystem::path(to) / "volumes" / path.substr(home.size())).string();
  return moved;
}

}  // namespace trainyard::cli
