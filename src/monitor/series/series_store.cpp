#include "monitor/series/series_store.h"

#include "base/files/files.h"
#include "base/files/folder_entries.h"
#include "base/files/unique_fd.h"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace trainyard::monitor {
namespace {

namespace fs = std::filesystem;

constexpr const char* kBlocks = ".series";
constexpr const char* kAbout = ".about";

std::uint64_t on_disk(const struct stat& file) {
  constexpr std::uint64_t kBlock = 4096;
  return (static_cast<std::uint64_t>(file.st_size) + kBlock - 1) / kBlock * kBlock;
}

}  // namespace

Result<SeriesStore> SeriesStore::open(fs::path folder) {
  TRY_OK(make_folders(folder, 0700));
  return SeriesStore(std::move(folder));
}

fs::path SeriesStore::file_of(const std::string& id, const char* what) const {
  return folder_ / (id + what);
}

Result<> SeriesStore::describe(const std::string& id, std::string_view about) {
  return write_file_unsynced(file_of(id, kAbout), about, 0600);
}

Result<> SeriesStore::append(const std::string& id, std::string_view block) {
  const fs::path path = file_of(id, kBlocks);
  const UniqueFd file(::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
  if (!file.valid()) return io_error("opening", path, errno);
  struct stat before{};
  if (::fstat(file.get(), &before) != 0) return io_error("looking at", path, errno);
  const ssize_t written = ::write(file.get(), block.data(), block.size());
  if (written == static_cast<ssize_t>(block.size())) return Ok();
  const int failure = written < 0 ? errno : ENOSPC;
  // A part of a block is worth nothing, and the disk may be full.
  if (::ftruncate(file.get(), before.st_size) != 0) return io_error("cutting", path, errno);
  return io_error("writing", path, failure);
}

Result<std::string> SeriesStore::read(const std::string& id) const {
  auto bytes = read_file(file_of(id, kBlocks));
  if (bytes.failed_with(Code::kNotFound)) return std::string();
  return bytes;
}

Result<> SeriesStore::compact(const std::string& id, std::int64_t now) {
  TRY(const std::string bytes, read(id));
  if (bytes.empty()) return Ok();
  const std::string compacted = monitor::compact(bytes, kUsageTiers, now);
  return write_file(file_of(id, kBlocks), compacted, 0600);
}

void SeriesStore::remove(const std::string& id) {
  std::error_code ignored;
  fs::remove(file_of(id, kBlocks), ignored);
  fs::remove(file_of(id, kAbout), ignored);
}

Result<std::string> SeriesStore::about(const std::string& id) const {
  return read_file(file_of(id, kAbout));
}

std::vector<KeptSeries> SeriesStore::list(bool about) const {
  std::vector<KeptSeries> all;
  for (const fs::directory_entry& entry : FolderEntries(folder_)) {
    if (entry.path().extension() != kAbout) continue;
    KeptSeries kept;
    kept.id = entry.path().stem();
    if (about) {
      auto text = read_file(entry.path());
      if (!text) continue;
      kept.about = *std::move(text);
    }
    struct stat file{};
    if (::stat(entry.path().c_str(), &file) == 0) kept.bytes += on_disk(file);
    if (::stat(file_of(kept.id, kBlocks).c_str(), &file) == 0) {
      kept.bytes += on_disk(file);
      kept.written = std::int64_t(file.st_mtim.tv_sec) * 1000 + file.st_mtim.tv_nsec / 1'000'000;
    }
    all.push_back(std::move(kept));
  }
  return all;
}

std::vector<std::string> outdated(std::vector<KeptSeries> kept, const Retention& retention,
                                  std::int64_t now) {
  std::sort(kept.begin(), kept.end(),
            [](const KeptSeries& a, const KeptSeries& b) { return a.written > b.written; });
  std::vector<std::string> unwanted;
  std::uint64_t sum = 0;
  std::size_t count = 0;
  for (const KeptSeries& one : kept) {
    sum += one.bytes;
    ++count;
    const bool too_many = sum > retention.bytes || count > retention.count;
    if (too_many || now - one.written > retention.age) unwanted.push_back(one.id);
  }
  return unwanted;
}

}  // namespace trainyard::monitor
