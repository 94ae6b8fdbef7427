// usage.trainyard.dev: what pods have used since they began.
#include "server/rest/handlers.h"
#include "server/wire/request_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace trainyard::server {
namespace {

constexpr std::int64_t kMostUsagePoints = 4000;
constexpr std::int64_t kLongestStep = std::int64_t{31} * 24 * 3600;

Result<std::optional<WallTime>> time_parameter(const http::Query& query, const char* name) {
  const std::string text = query.get(name);
  if (text.empty()) return std::optional<WallTime>();
  auto time = parse_time(text);
  if (!time) {
    return Error(Code::kBadRequest, fmt::format("{}: {}", name, time.error().message()));
  }
  return std::optional(*time);
}

/// The parts between commas; none of nothing.
std::vector<std::string> parts_of(std::string_view text) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const std::size_t comma = std::min(text.find(','), text.size());
    if (comma > 0) parts.emplace_back(text.substr(0, comma));
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return parts;
}

/// ?sum=true is the short form of ?aggregate=sum.
Result<std::optional<contract::Together>> read_together(const http::Query& query) {
  using contract::Together;
  const std::string how = query.get("aggregate");
  if (how.empty()) return query.flag("sum") ? std::optional(Together::kSum) : std::nullopt;
  for (const auto& [name, together] : {std::pair{"sum", Together::kSum},
                                       {"mean", Together::kMean},
                                       {"min", Together::kLeast},
                                       {"max", Together::kGreatest}}) {
    if (how == name) return std::optional(together);
  }
  return Error(Code::kBadRequest,
               fmt::format("aggregate: Invalid value: \"{}\": must be sum, mean, min or max", how));
}

Result<std::optional<std::chrono::seconds>> read_step(const http::Query& query) {
  TRY(const auto step, integer_parameter(query, "step"));
  if (!step) return std::optional<std::chrono::seconds>();
  if (*step < 1 || *step > kLongestStep) {
    return Error(Code::kBadRequest, fmt::format("step: Invalid value: {}: must be 1 to {} seconds",
                                                *step, kLongestStep));
  }
  return std::optional(std::chrono::seconds(*step));
}

Result<contract::UsageQuestion> read_question(const Key& key, const http::Query& query) {
  contract::UsageQuestion question;
  question.ns = key.ns;
  question.name = key.name.empty() ? query.get("pod") : key.name;
  question.owner = query.get("owner");
  question.job = query.get("job");
  question.node = query.get("node");
  question.container = query.get("container");
  TRY(question.labels, LabelSelector::parse(query.get("labelSelector")));
  TRY(question.from, time_parameter(query, "from"));
  TRY(question.to, time_parameter(query, "to"));
  TRY(const auto points, integer_parameter(query, "points"));
  if (points && (*points < 1 || *points > kMostUsagePoints)) {
    return Error(Code::kBadRequest, fmt::format("points: Invalid value: {}: must be 1 to {}",
                                                *points, kMostUsagePoints));
  }
  if (points) question.points = static_cast<std::size_t>(*points);
  question.metrics = parts_of(query.get("metrics"));
  TRY(question.step, read_step(query));
  TRY(question.together, read_together(query));
  return question;
}

/// CPUs have fractions that matter, and so have amounts that are small; bytes have none.
Json number(float value) {
  if (std::isnan(value)) return nullptr;
  const auto exact = static_cast<double>(value);
  if (exact >= 10'000) return std::llround(exact);
  return std::round(exact * 10'000) / 10'000;
}

Json numbers(const std::vector<float>& values) {
  JsonArray array;
  array.reserve(values.size());
  for (const float value : values) array.push_back(number(value));
  return array;
}

Json levels_json(const std::vector<contract::LevelCurve>& levels) {
  JsonObject json;
  for (const contract::LevelCurve& level : levels) json[level.resource] = numbers(level.amount);
  return json;
}

Json history_json(const Kind& kind, const contract::UsageAnswer& answer,
                  const contract::UsageHistory& history) {
  JsonObject metadata{{"name", history.pod.name.empty() ? "sum" : history.pod.name},
                      {"namespace", history.pod.ns}};
  if (!history.uid.empty()) metadata["uid"] = history.uid;
  if (history.labels.is_object()) metadata["labels"] = history.labels;
  JsonObject usage;
  for (const contract::UsageCurve& curve : history.usage) {
    usage[curve.name] = {
        {"mean", numbers(curve.mean)}, {"low", numbers(curve.low)}, {"high", numbers(curve.high)}};
  }
  const auto step = std::chrono::duration_cast<std::chrono::seconds>(answer.step);
  Json json{{"kind", kind.kind},
            {"apiVersion", kind.resource.api_version()},
            {"metadata", std::move(metadata)},
            {"recordedSince", format_time_micro(answer.recorded_since)},
            {"pods", history.pods},
            {"begin", format_time_micro(history.begin)},
            {"from", format_time_micro(answer.from)},
            {"stepSeconds", step.count()},
            {"usage", std::move(usage)},
            {"requests", levels_json(history.requests)},
            {"limits", levels_json(history.limits)}};
  if (history.end) json.get_object()["end"] = format_time_micro(*history.end);
  return json;
}

/// A list that says since when anything is known, also when there is nothing in it.
std::string list_text(const Kind& kind, const contract::UsageAnswer& answer, JsonArray items) {
  JsonObject metadata;
  if (answer.left_out > 0) metadata["remainingItemCount"] = answer.left_out;
  return to_text(Json{{"kind", kind.list_kind},
                      {"apiVersion", kind.resource.api_version()},
                      {"metadata", std::move(metadata)},
                      {"recordedSince", format_time_micro(answer.recorded_since)},
                      {"items", std::move(items)}});
}

awaitable<Result<>> tell_usage(Call& call, contract::UsageHistories& histories) {
  CO_TRY(const contract::UsageQuestion question, read_question(call.route.key, call.request.query));
  const contract::UsageAnswer answer = co_await histories.tell(question);
  if (call.verb == "get" && answer.items.empty()) {
    co_return Error(Code::kNotFound,
                    fmt::format("nothing that {} has used was recorded; usage is recorded since {}",
                                call.route.key.name, format_time(answer.recorded_since)));
  }
  if (call.form == Form::kJson && call.verb == "list") {
    JsonArray items;
    for (const auto& history : answer.items) {
      items.push_back(history_json(*call.kind, answer, history));
    }
    co_return co_await call.send(200, list_text(*call.kind, answer, std::move(items)));
  }
  Page page;
  for (const auto& history : answer.items) {
    page.listing.objects.push_back(std::make_shared<const StoredObject>(
        history_json(*call.kind, answer, history), std::int64_t{0}));
  }
  // A name may have been used again: the last pod of that name is meant.
  if (call.verb == "get") {
    const auto latest =
        std::max_element(answer.items.begin(), answer.items.end(),
                         [](const auto& a, const auto& b) { return a.begin < b.begin; });
    const auto place = static_cast<std::size_t>(latest - answer.items.begin());
    co_return co_await call.send_object(200, page.listing.objects[place]);
  }
  co_return co_await call.send_list(page);
}

}  // namespace

CallHandler handle_usage(const Sources& sources) {
  return handler(tell_usage, sources.histories);
}

}  // namespace trainyard::server
