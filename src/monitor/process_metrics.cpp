#include "monitor/process_metrics.h"

#include "base/files/files.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <sys/resource.h>
#include <unistd.h>

namespace trainyard::monitor {
namespace {

// Fields of /proc/PID/stat, numbered as in proc(5).
constexpr std::size_t kFirst = 4;
constexpr std::size_t kUserTicks = 14;
constexpr std::size_t kSystemTicks = 15;
constexpr std::size_t kThreads = 20;
constexpr std::size_t kStart = 22;
constexpr std::size_t kVirtualBytes = 23;
constexpr std::size_t kResidentPages = 24;

void skip_blanks(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
}

std::optional<double> take_number(std::string_view& text) {
  skip_blanks(text);
  double number = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), number);
  if (parsed.ec != std::errc()) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(parsed.ptr - text.data()));
  return number;
}

std::optional<double> boot_time(std::string_view system_stat) {
  constexpr std::string_view kName = "\nbtime";
  const std::size_t found = system_stat.find(kName);
  if (found == std::string_view::npos) return std::nullopt;
  system_stat.remove_prefix(found + kName.size());
  return take_number(system_stat);
}

}  // namespace

std::optional<ProcessFigures> parse_process(std::string_view process_stat,
                                            std::string_view system_stat, double ticks_a_second,
                                            double page_bytes) {
  const std::size_t name_end = process_stat.rfind(')');
  if (name_end == std::string_view::npos) return std::nullopt;
  process_stat.remove_prefix(name_end + 1);
  skip_blanks(process_stat);
  if (!process_stat.empty()) process_stat.remove_prefix(1);  // the state, one letter
  std::array<double, kResidentPages + 1> fields{};
  for (std::size_t i = kFirst; i < fields.size(); ++i) {
    const auto number = take_number(process_stat);
    if (!number) return std::nullopt;
    fields[i] = *number;
  }
  const auto booted = boot_time(system_stat);
  if (!booted) return std::nullopt;
  ProcessFigures figures;
  figures.cpu_seconds = (fields[kUserTicks] + fields[kSystemTicks]) / ticks_a_second;
  figures.start_time = *booted + fields[kStart] / ticks_a_second;
  figures.resident_bytes = fields[kResidentPages] * page_bytes;
  figures.virtual_bytes = fields[kVirtualBytes];
  figures.threads = fields[kThreads];
  return figures;
}

ProcessFigures read_process(const std::filesystem::path& proc) {
  const auto own = read_file(proc / "self" / "stat");
  const auto system = read_file(proc / "stat");
  std::optional<ProcessFigures> figures;
  if (own && system) {
    figures = parse_process(*own, *system, static_cast<double>(::sysconf(_SC_CLK_TCK)),
                            static_cast<double>(::sysconf(_SC_PAGESIZE)));
  }
  if (!figures) figures.emplace();
  std::error_code failed;
  for (auto entry = std::filesystem::directory_iterator(proc / "self" / "fd", failed);
       !failed && entry != std::filesystem::directory_iterator(); entry.increment(failed)) {
    ++figures->open_files;
  }
  struct rlimit files{};
  if (::getrlimit(RLIMIT_NOFILE, &files) == 0) {
    figures->most_files = static_cast<double>(files.rlim_cur);
  }
  return *figures;
}

void write_process(MetricsText& metrics, const ProcessFigures& figures) {
  using Type = MetricsText::Type;
  metrics.one("process_cpu_seconds_total", Type::kCounter,
              "CPU time that the server has used, in seconds.", figures.cpu_seconds);
  metrics.one("process_start_time_seconds", Type::kGauge,
              "When the server was started, in seconds since 1970.", figures.start_time);
  metrics.one("process_resident_memory_bytes", Type::kGauge, "Memory of the server that is in RAM.",
              figures.resident_bytes);
  metrics.one("process_virtual_memory_bytes", Type::kGauge, "Addresses that the server has.",
              figures.virtual_bytes);
  metrics.one("process_threads", Type::kGauge, "Threads of the server.", figures.threads);
  metrics.one("process_open_fds", Type::kGauge, "Files that the server has open.",
              figures.open_files);
  metrics.one("process_max_fds", Type::kGauge, "Files that the server may have open.",
              figures.most_files);
}

}  // namespace trainyard::monitor
