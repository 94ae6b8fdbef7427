#include "node/usage/machine_usage.h"

#include "base/files/files.h"

#include <sstream>
#include <unistd.h>

namespace trainyard::node {
namespace {

/// The first line of /proc/stat: user nice system idle iowait irq softirq steal …, in ticks.
std::int64_t busy_microseconds(const std::string& stat) {
  std::istringstream words(stat);
  std::string name;
  words >> name;
  std::int64_t busy = 0;
  for (int field = 0; field < 7; ++field) {
    std::int64_t ticks = 0;
    words >> ticks;
    const bool idle = field == 3 || field == 4;
    if (!idle) busy += ticks;
  }
  return busy * (1'000'000 / ::sysconf(_SC_CLK_TCK));
}

std::int64_t kibibytes(const std::string& meminfo, const std::string& key) {
  const std::size_t at = meminfo.find(key + ":");
  return at == std::string::npos ? 0
                                 : std::strtoll(meminfo.c_str() + at + key.size() + 1, nullptr, 10);
}

}  // namespace

Result<ContainerCounters> read_machine_counters(const std::filesystem::path& proc) {
  TRY(const std::string stat, read_file(proc / "stat"));
  TRY(const std::string meminfo, read_file(proc / "meminfo"));
  ContainerCounters counters;
  counters.cpu_microseconds = busy_microseconds(stat);
  counters.memory_bytes =
      (kibibytes(meminfo, "MemTotal") - kibibytes(meminfo, "MemAvailable")) * 1024;
  return counters;
}

}  // namespace trainyard::node
