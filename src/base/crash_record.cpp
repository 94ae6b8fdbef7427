#include "base/crash_record.h"

#include "base/files/files.h"

#include <algorithm>
#include <array>
#include <fcntl.h>
#include <map>
#include <sys/uio.h>
#include <unistd.h>

namespace trainyard {
namespace {

constexpr int kCrashesToSetAside = 2;
constexpr std::size_t kKept = 200;  // lines: older crashes say little

// Of the process: a signal's handler can be given nothing.
// NOLINTBEGIN(cppcoreguidelines-avoid-non-const-global-variables)
int record = -1;
std::vector<std::string> aside;
thread_local std::string_view working_on;
// NOLINTEND(cppcoreguidelines-avoid-non-const-global-variables)

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    if (end > at) lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  if (lines.size() > kKept) lines.erase(lines.begin(), lines.end() - kKept);
  return lines;
}

}  // namespace

namespace crash_record {

void open(const std::filesystem::path& file) {
  std::map<std::string, int> counts;
  aside.clear();
  for (std::string& line : lines_of(read_file(file).value_or(""))) {
    if (++counts[line] == kCrashesToSetAside) aside.push_back(std::move(line));
  }
  if (record >= 0) ::close(record);
  record = ::open(file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
}

const std::vector<std::string>& set_aside() {
  return aside;
}

bool is_set_aside(std::string_view work) {
  return !aside.empty() && std::find(aside.begin(), aside.end(), work) != aside.end();
}

void add() {
  if (record < 0 || working_on.empty()) return;
  char line_end = '\n';
  std::array<struct iovec, 2> parts{iovec{const_cast<char*>(working_on.data()), working_on.size()},
                                    iovec{&line_end, 1}};
  if (::writev(record, parts.data(), parts.size()) > 0) ::fdatasync(record);
  working_on = {};  // once a crash
}

}  // namespace crash_record

WorkingOn::WorkingOn(std::string_view work) : before_(working_on) {
  working_on = work;
}

WorkingOn::~WorkingOn() {
  working_on = before_;
}

}  // namespace trainyard
