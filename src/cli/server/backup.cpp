#include "cli/server/backup.h"

#include "base/crypto/ids.h"
#include "base/crypto/sha256.h"
#include "base/files/file_draft.h"
#include "base/files/file_tree.h"
#include "base/files/files.h"
#include "base/files/folder_entries.h"
#include "cli/command/commands.h"
#include "cli/command/run_program.h"
#include "cli/server/backup_file.h"
#include "cli/terminal/progress_bar.h"
#include "object/json/json.h"

#include <fmt/format.h>

#include <cerrno>
#include <fcntl.h>
#include <sys/statvfs.h>
#include <unistd.h>

namespace trainyard::cli {
namespace {

namespace fs = std::filesystem;

/// What can be saved of a data folder, and how much it is.
struct Part {
  const char* what;
  std::vector<const char*> names;  // in the data folder
  bool wanted = true;
  const char* flag = "";  // that asks for it
  std::uint64_t bytes = 0;
};

std::uint64_t size_of(const fs::path& path) {
  const UniqueFd open(::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  return open.valid() ? bytes_in(open) : 0;
}

std::vector<Part> parts_of(const fs::path& data_dir, const BackupOptions& options) {
  std::vector<Part> parts{{"objects", {"store.db", "store.db-wal"}},
                          {"keys", {"pki", "kubeconfig"}},
                          {"usage", {"usage"}},
                          {"kept logs", {"logs"}, options.logs, "--logs"},
                          {"volumes", {"volumes"}, options.volumes, "--volumes"}};
  for (Part& part : parts) {
    for (const char* name : part.names) part.bytes += size_of(data_dir / name);
  }
  return parts;
}

std::uint64_t say_sizes(const std::vector<Part>& parts) {
  std::uint64_t total = 0;
  for (const Part& part : parts) {
    if (part.wanted) total += part.bytes;
    fmt::print("{:<10} {:>10}{}\n", part.what, bytes_text(part.bytes),
               part.wanted ? "" : fmt::format("  left out; {} takes it in", part.flag));
  }
  fmt::print("{:<10} {:>10}\n", "in all", bytes_text(total));
  std::fflush(stdout);
  return total;
}

Result<> check_space(const fs::path& folder, std::uint64_t bytes) {
  struct statvfs disk{};
  if (::statvfs(folder.c_str(), &disk) != 0) return io_error("looking at", folder, errno);
  const std::uint64_t free = disk.f_bavail * disk.f_frsize;
  if (free > bytes + (std::uint64_t{1} << 20)) return Ok();
  return Error(Code::kUnavailable,
               fmt::format("{} has {} free, the backup needs {}: choose another disk",
                           folder.string(), bytes_text(free), bytes_text(bytes)));
}

/// A folder for what is made on the way; gone with all in it when this goes.
class Workplace {
 public:
  static Result<Workplace> make(const fs::path& parent) {
    Workplace made;
    made.path_ = parent / (".backup-" + random_hex(6));
    TRY_OK(make_folders(made.path_, 0700));
    return made;
  }
  Workplace() = default;
  Workplace(Workplace&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  Workplace& operator=(Workplace&&) = delete;
  ~Workplace() {
    if (!path_.empty()) (void)remove_folder(path_);
  }
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

/// The archive is written as tar makes it, and its checksum taken on the way.
class SealedFile {
 public:
  explicit SealedFile(int file) : file_(file) {}
  Result<> add(std::string_view bytes) {
    sha_.add(bytes);
    bytes_ += bytes.size();
    return write_all(bytes);
  }
  Result<> finish() {
    TRY_OK(write_all(Seal{sha_.hex(), bytes_}.text()));
    if (::fsync(file_) != 0) return io_error("writing", "the backup", errno);
    return Ok();
  }
  std::uint64_t bytes() const { return bytes_; }

 private:
  Result<> write_all(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t written = ::write(file_, bytes.data(), bytes.size());
      if (written < 0) return io_error("writing", "the backup", errno);
      bytes.remove_prefix(static_cast<std::size_t>(written));
    }
    return Ok();
  }
  int file_;
  Sha256 sha_;
  std::uint64_t bytes_ = 0;
};

std::vector<std::string> tar_words(const fs::path& data_dir, const fs::path& workplace,
                                   const std::vector<Part>& parts) {
  // With the access lists by which pods share volumes, which only this format has; without times
  // finer than seconds, which would be a header before the first file.
  std::vector<std::string> words{"tar", "--create", "--file=-", "--format=posix", "--acls",
                                 "--pax-option=delete=mtime,delete=atime,delete=ctime",
                                 "--numeric-owner", "--sparse", "--exclude=volumes/.removed",
                                 // Jobs go on writing: what goes away meanwhile is no failure.
                                 "--warning=no-file-changed", "--warning=no-file-removed",
                                 "--warning=no-file-ignored", "-C", workplace.string(),
                                 kManifestName, "store.db"};
  if (is_there(workplace / "store.revision")) words.emplace_back("store.revision");
  words.insert(words.end(), {"-C", data_dir.string()});
  for (const Part& part : parts) {
    if (!part.wanted || std::string_view(part.what) == "objects") continue;
    for (const char* name : part.names) {
      if (is_there(data_dir / name)) words.emplace_back(name);
    }
  }
  return words;
}

Json manifest(const fs::path& data_dir, const std::vector<Part>& parts) {
  JsonArray held;
  for (const Part& part : parts) {
    if (part.wanted) held.emplace_back(part.what);
  }
  return JsonObject{{"format", 1},
                    {"version", TRAINYARD_VERSION},
                    {"dataDir", data_dir.string()},
                    {"made", format_time(SystemClock().wall())},
                    {"holds", std::move(held)}};
}

Result<std::uint64_t> write_backup(const fs::path& data_dir, const fs::path& workplace,
                                   const std::vector<Part>& parts, std::uint64_t total,
                                   const fs::path& file) {
  const fs::path folder = file.has_parent_path() ? file.parent_path() : ".";
  const UniqueFd open_folder(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!open_folder.valid()) return io_error("opening", folder, errno);
  FileDraft draft(open_folder.get(), file.filename());
  const UniqueFd out(::openat(open_folder.get(), draft.name(),
                              O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!out.valid()) return io_error("creating", file, errno);
  SealedFile sealed(out.get());
  {
    ProgressBar bar("saving", [total] { return total; });
    TRY(const int code,
        stream_program(tar_words(data_dir, workplace, parts), [&](std::string_view bytes) {
          bar.add(bytes.size());
          return sealed.add(bytes);
        }));
    // 1: files changed while they were read, which those of running jobs do.
    if (code > 1) {
      return Error(Code::kUnavailable,
                   fmt::format("tar could not read all of {} (exit code {}; why is said above): no "
                               "backup was made",
                               data_dir.string(), code));
    }
  }
  TRY_OK(sealed.finish());
  TRY_OK(draft.finish_new());
  return sealed.bytes() + kSealSize;
}

}  // namespace

Result<int> backup(const Flags& flags, const StoreTools& store, const BackupOptions& options) {
  const fs::path file = from_root(options.file);
  std::error_code unknown;
  if (fs::exists(file, unknown)) {
    return Error(
        Code::kAlreadyExists,
        fmt::format("{} is there already: choose another name, or remove it first", file.string()));
  }
  if (!fs::exists(flags.data_dir / "store.db", unknown)) {
    return Error(Code::kNotFound,
                 fmt::format("{} holds nothing to save: no server has run there. --data-dir names "
                             "another folder",
                             flags.data_dir.string()));
  }
  const std::vector<Part> parts = parts_of(flags.data_dir, options);
  const std::uint64_t total = say_sizes(parts);
  if (options.dry_run) return 0;
  TRY_OK(check_space(file.parent_path(), total));
  TRY(const Workplace workplace, Workplace::make(flags.data_dir));
  TRY_OK(store.copy(flags.data_dir / "store.db", workplace.path() / "store.db"));
  TRY_OK(write_file_unsynced(workplace.path() / kManifestName,
                             to_pretty_text(manifest(flags.data_dir, parts)) + "\n", 0600));
  TRY(const std::uint64_t bytes,
      write_backup(flags.data_dir, workplace.path(), parts, total, file));
  fmt::print("saved to {} ({}). It holds keys: keep it where only you can read it\n", file.string(),
             bytes_text(bytes));
  return 0;
}

}  // namespace trainyard::cli
