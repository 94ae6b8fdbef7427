#include "base/crypto/ids.h"
#include "base/crypto/sha256.h"
#include "base/files/files.h"
#include "base/files/folder_entries.h"
#include "base/files/unique_fd.h"
#include "cli/command/run_program.h"
#include "cli/server/backup.h"
#include "cli/server/backup_file.h"
#include "cli/terminal/progress_bar.h"

#include <fmt/format.h>

#include <cerrno>
#include <fcntl.h>
#include <unistd.h>

namespace trainyard::cli {
namespace {

namespace fs = std::filesystem;

Error damaged(const fs::path& file, const std::string& why) {
  return Error(Code::kInvalid,
               fmt::format("{} is damaged: {}. Nothing was changed: restore an older backup, or "
                           "copy this one again from where it came",
                           file.string(), why));
}

Result<std::string> read_at(int file, std::uint64_t place, std::size_t length) {
  std::string text(length, '\0');
  const ssize_t got = ::pread(file, text.data(), length, static_cast<off_t>(place));
  if (got < 0) return io_error("reading", "the backup", errno);
  text.resize(static_cast<std::size_t>(got));
  return text;
}

/// The whole file is read before anything is believed.
Result<> check_file(const fs::path& path) {
  const UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.valid()) return io_error("opening", path, errno);
  std::error_code failed;
  const std::uint64_t size = fs::file_size(path, failed);
  if (failed) return Error(Code::kInvalid, fmt::format("{} is no file", path.string()));
  TRY(const std::string beginning, read_at(file.get(), 0, 64));
  if (!begins_like_backup(beginning)) {
    return Error(Code::kInvalid, fmt::format("{} is no backup of trainyard's: `trainyard backup "
                                             "FILE` makes one",
                                             path.string()));
  }
  if (size < kSealSize) return damaged(path, "its end is missing");
  TRY(const std::string end, read_at(file.get(), size - kSealSize, kSealSize));
  const auto seal = parse_seal(end);
  if (!seal || seal->bytes != size - kSealSize) return damaged(path, "its end is missing");
  Sha256 sha;
  ProgressBar bar("checking", [&] { return size; });
  for (std::uint64_t place = 0; place < seal->bytes;) {
    constexpr std::uint64_t kPiece = 1 << 20;
    TRY(const std::string piece,
        read_at(file.get(), place,
                static_cast<std::size_t>(std::min(kPiece, seal->bytes - place))));
    if (piece.empty()) return damaged(path, "it is shorter than it says");
    sha.add(piece);
    bar.add(piece.size());
    place += piece.size();
  }
  if (sha.hex() != seal->sha256) return damaged(path, "its checksum does not match");
  return Ok();
}

/// What a server that could not start leaves is nothing.
bool is_nothing(const fs::path& name) {
  return name == "lock" || name == "server.log";
}

Result<> check_empty(const fs::path& data_dir) {
  const FolderEntries entries(data_dir);
  for (const auto& entry : entries) {
    if (is_nothing(entry.path().filename())) continue;
    return Error(Code::kAlreadyExists,
                 fmt::format("{} holds data already: move it away (mv {} {}.old), or restore into "
                             "another folder with --data-dir",
                             data_dir.string(), data_dir.string(), data_dir.string()));
  }
  if (entries.failed() && entries.failed() != std::errc::no_such_file_or_directory) {
    return io_error("opening", data_dir, entries.failed().value());
  }
  return Ok();
}

/// Unpacked beside its place, and removed again unless it is taken.
class Unpacked {
 public:
  explicit Unpacked(const fs::path& data_dir)
      : data_dir_(data_dir), path_(data_dir / (".restore-" + random_hex(6))) {}
  Unpacked(const Unpacked&) = delete;
  Unpacked& operator=(const Unpacked&) = delete;
  ~Unpacked() { (void)remove_folder(path_); }
  const fs::path& path() const { return path_; }

  Result<> unpack(const fs::path& file) {
    TRY_OK(make_folders(path_, 0700));
    TRY(const int code,
        run_program({"tar", "--extract", "--file=" + file.string(), "--numeric-owner",
                     "--preserve-permissions", "--acls", "-C", path_.string()}));
    if (code == 0) return Ok();
    return Error(Code::kUnavailable,
                 fmt::format("tar could not unpack {} (exit code {}; why is said above); nothing "
                             "was changed",
                             file.string(), code));
  }

  /// The store comes last: a server that starts on half of it finds none.
  Result<> take() {
    std::vector<fs::path> names;
    const FolderEntries entries(path_);
    if (entries.failed()) return io_error("reading", path_, entries.failed().value());
    for (const auto& entry : entries) {
      const fs::path name = entry.path().filename();
      if (name != kManifestName && name != "store.db") names.push_back(name);
    }
    names.emplace_back("store.db");
    for (const fs::path& name : names) {
      std::error_code failed;
      fs::rename(path_ / name, data_dir_ / name, failed);
      if (failed) return io_error("moving into place", data_dir_ / name, failed.value());
    }
    return Ok();
  }

 private:
  fs::path data_dir_;
  fs::path path_;
};

/// The folder of a volume that the server keeps itself.
void note_volume(const Json& object, const std::string& data_dir, std::vector<fs::path>& volumes) {
  const std::string path(string_at(object, "spec.hostPath.path"));
  if (string_at(object, "kind") == "PersistentVolume" &&
      path.starts_with((fs::path(data_dir) / "volumes" / "").string())) {
    volumes.emplace_back(path);
  }
}

Result<> unpack_and_take(const fs::path& data_dir, const fs::path& file, const StoreTools& store) {
  Unpacked unpacked(data_dir);
  TRY_OK(unpacked.unpack(file));
  const auto manifest = read_file(unpacked.path() / kManifestName);
  if (!manifest) return damaged(file, "it does not say what it is");
  auto from = check_manifest(*manifest);
  if (!from) return std::move(from).error().within(file.string());
  const std::string to = data_dir.string();
  std::vector<fs::path> volumes;
  const auto intact = store.edit(unpacked.path() / "store.db", [&](const Json& object) {
    std::optional<Json> moved = rehomed(object, *from, to);
    note_volume(moved ? *moved : object, to, volumes);
    return moved;
  });
  if (!intact) return damaged(file, intact.error().message());
  TRY_OK(unpacked.take());
  // Without --volumes they are there, and empty.
  for (const fs::path& volume : volumes) TRY_OK(make_folders(volume, 0755));
  return Ok();
}

}  // namespace

Result<int> restore(const Flags& flags, const StoreTools& store, const std::string& name) {
  const fs::path file = from_root(name);
  if (const auto server = find_server(flags.data_dir)) {
    return Error(
        Code::kConflict,
        fmt::format("a server runs on {} (process {}): stop it with `trainyard down --all`, "
                    "or restore into another folder with --data-dir",
                    flags.data_dir.string(), server->pid));
  }
  TRY_OK(check_empty(flags.data_dir));
  TRY_OK(check_file(file));
  std::error_code unknown;
  const bool was_there = fs::exists(flags.data_dir, unknown);
  Result<> done = Ok();
  {
    TRY(const int lock_fd, lock_data_dir(flags.data_dir));
    const UniqueFd lock(lock_fd);
    done = unpack_and_take(flags.data_dir, file, store);
  }
  if (!done) {
    if (!was_there) (void)remove_folder(flags.data_dir);
    return done.error();
  }
  fmt::print("restored to {}; `trainyard up --detach --data-dir {}` starts its server\n",
             flags.data_dir.string(), flags.data_dir.string());
  return 0;
}

}  // namespace trainyard::cli
