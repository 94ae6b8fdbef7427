#include "cli/curves/scalar_views.h"

#include "cli/terminal/line_plot.h"
#include "cli/terminal/text_table.h"
#include "object/json/utf8.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>

namespace trainyard::cli {
namespace {

using monitor::ScalarColumn;
using monitor::TagData;

constexpr std::size_t kPiece = 256 << 10;

std::vector<const TagData*> sorted_tags(const monitor::RunData& data) {
  std::vector<const TagData*> tags;
  for (const TagData& tag : data.tags()) tags.push_back(&tag);
  std::sort(tags.begin(), tags.end(), [](auto* a, auto* b) { return a->tag < b->tag; });
  return tags;
}

/// JSON has no words for these; TensorBoard's own API says them so.
Json number(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "Infinity" : "-Infinity";
  return value;
}

Json describe(const monitor::Moment& when) {
  return {{"step", when.step}, {"wallTime", number(when.wall_time)}};
}

JsonArray describe(const monitor::Kept<monitor::Histogram>& histograms) {
  JsonArray items;
  for (const monitor::Histogram& histogram : histograms.things()) {
    Json item = describe(histogram.when);
    JsonArray buckets;
    for (const auto& bucket : histogram.buckets) {
      buckets.push_back(JsonArray{number(bucket.left), number(bucket.right), number(bucket.count)});
    }
    item.get_object()["buckets"] = std::move(buckets);
    items.push_back(std::move(item));
  }
  return items;
}

JsonArray describe(const monitor::Kept<monitor::ImageFacts>& images) {
  JsonArray items;
  for (const monitor::ImageFacts& image : images.things()) {
    Json item = describe(image.when);
    item.get_object()["width"] = image.width;
    item.get_object()["height"] = image.height;
    item.get_object()["count"] = image.count;
    item.get_object()["bytes"] = image.bytes;
    items.push_back(std::move(item));
  }
  return items;
}

JsonArray describe(const monitor::Kept<monitor::Text>& texts) {
  JsonArray items;
  for (const monitor::Text& text : texts.things()) {
    Json item = describe(text.when);
    JsonArray parts;
    for (const std::string& part : text.texts) parts.emplace_back(as_utf8(part));
    item.get_object()["texts"] = std::move(parts);
    items.push_back(std::move(item));
  }
  return items;
}

JsonObject describe(const monitor::HParams& hparams) {
  JsonObject all;
  for (const auto& [name, value] : hparams) {
    if (const auto* amount = std::get_if<double>(&value)) all[as_utf8(name)] = number(*amount);
    if (const auto* flag = std::get_if<bool>(&value)) all[as_utf8(name)] = *flag;
    if (const auto* text = std::get_if<std::string>(&value)) all[as_utf8(name)] = as_utf8(*text);
  }
  return all;
}

/// All tags of a run that hold a `Kind`, as a member of its object.
template <class Kind>
void add_kind(Json& run, const char* name, const std::vector<const TagData*>& tags) {
  JsonArray items;
  for (const TagData* tag : tags) {
    const auto* data = std::get_if<Kind>(&tag->data);
    if (data == nullptr) continue;
    items.push_back(
        {{"tag", as_utf8(tag->tag)}, {"seen", data->seen()}, {"values", describe(*data)}});
  }
  run.get_object()[name] = std::move(items);
}

void write_points(const TagData& tag, const ScalarColumn& column, const WriteText& write) {
  std::string text = fmt::format("{{\"tag\":{},\"seen\":{},\"points\":[",
                                 to_text(Json(as_utf8(tag.tag))), column.seen());
  ScalarColumn::Reader reader(column);
  const char* comma = "";
  while (const auto point = reader.next()) {
    fmt::format_to(std::back_inserter(text), "{}\n[{},{},{}]", comma, point->step,
                   to_text(number(point->wall_time)), to_text(number(point->value)));
    comma = ",";
    if (text.size() < kPiece) continue;
    write(text);
    text.clear();
  }
  write(text + "]}");
}

void write_run(const NamedRun& run, const WriteText& write) {
  const std::vector<const TagData*> tags = sorted_tags(*run.data);
  Json facts{{"run", as_utf8(run.name)}, {"hparams", describe(run.data->hparams())}};
  add_kind<monitor::Kept<monitor::Histogram>>(facts, "histograms", tags);
  add_kind<monitor::Kept<monitor::ImageFacts>>(facts, "images", tags);
  add_kind<monitor::Kept<monitor::Text>>(facts, "texts", tags);
  std::string head = to_text(facts);
  head.pop_back();  // its points are the last member
  write(head + ",\"scalars\":[");
  const char* comma = "";
  for (const TagData* tag : tags) {
    const ScalarColumn* column = tag->scalars();
    if (column == nullptr) continue;
    write(comma);
    write_points(*tag, *column, write);
    comma = ",";
  }
  write("]}");
}

std::vector<PlotPoint> points_of(const ScalarColumn& column) {
  std::vector<PlotPoint> points;
  points.reserve(column.size());
  ScalarColumn::Reader reader(column);
  while (const auto point = reader.next()) {
    points.push_back({static_cast<double>(point->step), point->value});
  }
  return points;
}

}  // namespace

std::string csv_cell(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

void write_csv(const NamedRun& run, const WriteText& write) {
  fmt::memory_buffer text;
  for (const TagData* tag : sorted_tags(*run.data)) {
    const ScalarColumn* column = tag->scalars();
    if (column == nullptr) continue;
    const std::string beginning = csv_cell(run.name) + "," + csv_cell(tag->tag) + ",";
    ScalarColumn::Reader reader(*column);
    while (const auto point = reader.next()) {
      text.append(beginning);
      fmt::format_to(std::back_inserter(text), "{},{},{}\n", point->step, point->wall_time,
                     point->value);
      if (text.size() < kPiece) continue;
      write({text.data(), text.size()});
      text.clear();
    }
  }
  write({text.data(), text.size()});
}

std::string scalar_table(const std::vector<NamedRun>& runs) {
  std::vector<std::vector<std::string>> rows;
  const auto shown = [](double value) { return fmt::format("{:.6g}", value); };
  for (const NamedRun& run : runs) {
    for (const TagData* tag : sorted_tags(*run.data)) {
      const ScalarColumn* column = tag->scalars();
      if (column == nullptr || column->size() == 0) continue;
      const bool numbers = column->least() <= column->greatest();
      rows.push_back({as_utf8(run.name), as_utf8(tag->tag), std::to_string(column->seen()),
                      std::to_string(column->last().step), shown(column->last().value),
                      numbers ? shown(column->least()) : "-",
                      numbers ? shown(column->greatest()) : "-"});
    }
  }
  if (rows.empty()) return "";
  return format_table({"RUN", "TAG", "POINTS", "STEP", "VALUE", "MIN", "MAX"}, rows);
}

void write_json(const std::vector<NamedRun>& runs, const std::vector<std::string>& warnings,
                const WriteText& write) {
  JsonArray told(warnings.begin(), warnings.end());
  write("{\"warnings\":" + to_text(Json(std::move(told))) + ",\"runs\":[");
  const char* comma = "";
  for (const NamedRun& run : runs) {
    write(comma);
    write_run(run, write);
    comma = ",\n";
  }
  write("]}\n");
}

void write_plots(const std::vector<NamedRun>& runs, const PlotOptions& options,
                 const WriteText& write) {
  struct Curve {
    const NamedRun* run;
    const ScalarColumn* column;
  };
  std::map<std::string_view, std::vector<Curve>> by_tag;
  for (const NamedRun& run : runs) {
    for (const TagData& tag : run.data->tags()) {
      const ScalarColumn* column = tag.scalars();
      if (column != nullptr && column->size() > 0) by_tag[tag.tag].push_back({&run, column});
    }
  }
  const std::size_t together = options.coloured ? kPlotColours : 1;
  const char* gap = "";
  for (const auto& [tag, curves] : by_tag) {
    for (std::size_t i = 0; i < curves.size(); i += together) {
      PlotFrame frame;
      frame.title = as_utf8(tag);
      frame.columns = options.columns;
      frame.coloured = options.coloured;
      std::vector<PlotCurve> drawn;
      for (std::size_t k = i; k < std::min(i + together, curves.size()); ++k) {
        drawn.push_back({as_utf8(curves[k].run->name), points_of(*curves[k].column)});
      }
      if (drawn.size() == 1 && runs.size() > 1) {
        frame.title += fmt::format(" ({})", drawn.front().name);
      }
      write(gap + draw_plot(frame, drawn));
      gap = "\n";
    }
  }
}

}  // namespace trainyard::cli
