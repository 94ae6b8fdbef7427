#include "base/files/files.h"
#include "base/files/unique_fd.h"
#include "cli/command/commands.h"
#include "cli/server/audit_view.h"
#include "cli/terminal/duration.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <fcntl.h>
#include <sys/stat.h>
#include <thread>

namespace trainyard::cli {
namespace {

using contract::audit_file;

constexpr auto kAuditPause = std::chrono::milliseconds(200);

/// One file, line by line, as far as it has been written.
class AuditReader {
 public:
  static Result<AuditReader> open(const std::filesystem::path& path) {
    UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (!file.valid()) {
      return Error(errno == ENOENT ? Code::kNotFound : Code::kUnavailable,
                   io_error("open", path, errno).message());
    }
    return AuditReader(path, std::move(file));
  }

  /// The next line that is whole; false when there is none yet.
  Result<bool> next(std::string& line) {
    for (;;) {
      const std::size_t end = ahead_.find('\n', begin_);
      if (end != std::string::npos) {
        line = ahead_.substr(begin_, end - begin_);
        begin_ = end + 1;
        return true;
      }
      ahead_.erase(0, begin_);
      begin_ = 0;
      const std::size_t had = ahead_.size();
      ahead_.resize(had + kPiece);
      const ssize_t got = ::read(file_.get(), ahead_.data() + had, kPiece);
      ahead_.resize(had + static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
      if (got < 0) return io_error("read", path_, errno);
      if (got == 0) return false;
    }
  }

  /// Whether it is still the one that is written.
  bool is_current() const {
    struct stat here{};
    struct stat there{};
    return ::fstat(file_.get(), &here) == 0 && ::stat(path_.c_str(), &there) == 0 &&
           here.st_ino == there.st_ino && here.st_dev == there.st_dev;
  }

 private:
  static constexpr std::size_t kPiece = 64 << 10;

  AuditReader(std::filesystem::path path, UniqueFd file)
      : path_(std::move(path)), file_(std::move(file)) {}

  std::filesystem::path path_;
  UniqueFd file_;
  std::string ahead_;
  std::size_t begin_ = 0;
};

/// Prints the lines that are wanted.
class AuditPrinter {
 public:
  AuditPrinter(contract::AuditFilter filter, bool as_json)
      : filter_(std::move(filter)), as_json_(as_json) {}

  Result<> print_rest(AuditReader& reader) {
    std::string line;
    for (;;) {
      TRY(const bool more, reader.next(line));
      if (!more) break;
      print(line);
    }
    std::fflush(stdout);
    return Ok();
  }
  bool printed() const { return printed_; }

 private:
  void print(const std::string& line) {
    const auto entry = contract::read_audit_line(line);
    if (!entry || !contract::matches(filter_, *entry)) return;
    if (!as_json_ && !printed_) fmt::print("{}", audit_heading());
    printed_ = true;
    fmt::print("{}", as_json_ ? line + "\n" : audit_row(*entry));
  }

  contract::AuditFilter filter_;
  bool as_json_;
  bool printed_ = false;
};

/// The oldest first, the one that is written last. All are opened before one is read: a rotation
/// meanwhile changes names, and nothing else.
Result<std::vector<AuditReader>> open_all(const std::filesystem::path& data_dir) {
  std::vector<AuditReader> readers;
  for (int age = 0;; ++age) {
    auto reader = AuditReader::open(audit_file(data_dir, age));
    if (reader.failed_with(Code::kNotFound)) break;
    if (!reader) return std::move(reader).error();
    readers.insert(readers.begin(), *std::move(reader));
  }
  if (!readers.empty()) return readers;
  return Error(Code::kNotFound,
               fmt::format("there is no {}: a server that runs on this data folder writes it, from "
                           "the first change on; --data-dir names another folder",
                           audit_file(data_dir).string()));
}

Result<int> follow(const std::filesystem::path& data_dir, AuditReader reader,
                   AuditPrinter& printer) {
  for (;;) {
    std::this_thread::sleep_for(kAuditPause);
    const bool current = reader.is_current();  // before the rest of it is read
    TRY_OK(printer.print_rest(reader));
    if (std::ferror(stdout) != 0) return 0;  // nobody listens any more
    if (current) continue;
    auto next = AuditReader::open(audit_file(data_dir));
    if (next) reader = *std::move(next);
  }
}

}  // namespace

Result<int> audit(const Flags& flags, const AuditOptions& options) {
  contract::AuditFilter filter{options.user, flags.ns, options.verb, std::nullopt};
  if (!options.since.empty()) {
    TRY(const std::chrono::seconds since, parse_duration(options.since, "--since"));
    filter.since = SystemClock().wall() - since;
  }
  TRY(std::vector<AuditReader> readers, open_all(flags.data_dir));
  AuditPrinter printer(std::move(filter), flags.output == "json");
  for (AuditReader& reader : readers) TRY_OK(printer.print_rest(reader));
  if (options.follow) return follow(flags.data_dir, std::move(readers.back()), printer);
  if (!printer.printed()) fmt::print(stderr, "nothing of that was done\n");
  return 0;
}

}  // namespace trainyard::cli
