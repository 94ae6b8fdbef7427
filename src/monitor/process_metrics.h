#pragma once

#include "monitor/metrics_text.h"

#include <filesystem>
#include <optional>
#include <string_view>

namespace trainyard::monitor {

/// What every program that Prometheus watches tells of its process.
struct ProcessFigures {
  double cpu_seconds = 0;
  double start_time = 0;  // seconds since 1970
  double resident_bytes = 0;
  double virtual_bytes = 0;
  double threads = 0;
  double open_files = 0;
  double most_files = 0;
};

/// Of /proc/PID/stat and /proc/stat; nothing when they are not what they should be. The numbers of
/// files are not in them.
std::optional<ProcessFigures> parse_process(std::string_view process_stat,
                                            std::string_view system_stat, double ticks_a_second,
                                            double page_bytes);
/// Of this process. `proc` is /proc.
ProcessFigures read_process(const std::filesystem::path& proc);

void write_process(MetricsText& metrics, const ProcessFigures& figures);

}  // namespace trainyard::monitor
