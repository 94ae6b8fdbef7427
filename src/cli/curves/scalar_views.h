#pragma once

#include "monitor/events/event_run.h"
#include "object/json/json.h"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

/// The curves of event files as text. Nothing here reads files.
namespace trainyard::cli {

/// A run and what it is called, which is more than its own name where there are several folders.
struct NamedRun {
  std::string name;
  const monitor::RunData* data = nullptr;
};

using WriteText = std::function<void(std::string_view)>;

inline constexpr const char* kScalarHeading = "run,tag,step,wall_time,value\n";
/// One line a point, tag by tag; values as exact as they were written.
void write_csv(const NamedRun& run, const WriteText& write);
/// A cell with quotes around it where it needs some.
std::string csv_cell(std::string_view text);

/// One row a curve: points, last step, last, least and greatest value.
std::string scalar_table(const std::vector<NamedRun>& runs);

/// Everything that is known of the runs; written piece by piece, since points may be many.
void write_json(const std::vector<NamedRun>& runs, const std::vector<std::string>& warnings,
                const WriteText& write);

struct PlotOptions {
  std::size_t columns = 80;
  bool coloured = false;
};
/// One plot a tag with the curves of all runs; without colours one a curve.
void write_plots(const std::vector<NamedRun>& runs, const PlotOptions& options,
                 const WriteText& write);

}  // namespace trainyard::cli
