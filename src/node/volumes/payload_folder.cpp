#include "node/volumes/payload_folder.h"

#include "base/crypto/ids.h"
#include "base/files/files.h"
#include "base/files/folder_entries.h"
#include "base/files/unique_fd.h"

#include <cerrno>
#include <fcntl.h>
#include <set>
#include <sys/stat.h>
#include <unistd.h>

namespace trainyard::node {
namespace {

namespace fs = std::filesystem;

constexpr const char* kCurrent = "..data";
constexpr const char* kNext = "..data_tmp";
constexpr const char* kPrepared = "..prepared";

/// An ordinary user's server can give files to nobody; its containers run as itself, too.
Result<> give(int file, const fs::path& path, const std::optional<std::int64_t>& user,
              const std::optional<std::int64_t>& group) {
  if ((!user && !group) || ::geteuid() != 0) return Ok();
  if (::fchown(file, static_cast<uid_t>(user.value_or(-1)),
               static_cast<gid_t>(group.value_or(-1))) == 0) {
    return Ok();
  }
  return io_error("giving to its owner", path, errno);
}

Result<> make_folder(const fs::path& folder, const FileOwner& owner) {
  TRY_OK(make_folders(folder, 0755));
  const UniqueFd open(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!open.valid()) return io_error("opening", folder, errno);
  TRY_OK(give(open.get(), folder, std::nullopt, owner.group));
  // Whatever the server's umask is: the files' own modes say who may read them.
  if (::fchmod(open.get(), 0755) != 0) return io_error("opening up", folder, errno);
  return Ok();
}

Result<> write_one(const fs::path& path, const VolumeFile& file, const FileOwner& owner,
                   int flags = O_CREAT | O_EXCL) {
  const UniqueFd out(::open(path.c_str(), O_WRONLY | O_CLOEXEC | flags, 0600));
  if (!out.valid()) return io_error("creating", path, errno);
  std::string_view rest = file.content;
  while (!rest.empty()) {
    const ssize_t written = ::write(out.get(), rest.data(), rest.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return io_error("writing", path, errno);
    rest.remove_prefix(static_cast<std::size_t>(written));
  }
  TRY_OK(give(out.get(), path, file.for_user ? owner.user : std::nullopt, owner.group));
  if (::fchmod(out.get(), file.mode) != 0) return io_error("changing the mode of", path, errno);
  return Ok();
}

Result<> write_all(const fs::path& folder, const VolumeFiles& files, const FileOwner& owner) {
  TRY_OK(make_folder(folder, owner));
  for (const auto& [name, file] : files) {
    const fs::path path = folder / name;
    for (fs::path part = folder; const auto& step : fs::path(name).parent_path()) {
      part /= step;
      if (!is_there(part)) TRY_OK(make_folder(part, owner));
    }
    TRY_OK(write_one(path, file, owner));
  }
  return Ok();
}

std::string linked_to(const fs::path& link) {
  std::error_code failed;
  return fs::read_symlink(link, failed).string();
}

bool shows(const fs::path& folder, const VolumeFiles& files) {
  std::error_code failed;
  const fs::path current = folder / kCurrent;
  std::size_t found = 0;
  for (const auto& entry : TreeEntries(current)) {
    if (entry.is_regular_file(failed)) ++found;
  }
  if (found != files.size() || !fs::exists(current, failed)) return false;
  for (const auto& [name, file] : files) {
    struct stat status{};
    if (::stat((current / name).c_str(), &status) != 0) return false;
    const auto content = read_file(current / name);
    if (!content || *content != file.content || (status.st_mode & 07777) != file.mode) return false;
  }
  return true;
}

/// The first parts of all paths: the names that people see.
std::set<std::string> names_of(const VolumeFiles& files) {
  std::set<std::string> names;
  for (const auto& [path, file] : files) names.insert(path.substr(0, path.find('/')));
  return names;
}

/// Each name is a link through ..data, and leads nowhere until that shows it.
Result<> link_names(const fs::path& folder, const VolumeFiles& files) {
  for (const std::string& name : names_of(files)) {
    const std::string target = std::string(kCurrent) + "/" + name;
    if (::symlink(target.c_str(), (folder / name).c_str()) != 0 && errno != EEXIST) {
      return io_error("linking", folder / name, errno);
    }
  }
  return Ok();
}

/// Those of earlier content.
void unlink_names(const fs::path& folder, const VolumeFiles& files) {
  const std::set<std::string> names = names_of(files);
  std::error_code failed;
  std::vector<fs::path> gone;
  for (const auto& entry : FolderEntries(folder)) {
    const std::string name = entry.path().filename();
    if (!name.starts_with("..") && !names.contains(name)) gone.push_back(entry.path());
  }
  for (const fs::path& link : gone) fs::remove(link, failed);
}

/// What an earlier content, or a server that died while it wrote one, has left.
Result<> remove_others(const fs::path& folder, const std::string& current) {
  std::vector<fs::path> others;
  for (const auto& entry : FolderEntries(folder)) {
    const std::string name = entry.path().filename();
    if (name.starts_with("..") && name != kCurrent && name != current) {
      others.push_back(entry.path());
    }
  }
  for (const fs::path& other : others) TRY_OK(remove_folder(other));
  return Ok();
}

Result<> show(const fs::path& folder, const std::string& name) {
  (void)::unlink((folder / kNext).c_str());
  if (::symlink(name.c_str(), (folder / kNext).c_str()) != 0 ||
      ::rename((folder / kNext).c_str(), (folder / kCurrent).c_str()) != 0) {
    return io_error("replacing", folder / kCurrent, errno);
  }
  return Ok();
}

bool is_prepared_for(const fs::path& folder, const VolumeFiles& files, const FileOwner& owner) {
  if (owner.user || owner.group || holds_payload(folder)) return false;
  std::size_t found = 0;
  for (const auto& entry : FolderEntries(folder / kPrepared)) {
    if (!files.contains(entry.path().filename())) return false;
    ++found;
  }
  return found > 0 && found == files.size();
}

/// In place: nothing shows them yet.
Result<> fill_prepared(const fs::path& folder, const VolumeFiles& files) {
  for (const auto& [name, file] : files) {
    TRY_OK(write_one(folder / kPrepared / name, file, {}, O_TRUNC));
  }
  return show(folder, kPrepared);
}

}  // namespace

Result<> prepare_payload(const fs::path& folder, const std::set<std::string>& names) {
  VolumeFiles blank;
  for (const std::string& name : names) blank[name];
  TRY_OK(make_folders(folder.parent_path(), 0700));
  TRY_OK(make_folder(folder, {}));
  TRY_OK(write_all(folder / kPrepared, blank, {}));
  return link_names(folder, blank);
}

bool holds_payload(const fs::path& folder) {
  std::error_code failed;
  return fs::exists(folder / kCurrent, failed);
}

Result<> write_payload(const fs::path& folder, const VolumeFiles& files, const FileOwner& owner) {
  if (is_prepared_for(folder, files, owner)) return fill_prepared(folder, files);
  const bool is_first = !is_there(folder);
  if (!is_first && shows(folder, files)) return Ok();
  // Nobody else on this machine shall get at it: the containers have it mounted.
  TRY_OK(make_folders(folder.parent_path(), 0700));
  TRY_OK(make_folder(folder, owner));
  const std::string name = ".." + random_hex(8);
  TRY_OK(write_all(folder / name, files, owner));
  TRY_OK(link_names(folder, files));
  TRY_OK(show(folder, name));
  if (is_first) return Ok();
  unlink_names(folder, files);
  return remove_others(folder, linked_to(folder / kCurrent));
}

}  // namespace trainyard::node
