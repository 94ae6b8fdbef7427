#include "monitor/events/log_folder.h"

#include "base/files/beneath.h"
#include "base/files/files.h"
#include "base/files/unique_fd.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

namespace trainyard::monitor {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kDeepest = 64;
constexpr std::size_t kMostFiles = 200'000;
/// Not held up by a pipe that somebody has put there.
constexpr int kReading = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;

class LocalFile final : public LogFile {
 public:
  LocalFile(UniqueFd file, const struct stat& facts)
      : file_(std::move(file)),
        size_(static_cast<std::uint64_t>(facts.st_size)),
        identity_(facts.st_ino ^ (std::uint64_t(facts.st_dev) << 48)) {}

  std::uint64_t size() const override { return size_; }
  std::uint64_t identity() const override { return identity_; }
  Result<std::size_t> read(std::uint64_t offset, char* into, std::size_t size) override {
    std::size_t got = 0;
    while (got < size) {
      const ssize_t more =
          ::pread(file_.get(), into + got, size - got, static_cast<off_t>(offset + got));
      if (more < 0 && errno == EINTR) continue;
      if (more < 0) return io_error("reading", "an event file", errno);
      if (more == 0) break;
      got += static_cast<std::size_t>(more);
    }
    return got;
  }

 private:
  UniqueFd file_;
  std::uint64_t size_;
  std::uint64_t identity_;
};

struct CloseFolder {
  void operator()(DIR* folder) const { ::closedir(folder); }
};

class LocalFolder final : public LogFolder {
 public:
  explicit LocalFolder(UniqueFd folder) : folder_(std::move(folder)) {}

  Result<std::vector<std::string>> find(ReadNotes& notes) override {
    std::vector<std::string> found;
    walk("", 0, found, notes);
    std::sort(found.begin(), found.end());
    return found;
  }

  Result<std::unique_ptr<LogFile>> open(const std::string& path) override {
    TRY(UniqueFd file, open_beneath(folder_.get(), path, kReading));
    struct stat facts{};
    if (::fstat(file.get(), &facts) != 0) return io_error("looking at", path, errno);
    if (!S_ISREG(facts.st_mode)) return Error(Code::kInvalid, path + " is no file");
    return {std::make_unique<LocalFile>(std::move(file), facts)};
  }

 private:
  void walk(const std::string& below, std::size_t depth, std::vector<std::string>& found,
            ReadNotes& notes) const {
    const std::string path = below.empty() ? "." : below;
    auto opened = open_beneath(folder_.get(), path, kReading | O_DIRECTORY);
    std::unique_ptr<DIR, CloseFolder> folder(opened ? ::fdopendir(opened->get()) : nullptr);
    if (!folder) {
      ++notes.unreadable_files;
      notes.example = path;
      return;
    }
    opened->release();  // closed with the folder
    while (const dirent* entry = ::readdir(folder.get())) {
      const std::string name = entry->d_name;
      if (name == "." || name == ".." || found.size() >= kMostFiles) continue;
      const std::string inner = below.empty() ? name : below + "/" + name;
      const mode_t type = type_of(folder.get(), *entry);
      if (S_ISDIR(type) && depth < kDeepest) {
        walk(inner, depth + 1, found, notes);
      } else if (S_ISLNK(type) && matters(folder.get(), name)) {
        ++notes.links;
        notes.example = inner;
      } else if (S_ISREG(type) && is_event_file(name)) {
        found.push_back(inner);
      }
    }
  }
  /// Whether a link would have led to event files.
  static bool matters(DIR* folder, const std::string& name) {
    struct stat target{};
    return is_event_file(name) ||
           (::fstatat(::dirfd(folder), name.c_str(), &target, 0) == 0 && S_ISDIR(target.st_mode));
  }
  /// Some file systems do not say it with the name.
  static mode_t type_of(DIR* folder, const dirent& entry) {
    if (entry.d_type != DT_UNKNOWN) return static_cast<mode_t>(DTTOIF(entry.d_type));
    struct stat facts{};
    const bool known = ::fstatat(::dirfd(folder), entry.d_name, &facts, AT_SYMLINK_NOFOLLOW) == 0;
    return known ? facts.st_mode : 0;
  }

  UniqueFd folder_;
};

}  // namespace

bool is_event_file(const std::string& name) {
  return name.find("tfevents") != std::string::npos;
}

Result<std::unique_ptr<LogFolder>> open_log_folder(const fs::path& folder) {
  UniqueFd opened(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!opened.valid()) return io_error("opening", folder, errno);
  return {std::make_unique<LocalFolder>(std::move(opened))};
}

Result<std::unique_ptr<LogFolder>> open_log_folder(const fs::path& folder, const fs::path& below) {
  UniqueFd outer(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!outer.valid()) return io_error("opening", folder, errno);
  if (below.empty()) return {std::make_unique<LocalFolder>(std::move(outer))};
  TRY(UniqueFd inner, open_beneath(outer.get(), below, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  return {std::make_unique<LocalFolder>(std::move(inner))};
}

}  // namespace trainyard::monitor
