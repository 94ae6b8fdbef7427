#pragma once

#include "base/files/file_draft.h"
#include "base/files/unique_fd.h"
#include "base/result.h"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <sys/stat.h>
#include <vector>

namespace trainyard {

enum class FileType : std::uint8_t { kFile, kFolder, kLink, kSpecial };
/// For people and for the API.
const char* word_for(FileType type);

/// What there is to say of a file without opening it. Names and targets are bytes, as Linux has
/// them: whoever shows them to people sees to it that they are text.
struct FileFacts {
  std::string name;
  FileType type = FileType::kFile;
  std::int64_t bytes = 0;
  std::chrono::system_clock::time_point modified;
  unsigned mode = 0;  // 07777
  unsigned uid = 0;
  unsigned gid = 0;
  std::string target;  // of a link: what it says
  std::string tag;     // another one when the content is another
};

/// One part of a folder's files, by name.
struct FolderPage {
  std::vector<FileFacts> entries;
  std::size_t total = 0;  // of all, also before and after this part
};

/// How a new file may come to its place.
struct Replacing {
  bool allowed = false;                         // otherwise nothing may be there
  std::string only_with;                        // a tag: only that very content may be replaced
  std::optional<unsigned> mode = std::nullopt;  // of the file; else that of what it replaces
  bool links = false;                           // where allowed, a link may be replaced as well
};

/// "a//b/./c" and "/a/b/c" as "a/b/c"; empty is all of it. kInvalid when it goes up or can be no
/// path.
Result<std::string> clean_path(std::string_view path);

/// A file that is being written and not there yet. One that is dropped leaves nothing behind.
class NewFile {
 public:
  NewFile(UniqueFd folder, std::string name, Replacing replacing);
  Result<> open(const struct stat& folder);
  Result<> write(std::string_view bytes);
  /// On disk, then in its place.
  Result<FileFacts> finish();

 private:
  Result<std::optional<struct stat>> replaced() const;

  UniqueFd folder_;
  std::string name_;
  Replacing replacing_;
  FileDraft draft_;
  UniqueFd file_;
};

/// The files below one folder, in which others may be working at the same time. Paths are below it
/// and stay there, whatever links somebody puts on the way: the kernel sees to that
/// (base/files/beneath.h). What it makes belongs to the owner of the folder that it is made in.
/// Every call may wait for the disk.
class SharedFolder {
 public:
  static Result<SharedFolder> open(const std::filesystem::path& folder);

  int descriptor() const { return folder_.get(); }
  /// What is there; a link is followed.
  Result<FileFacts> look(const std::string& path) const;
  /// At most `limit` entries whose names come after `after`.
  Result<FolderPage> list(const std::string& path, const std::string& after,
                          std::size_t limit) const;
  /// For reading. kInvalid for what is no file.
  Result<UniqueFd> open_file(const std::string& path) const;
  Result<std::unique_ptr<NewFile>> begin_file(const std::string& path, Replacing replacing) const;
  /// Its mode is that of the folder it is in, unless told otherwise.
  Result<FileFacts> make_folder(const std::string& path,
                                std::optional<unsigned> mode = std::nullopt) const;
  /// A link that says `target`, in the place of another link or a file only with `replace`.
  Result<FileFacts> make_link(const std::string& path, const std::string& target,
                              bool replace) const;
  /// kAlreadyExists when something has the other name.
  Result<FileFacts> rename(const std::string& from, const std::string& to) const;
  /// Of a link, the link. kConflict for a folder that is not empty, unless `recursive`.
  Result<> remove(const std::string& path, bool recursive) const;
  /// Bytes that the disk has left for others than root.
  Result<std::int64_t> free_bytes() const;

 private:
  explicit SharedFolder(UniqueFd folder) : folder_(std::move(folder)) {}
  /// Where a path ends: the open folder, and the name in it.
  struct Place {
    UniqueFd folder;
    std::string name;
  };
  Result<UniqueFd> open_there(const std::string& path, int flags) const;
  Result<Place> place_of(const std::string& path) const;

  UniqueFd folder_;
};

/// Of an open file. `name` is what it is called where it was found.
Result<FileFacts> facts_of(int file, const std::string& name);
/// `path` in words of the one who asked, for what base/files/beneath.h and the kernel say of it.
Error about_path(const std::string& path, const Error& cause);

}  // namespace trainyard
