#include "node/pod/termination_message.h"

#include "base/files/unique_fd.h"
#include "contract/last_words.h"
#include "node/logs/log_segments.h"
#include "node/run/container_run.h"

#include <algorithm>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace trainyard::node {
namespace {

constexpr std::int64_t kLongestMessage = 4096;
constexpr std::int64_t kLogRead = 64L * 1024;  // enough for 80 lines, and no more of a large log
/// A launcher's report may stand behind what tells the cause.
constexpr std::size_t kLongestSearched = 16UL * 1024;
constexpr std::int64_t kMostSearched = 400;

/// At most `most` bytes from the beginning or the end of a file; nothing when it cannot be read.
/// Never blocks, whatever the container has put in its place.
std::string read_part(const std::filesystem::path& file, std::int64_t most, bool from_end) {
  const UniqueFd fd(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  struct stat status{};
  if (!fd.valid() || ::fstat(fd.get(), &status) != 0 || !S_ISREG(status.st_mode)) return {};
  const off_t begin = from_end ? std::max<off_t>(status.st_size - most, 0) : 0;
  std::string text(static_cast<std::size_t>(std::min<off_t>(status.st_size, most)), '\0');
  const ssize_t got = ::pread(fd.get(), text.data(), text.size(), begin);
  text.resize(static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
  return text;
}

std::filesystem::path newest_part_of_log(const std::filesystem::path& run_folder) {
  const std::vector<std::uint64_t> segments = list_segments(run_folder);
  return run_folder / segment_name(segments.empty() ? 0 : segments.back());
}

}  // namespace

std::string end_of_log(std::string_view records, std::size_t most_bytes, std::int64_t most_lines) {
  std::string text;
  std::int64_t lines = 0;
  while (!records.empty() && text.size() < most_bytes && lines < most_lines) {
    if (records.back() == '\n') records.remove_suffix(1);
    const std::size_t begin = records.rfind('\n') + 1;  // npos + 1 is 0
    const std::string_view record = records.substr(begin);
    records = records.substr(0, begin);
    // TIME STREAM TAG TEXT; what was cut at the front is left out.
    const std::size_t stream = record.find(' ');
    const std::size_t tag =
        stream == std::string_view::npos ? stream : record.find(' ', stream + 1);
    if (tag == std::string_view::npos || tag + 3 > record.size()) continue;
    const bool whole = record[tag + 1] == 'F';
    if (whole) ++lines;
    text.insert(0, std::string(record.substr(tag + 3)) + (whole ? "\n" : ""));
  }
  if (text.size() > most_bytes) text.erase(0, text.size() - most_bytes);
  return text;
}

std::string last_lines_of(const std::filesystem::path& run_folder) {
  const std::string records = read_part(newest_part_of_log(run_folder), kLogRead, true);
  return end_of_log(records, kLongestSearched, kMostSearched);
}

void add_last_words(const std::filesystem::path& run_folder, const Json& container,
                    RunState& state) {
  std::string words = read_part(run_folder / kTerminationLog, kLongestMessage, false);
  const bool may_use_log =
      string_at(container, "terminationMessagePolicy") == "FallbackToLogsOnError";
  if (may_use_log && state.exit_code != 0) {
    const std::string records = read_part(newest_part_of_log(run_folder), kLogRead, true);
    const std::string text = end_of_log(records, kLongestSearched, kMostSearched);
    state.telling_line = contract::read_last_words(text).line;
    if (words.empty()) words = end_of_log(records);
  }
  if (!words.empty()) state.message = std::move(words);
}

}  // namespace trainyard::node
