#include "cli/curve_progress.h"

#include "http/message.h"

#include <fmt/format.h>

#include <algorithm>

namespace trainyard::cli {
namespace {

constexpr std::size_t kMostValues = 3;

double number_at(const Json& json, const char* path) {
  const Json* value = find(json, path);
  if (value == nullptr) return 0;
  if (value->is_double()) return value->get_double();
  return static_cast<double>(int_at(json, path));
}

double number(const Json& value) {
  if (value.is_double()) return value.get_double();
  return value.is_int64() ? static_cast<double>(value.get_int64()) : 0;
}

}  // namespace

std::optional<LeadingCurve> leading_curve(const Json& answer) {
  std::optional<LeadingCurve> best;
  double latest = 0;
  for (const Json& run : array_at(answer, "runs")) {
    std::string values;
    std::size_t told = 0;
    std::optional<LeadingCurve> own;
    double last = 0;
    for (const Json& curve : array_at(run, "curves")) {
      const std::string tag(string_at(curve, "tag"));
      const double time = number_at(curve, "last.time");
      const std::int64_t step = int_at(curve, "last.step");
      if (!own || step > own->step)
        own = LeadingCurve{std::string(string_at(run, "name")), tag, step, ""};
      last = std::max(last, time);
      const Json* value = find(curve, "last.value");
      if (value == nullptr || value->is_string() || told++ >= kMostValues) continue;
      values += fmt::format("{}{} {:.4g}", values.empty() ? "" : ", ", tag, number(*value));
    }
    if (!own || (best && last <= latest)) continue;
    own->values = std::move(values);
    best = std::move(own);
    latest = last;
  }
  return best;
}

std::optional<double> curve_rate(const Json& answer) {
  const JsonArray& curves = array_at(answer, "curves");
  if (curves.empty()) return std::nullopt;
  const JsonArray& steps = array_at(curves[0], "steps");
  const JsonArray& times = array_at(curves[0], "times");
  if (steps.size() < 2 || times.size() != steps.size()) return std::nullopt;
  const double way = number(steps.back()) - number(steps.front());
  const double span = number(times.back()) - number(times.front());
  if (way <= 0 || span <= 0) return std::nullopt;
  return way / span;
}

awaitable<std::string> curve_progress(client::RemoteApi& api, FoundJob job) {
  const std::string path = client::resource_path(job.resource, job.key(), "curves");
  const auto all = co_await api.get_path(path);
  if (!all) co_return std::string();
  const auto leading = leading_curve(*all);
  if (!leading) co_return std::string();
  std::string words = fmt::format("step {}", leading->step);
  const auto points = co_await api.get_path(fmt::format("{}?points=8&tag={}&run={}", path,
                                                        http::percent_encode(leading->tag),
                                                        http::percent_encode(leading->run)));
  if (points) {
    if (const auto rate = curve_rate(*points)) words += fmt::format(", {:.3g} steps/s", *rate);
  }
  if (!leading->values.empty()) words += ", " + leading->values;
  co_return words;
}

}  // namespace trainyard::cli
