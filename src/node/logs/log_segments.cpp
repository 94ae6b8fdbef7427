#include "node/logs/log_segments.h"

#include "base/files/files.h"
#include "base/files/folder_entries.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace trainyard::node {

std::string segment_name(std::uint64_t number) {
  return number == 0 ? "log" : "log." + std::to_string(number);
}

std::vector<std::uint64_t> list_segments(const std::filesystem::path& folder) {
  std::vector<std::uint64_t> numbers;
  for (const auto& entry : FolderEntries(folder)) {
    const std::string name = entry.path().filename();
    if (name == "log") numbers.push_back(0);
    if (!name.starts_with("log.")) continue;
    std::uint64_t number = 0;
    const char* end = name.data() + name.size();
    const auto parsed = std::from_chars(name.data() + 4, end, number);
    if (parsed.ec == std::errc() && parsed.ptr == end && number > 0) numbers.push_back(number);
  }
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

Result<> SegmentReader::open(std::uint64_t segment, std::int64_t offset) {
  const std::filesystem::path path = folder_ / segment_name(segment);
  file_ = UniqueFd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  segment_ = segment;
  if (!file_.valid()) {
    if (errno == ENOENT) return Ok();  // not written yet, or removed meanwhile
    return io_error("reading", path, errno);
  }
  ::lseek(file_.get(), offset, SEEK_SET);
  return Ok();
}

Result<> SegmentReader::find_next() {
  next_segment_ = segment_ + (file_.valid() ? 1 : 0);
  next_ = UniqueFd(::open((folder_ / segment_name(next_segment_)).c_str(), O_RDONLY | O_CLOEXEC));
  if (next_.valid()) return Ok();
  if (errno != ENOENT) return io_error("reading", folder_ / segment_name(next_segment_), errno);
  struct stat current{};
  if (file_.valid() && (::fstat(file_.get(), &current) != 0 || current.st_nlink > 0)) return Ok();
  // Removed, since the writer is far ahead: go on with the oldest that is left.
  const std::vector<std::uint64_t> left = list_segments(folder_);
  const auto found = std::lower_bound(left.begin(), left.end(), next_segment_);
  if (found == left.end()) return Ok();
  next_segment_ = *found;
  next_ = UniqueFd(::open((folder_ / segment_name(next_segment_)).c_str(), O_RDONLY | O_CLOEXEC));
  return Ok();
}

Result<bool> SegmentReader::read(std::string& out, std::size_t most) {
  while (true) {
    // Asked before reading: only then is an end without bytes the end of this file.
    const bool complete = next_.valid();
    if (file_.valid()) {
      const std::size_t before = out.size();
      out.resize(before + most);
      const ssize_t size = ::read(file_.get(), out.data() + before, most);
      out.resize(before + static_cast<std::size_t>(std::max<ssize_t>(size, 0)));
      if (size < 0) return io_error("reading", folder_ / segment_name(segment_), errno);
      if (size > 0) return true;
    }
    if (complete) {
      file_ = std::move(next_);
      segment_ = next_segment_;
      continue;
    }
    TRY_OK(find_next());
    if (!next_.valid()) return false;
  }
}

}  // namespace trainyard::node
