#include "base/files/shared_folder.h"

#include "base/files/beneath.h"
#include "base/files/file_tree.h"
#include "base/files/files.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <fcntl.h>
#include <sys/statvfs.h>
#include <unistd.h>

namespace trainyard {
namespace {

namespace fs = std::filesystem;

/// Not held up by a pipe that a job has left there.
constexpr int kReading = O_RDONLY | O_NONBLOCK;
constexpr unsigned kGroupMayWrite = 0020;

/// What the kernel says of somebody else's files is seldom a fault of ours.
Error path_error(std::string_view doing, const std::string& path, int failure) {
  switch (failure) {
    case EEXIST:
      return Error(Code::kAlreadyExists, path + " is there already");
    case ENOTEMPTY:
      return Error(Code::kConflict, path + " is a folder that is not empty");
    case ENAMETOOLONG:
      return Error(Code::kBadRequest, path + ": a name in it is longer than 255 bytes");
    case ENOTDIR:
      return Error(Code::kBadRequest, path + ": something on the way is no folder");
    case EINVAL:
      return Error(Code::kBadRequest, fmt::format("{} {}: that cannot be", doing, path));
    case EROFS:
      return Error(Code::kForbidden, fmt::format("{} {}: its disk is read-only", doing, path));
    default:
      return io_error(doing, path, failure);
  }
}

FileType type_of(mode_t mode) {
  if (S_ISREG(mode)) return FileType::kFile;
  if (S_ISDIR(mode)) return FileType::kFolder;
  return S_ISLNK(mode) ? FileType::kLink : FileType::kSpecial;
}

/// By what the kernel notes of each change of a file; a copy that took its place has another inode.
std::string tag_of(const struct stat& status) {
  return fmt::format("{:x}-{:x}-{:x}.{:x}", status.st_ino, status.st_size, status.st_mtim.tv_sec,
                     status.st_mtim.tv_nsec);
}

FileFacts make_facts(const std::string& name, const struct stat& status) {
  FileFacts facts;
  facts.name = name;
  facts.type = type_of(status.st_mode);
  facts.bytes = status.st_size;
  facts.modified = std::chrono::system_clock::time_point(
      std::chrono::duration_cast<std::chrono::system_clock::duration>(
          std::chrono::seconds(status.st_mtim.tv_sec) +
          std::chrono::nanoseconds(status.st_mtim.tv_nsec)));
  facts.mode = status.st_mode & 07777;
  facts.uid = status.st_uid;
  facts.gid = status.st_gid;
  facts.tag = tag_of(status);
  return facts;
}

Result<std::optional<struct stat>> status_in(int folder, const std::string& name) {
  struct stat status{};
  if (::fstatat(folder, name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0) return {status};
  if (errno == ENOENT) return {std::nullopt};
  return path_error("looking at", name, errno);
}

std::string target_of(int folder, const std::string& name) {
  std::array<char, PATH_MAX> target{};
  const ssize_t length = ::readlinkat(folder, name.c_str(), target.data(), target.size());
  return length < 0 ? std::string() : std::string(target.data(), static_cast<std::size_t>(length));
}

/// One that a job has removed meanwhile is not there.
std::optional<FileFacts> entry_in(int folder, const std::string& name) {
  const auto status = status_in(folder, name);
  if (!status || !*status) return std::nullopt;
  FileFacts facts = make_facts(name, **status);
  if (facts.type == FileType::kLink) facts.target = target_of(folder, name);
  return facts;
}

/// What the group of a folder may read, it may write, where the folder says that all is shared.
unsigned shared_mode(unsigned mode, const struct stat& folder) {
  constexpr unsigned kShared = S_ISGID | kGroupMayWrite;
  constexpr unsigned kOwnerWritesGroupReads = 0240;
  mode &= 0777;
  const bool shares = (folder.st_mode & kShared) == kShared &&
                      (mode & kOwnerWritesGroupReads) == kOwnerWritesGroupReads;
  return shares ? mode | kGroupMayWrite : mode;
}

/// Only root can give away what it has made, and only root's would not be the pods' to change.
Result<> give(int file, const struct stat& to, const std::string& name) {
  if (::geteuid() != 0 || ::fchown(file, to.st_uid, to.st_gid) == 0) return Ok();
  return path_error("giving to the folder's owner", name, errno);
}

}  // namespace

const char* word_for(FileType type) {
  switch (type) {
    case FileType::kFile:
      return "file";
    case FileType::kFolder:
      return "folder";
    case FileType::kLink:
      return "link";
    case FileType::kSpecial:
      return "special";
  }
  return "";
}

Result<std::string> clean_path(std::string_view path) {
  std::string clean;
  if (path.find('\0') != std::string_view::npos) {
    return Error(Code::kBadRequest, "a path has no zero bytes");
  }
  for (const fs::path& part : fs::path(path)) {
    if (part == "..") {
      return Error(Code::kInvalid, fmt::format("{} leads out of its volume", path));
    }
    if (part.empty() || part == "." || part == "/") continue;
    clean += (clean.empty() ? "" : "/") + part.string();
  }
  return clean;
}

Error about_path(const std::string& path, const Error& cause) {
  if (cause.code() == Code::kNotFound) {
    return Error(Code::kNotFound, path + ": there is no such file or folder");
  }
  if (cause.code() == Code::kInvalid) {
    return Error(Code::kInvalid,
                 fmt::format("{} leads out of its volume: there is a link on the way", path));
  }
  return cause;
}

Result<FileFacts> facts_of(int file, const std::string& name) {
  struct stat status{};
  if (::fstat(file, &status) != 0) return path_error("looking at", name, errno);
  return make_facts(name, status);
}

NewFile::NewFile(UniqueFd folder, std::string name, Replacing replacing)
    : folder_(std::move(folder)),
      name_(std::move(name)),
      replacing_(std::move(replacing)),
      draft_(folder_.get(), name_) {}

/// What has the name now, if it may be replaced.
Result<std::optional<struct stat>> NewFile::replaced() const {
  TRY(const auto found, status_in(folder_.get(), name_));
  if (!found) {
    if (replacing_.only_with.empty()) return found;
    return Error(Code::kConflict, name_ + " was removed meanwhile");
  }
  switch (type_of(found->st_mode)) {
    case FileType::kFile:
      break;
    case FileType::kLink:
      if (replacing_.allowed && replacing_.links) return found;
      return Error(Code::kConflict, fmt::format("{} is a link to {}: change that file, or remove "
                                                "the link first",
                                                name_, target_of(folder_.get(), name_)));
    default:
      return Error(Code::kConflict, name_ + " is there already, and is no file");
  }
  if (!replacing_.only_with.empty() && tag_of(*found) != replacing_.only_with) {
    return Error(Code::kConflict, fmt::format("{} was changed meanwhile: load it again, and make "
                                              "your changes in what is there now",
                                              name_));
  }
  if (!replacing_.allowed && replacing_.only_with.empty()) {
    return Error(Code::kAlreadyExists, name_ + " is there already");
  }
  return found;
}

Result<> NewFile::open(const struct stat& folder) {
  TRY(const auto before, replaced());
  file_ = UniqueFd(::openat(folder_.get(), draft_.name(),
                            O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!file_.valid()) return path_error("creating", name_, errno);
  TRY_OK(give(file_.get(), before.value_or(folder), name_));
  const bool file_before = before && S_ISREG(before->st_mode);
  mode_t mode = file_before ? before->st_mode & 0777 : 0644 | (folder.st_mode & kGroupMayWrite);
  if (replacing_.mode) mode = shared_mode(*replacing_.mode, folder);
  if (::fchmod(file_.get(), mode) == 0) return Ok();
  return path_error("changing the mode of", name_, errno);
}

Result<> NewFile::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(file_.get(), bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return path_error("writing", name_, errno);
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return Ok();
}

Result<FileFacts> NewFile::finish() {
  if (::fdatasync(file_.get()) != 0) return path_error("writing", name_, errno);
  // Who wrote since begin, and between this look and the next call, is told apart only here; the
  // kernel has no "replace if it is still that one".
  TRY(const auto before, replaced());
  TRY_OK(before ? draft_.finish() : draft_.finish_new());
  return facts_of(file_.get(), name_);
}

Result<SharedFolder> SharedFolder::open(const fs::path& folder) {
  UniqueFd opened(::open(folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!opened.valid()) return io_error("opening", folder, errno);
  return SharedFolder(std::move(opened));
}

Result<UniqueFd> SharedFolder::open_there(const std::string& path, int flags) const {
  auto opened = open_beneath(folder_.get(), path, flags);
  if (opened) return opened;
  return about_path(path, opened.error());
}

Result<SharedFolder::Place> SharedFolder::place_of(const std::string& path) const {
  if (path.empty()) {
    return Error(Code::kBadRequest, "name a file: the volume itself cannot be changed like one");
  }
  const std::size_t slash = path.rfind('/');
  const bool inside = slash != std::string::npos;
  Place place;
  TRY(place.folder, open_there(inside ? path.substr(0, slash) : "", O_PATH | O_DIRECTORY));
  place.name = inside ? path.substr(slash + 1) : path;
  return place;
}

Result<FileFacts> SharedFolder::look(const std::string& path) const {
  TRY(const UniqueFd opened, open_there(path, O_PATH));
  return facts_of(opened.get(), fs::path(path).filename());
}

Result<FolderPage> SharedFolder::list(const std::string& path, const std::string& after,
                                      std::size_t limit) const {
  TRY(const UniqueFd folder, open_there(path, O_RDONLY | O_DIRECTORY));
  TRY(auto names, names_in(folder.get(), path));
  std::sort(names.begin(), names.end());
  FolderPage page;
  page.total = names.size();
  auto next = after.empty() ? names.begin() : std::upper_bound(names.begin(), names.end(), after);
  for (; next != names.end() && page.entries.size() < limit; ++next) {
    if (auto facts = entry_in(folder.get(), *next)) page.entries.push_back(*std::move(facts));
  }
  return page;
}

Result<UniqueFd> SharedFolder::open_file(const std::string& path) const {
  TRY(UniqueFd opened, open_there(path, kReading));
  TRY(const FileFacts facts, facts_of(opened.get(), path));
  if (facts.type == FileType::kFile) return opened;
  return Error(
      Code::kBadRequest,
      fmt::format("{} is no file{}", path, facts.type == FileType::kFolder ? " but a folder" : ""));
}

Result<std::unique_ptr<NewFile>> SharedFolder::begin_file(const std::string& path,
                                                          Replacing replacing) const {
  TRY(Place place, place_of(path));
  struct stat folder{};
  if (::fstat(place.folder.get(), &folder) != 0) return path_error("looking at", path, errno);
  auto made = std::make_unique<NewFile>(std::move(place.folder), std::move(place.name),
                                        std::move(replacing));
  TRY_OK(made->open(folder));
  return made;
}

Result<FileFacts> SharedFolder::make_folder(const std::string& path,
                                            std::optional<unsigned> mode) const {
  TRY(const Place place, place_of(path));
  struct stat above{};
  if (::fstat(place.folder.get(), &above) != 0) return path_error("looking at", path, errno);
  if (::mkdirat(place.folder.get(), place.name.c_str(), 0700) != 0) {
    return path_error("making folder", path, errno);
  }
  // By its descriptor: whoever puts a link in its place changes nothing elsewhere.
  const UniqueFd made(::openat(place.folder.get(), place.name.c_str(),
                               O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!made.valid()) return path_error("opening", path, errno);
  TRY_OK(give(made.get(), above, path));
  if (::fchmod(made.get(), mode.value_or(above.st_mode) & 07777) != 0) {
    return path_error("changing the mode of", path, errno);
  }
  return facts_of(made.get(), place.name);
}

Result<FileFacts> SharedFolder::make_link(const std::string& path, const std::string& target,
                                          bool replace) const {
  TRY(const Place place, place_of(path));
  struct stat above{};
  if (::fstat(place.folder.get(), &above) != 0) return path_error("looking at", path, errno);
  TRY(const auto before, status_in(place.folder.get(), place.name));
  if (before && (!replace || S_ISDIR(before->st_mode))) return path_error("linking", path, EEXIST);
  FileDraft draft(place.folder.get(), place.name);
  if (::symlinkat(target.c_str(), place.folder.get(), draft.name()) != 0) {
    return path_error("linking", path, errno);
  }
  if (::geteuid() == 0 && ::fchownat(place.folder.get(), draft.name(), above.st_uid, above.st_gid,
                                     AT_SYMLINK_NOFOLLOW) != 0) {
    return path_error("giving to the folder's owner", path, errno);
  }
  TRY_OK(replace ? draft.finish() : draft.finish_new());
  if (auto facts = entry_in(place.folder.get(), place.name)) return *std::move(facts);
  return about_path(path, Error(Code::kNotFound, ""));
}

Result<FileFacts> SharedFolder::rename(const std::string& from, const std::string& to) const {
  TRY(const Place source, place_of(from));
  TRY(const Place target, place_of(to));
  if (::renameat2(source.folder.get(), source.name.c_str(), target.folder.get(),
                  target.name.c_str(), RENAME_NOREPLACE) != 0) {
    if (errno == ENOENT) return about_path(from, Error(Code::kNotFound, ""));
    if (errno == EINVAL) {
      return Error(Code::kBadRequest, fmt::format("{} cannot be moved into itself", from));
    }
    return path_error("renaming to", to, errno);
  }
  const auto facts = entry_in(target.folder.get(), target.name);
  if (facts) return *facts;
  return about_path(to, Error(Code::kNotFound, ""));
}

Result<> SharedFolder::remove(const std::string& path, bool recursive) const {
  TRY(const Place place, place_of(path));
  TRY(const auto status, status_in(place.folder.get(), place.name));
  if (!status) return about_path(path, Error(Code::kNotFound, ""));
  if (recursive) return remove_tree(place.folder.get(), place.name);
  const int flags = S_ISDIR(status->st_mode) ? AT_REMOVEDIR : 0;
  if (::unlinkat(place.folder.get(), place.name.c_str(), flags) == 0) return Ok();
  return path_error("removing", path, errno);
}

Result<std::int64_t> SharedFolder::free_bytes() const {
  struct statvfs disk{};
  if (::fstatvfs(folder_.get(), &disk) != 0) return io_error("looking at the disk of", ".", errno);
  return static_cast<std::int64_t>(disk.f_bavail) * static_cast<std::int64_t>(disk.f_frsize);
}

}  // namespace trainyard
