#include "measure.h"

#include "object/json/json.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <unistd.h>

namespace trainyard::bench {

double Measurement::per_second() const {
  const double seconds = std::chrono::duration<double>(span_).count();
  return seconds > 0 ? static_cast<double>(times_.size()) / seconds : 0;
}

double Measurement::percentile(double share) {
  if (times_.empty()) return 0;
  const auto place = static_cast<std::size_t>(share * static_cast<double>(times_.size() - 1));
  const auto nth = times_.begin() + static_cast<std::ptrdiff_t>(place);
  std::nth_element(times_.begin(), nth, times_.end());
  return std::chrono::duration<double, std::milli>(*nth).count();
}

void print_table(const std::vector<Row>& rows) {
  fmt::print("{:<44} {:>10} {:>9} {:>9} {:>10} {:>7} {:>6}\n", "work", "rate/s", "p50 ms", "p99 ms",
             "peer/s", "ratio", "goal");
  for (const Row& row : rows) {
    const double ratio = row.peer > 0 ? row.rate / row.peer : 0;
    fmt::print("{:<44} {:>10.0f} {:>9.2f} {:>9.2f} {:>10} {:>7} {:>6}{}\n", row.work, row.rate,
               row.p50, row.p99, row.peer > 0 ? fmt::format("{:.0f}", row.peer) : "-",
               row.peer > 0 ? fmt::format("{:.1f}x", ratio) : "-",
               row.goal > 0 ? fmt::format("{:.0f}x", row.goal) : "-",
               row.goal > 0 && ratio < row.goal ? "  below the goal" : "");
  }
}

std::string to_json_text(const std::vector<Row>& rows) {
  JsonArray list;
  for (const Row& row : rows) {
    list.push_back({{"work", row.work},
                    {"ratePerSecond", row.rate},
                    {"p50Milliseconds", row.p50},
                    {"p99Milliseconds", row.p99},
                    {"peerPerSecond", row.peer},
                    {"goal", row.goal}});
  }
  return to_pretty_text(list);
}

std::int64_t resident_kb(int pid) {
  std::ifstream status(fmt::format("/proc/{}/status", pid));
  std::string line;
  while (std::getline(status, line)) {
    if (line.starts_with("VmRSS:")) return std::stoll(line.substr(6));
  }
  return 0;
}

double cpu_seconds(int pid) {
  std::ifstream file(fmt::format("/proc/{}/stat", pid));
  std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  const std::size_t end = text.rfind(')');  // the name may hold blanks
  if (end == std::string::npos) return 0;
  std::istringstream fields(text.substr(end + 2));
  std::string skipped;
  for (int i = 0; i < 11; ++i) fields >> skipped;
  double user = 0;
  double system = 0;
  fields >> user >> system;
  return (user + system) / static_cast<double>(::sysconf(_SC_CLK_TCK));
}

}  // namespace trainyard::bench
