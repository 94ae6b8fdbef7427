#include "cli/arena/code/code_tree.h"

#include "base/crypto/ids.h"
#include "base/files/files.h"
#include "cli/arena/code/ignore_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace trainyard::cli::arena {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kLargest = 64 << 20;

Error too_large(const std::string& path, std::uintmax_t bytes) {
  return Error(Code::kTooLarge,
               fmt::format("{} has {} MiB, which is no code: leave it out by .gitignore, and put "
                           "data into a volume with `trainyard data cp`",
                           path, bytes >> 20));
}

class TreeReader {
 public:
  explicit TreeReader(fs::path root) : root_(std::move(root)) {}

  Result<std::vector<CodeFile>> read() {
    TRY_OK(read_folder(""));
    std::sort(files_.begin(), files_.end(),
              [](const CodeFile& a, const CodeFile& b) { return a.path < b.path; });
    return std::move(files_);
  }

 private:
  Result<> read_folder(const std::string& folder) {
    if (const auto rules = read_file(root_ / folder / ".gitignore")) rules_.add(folder, *rules);
    std::error_code failed;
    fs::directory_iterator entries(root_ / folder, failed);
    if (failed) return io_error("reading", root_ / folder, failed.value());
    for (const fs::directory_entry& entry : entries) {
      const std::string name = entry.path().filename();
      if (name == ".git") continue;
      const std::string path = folder.empty() ? name : folder + "/" + name;
      const bool is_folder = entry.is_directory(failed) && !entry.is_symlink(failed);
      if (rules_.ignores(path, is_folder)) continue;
      // Of links, those to files are followed; pipes and sockets are no code.
      if (is_folder) {
        TRY_OK(read_folder(path));
      } else if (entry.is_regular_file(failed)) {
        TRY_OK(add_file(entry, path));
      }
    }
    return Ok();
  }

  Result<> add_file(const fs::directory_entry& entry, const std::string& path) {
    if (path.find_first_of("\n\t") != std::string::npos) {
      return Error(Code::kInvalid, fmt::format("the name of {} has a tab or a line end", path));
    }
    std::error_code failed;
    const std::uintmax_t bytes = entry.file_size(failed);
    if (!failed && bytes > kLargest) return too_large(path, bytes);
    TRY(const std::string content, read_file(entry.path()));
    const fs::perms mode = entry.status(failed).permissions();
    CodeFile file;
    file.path = path;
    file.hash = sha256_hex(content);
    file.executable = (mode & fs::perms::owner_exec) != fs::perms::none;
    file.bytes = content.size();
    files_.push_back(std::move(file));
    return Ok();
  }

  fs::path root_;
  IgnoreRules rules_;
  std::vector<CodeFile> files_;
};

}  // namespace

Result<std::vector<CodeFile>> read_code_tree(const fs::path& folder) {
  std::error_code failed;
  if (!fs::is_directory(folder, failed)) {
    return Error(Code::kInvalid, fmt::format("{} is no folder of this machine", folder.string()));
  }
  return TreeReader(folder).read();
}

std::string code_listing(const std::vector<CodeFile>& files) {
  std::set<std::string> folders;
  for (const CodeFile& file : files) {
    for (std::size_t at = file.path.find('/'); at != std::string::npos;
         at = file.path.find('/', at + 1)) {
      folders.insert(file.path.substr(0, at));
    }
  }
  std::string text;
  for (const std::string& folder : folders) text += fmt::format("d\t-\t{}\n", folder);
  for (const CodeFile& file : files) {
    text += fmt::format("{}\t{}\t{}\n", file.executable ? "755" : "644", file.hash, file.path);
  }
  return text;
}

std::uint64_t bytes_to_send(const std::vector<CodeFile>& files, std::set<std::string> there) {
  std::uint64_t bytes = 0;
  for (const CodeFile& file : files) {
    if (there.insert(file.hash).second) bytes += file.bytes;
  }
  return bytes;
}

std::string checkout_script(const std::string& listing_hash, const std::string& name) {
  std::string quoted = "'";
  for (const char letter : name) quoted += letter == '\'' ? "'\\''" : std::string(1, letter);
  quoted += "'";
  return fmt::format(
      "set -e; to=/code/{}; mkdir -p \"$to\"; IFS=\"$(printf '\\t')\"; "
      "while read -r mode hash path; do "
      "if test \"$mode\" = d; then mkdir -p \"$to/$path\"; "
      "else cp \"/upload/{}/$hash\" \"$to/$path\"; chmod \"$mode\" \"$to/$path\"; fi; "
      "done < /upload/{}/{}; echo \"code is in $to\"",
      quoted, kCodeFiles, kCodeListings, listing_hash);
}

}  // namespace trainyard::cli::arena
