#include "node/run/shim_report.h"

#include <algorithm>

namespace trainyard::node {

std::string_view report_value(std::string_view report, std::string_view key) {
  while (!report.empty()) {
    const std::string_view line = report.substr(0, report.find('\n'));
    if (line.starts_with(key) && line.substr(key.size()).starts_with('=')) {
      return line.substr(key.size() + 1);
    }
    report.remove_prefix(std::min(line.size() + 1, report.size()));
  }
  return {};
}

}  // namespace trainyard::node
