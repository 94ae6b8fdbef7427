// …/NAME/curves of jobs and TensorBoards: what their programs have written as event files.
//
//   GET                          which runs there are, with which tags, and their last values
//   GET  tag=T (any number)      points of these tags: run=R (any number; none: all), points=N (no
//                                more of each curve), since=STEP (only later), until=STEP
#include "object/json/utf8.h"
#include "server/rest/handlers.h"
#include "server/rest/log_folders.h"
#include "server/wire/encode.h"
#include "server/wire/request_options.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <iterator>

namespace trainyard::server {
namespace {

constexpr std::int64_t kFewestPoints = 8;
constexpr std::int64_t kMostPoints = 10'000;

/// Programs may count from wherever they like, also from below zero.
Result<std::optional<std::int64_t>> step_parameter(const http::Query& query, const char* name) {
  const std::string text = query.get(name);
  if (text.empty()) return std::optional<std::int64_t>();
  std::int64_t step = 0;
  const char* end = text.data() + text.size();
  const auto [rest, failed] = std::from_chars(text.data(), end, step);
  if (failed == std::errc() && rest == end) return std::optional(step);
  return Error(Code::kBadRequest,
               fmt::format("{}: Invalid value: {}: must be a whole number", name, in_quotes(text)));
}

Result<client::CurveQuestion> read_question(const http::Query& query) {
  client::CurveQuestion question;
  for (const auto& [name, value] : query.all()) {
    if (name == "tag") question.tags.push_back(value);
    if (name == "run") question.runs.push_back(value);
  }
  TRY(const auto points, integer_parameter(query, "points"));
  if (points && (*points < kFewestPoints || *points > kMostPoints)) {
    return Error(Code::kBadRequest, fmt::format("points: Invalid value: {}: must be {} to {}",
                                                *points, kFewestPoints, kMostPoints));
  }
  if (points) question.points = static_cast<std::size_t>(*points);
  TRY(question.since, step_parameter(query, "since"));
  TRY(question.until, step_parameter(query, "until"));
  return question;
}

/// Answers hold a hundred thousand numbers: they are written down, not put into a tree first.
class Writer {
 public:
  template <class... Values>
  void put(fmt::format_string<Values...> format, Values&&... values) {
    fmt::format_to(std::back_inserter(text_), format, std::forward<Values>(values)...);
  }
  void text(const std::string& words) { text_ += to_text(Json(as_utf8(words))); }
  /// Event files hold floats mostly, which have fewer digits than the doubles that they make.
  /// JSON has no word for what is no number.
  void number(double value) {
    const auto narrow = static_cast<float>(value);
    if (std::isnan(value)) {
      put("\"NaN\"");
    } else if (std::isinf(value)) {
      put("\"{}Infinity\"", value < 0 ? "-" : "");
    } else if (static_cast<double>(narrow) == value) {
      put("{}", narrow);
    } else {
      put("{}", value);
    }
  }
  void time(double seconds) {
    if (std::isfinite(seconds) && std::abs(seconds) < 1e12) {
      put("{:.3f}", seconds);
    } else {
      put("0");
    }
  }
  template <class List, class Each>
  void list(const char* name, const List& items, Each each) {
    put("\"{}\":[", name);
    bool first = true;
    for (const auto& item : items) {
      if (!first) text_ += ',';
      first = false;
      each(item);
    }
    text_ += ']';
  }
  std::string take() { return std::move(text_); }

 private:
  std::string text_;
};

void write_facts(Writer& out, const client::CurveFacts& facts) {
  out.put("{{\"tag\":");
  out.text(facts.tag);
  out.put(",\"points\":{},\"last\":{{\"step\":{},\"time\":", facts.points, facts.last.step);
  out.time(facts.last.wall_time);
  out.put(",\"value\":");
  out.number(facts.last.value);
  out.put("}}");
  if (facts.least <= facts.greatest) {
    out.put(",\"least\":");
    out.number(facts.least);
    out.put(",\"greatest\":");
    out.number(facts.greatest);
  }
  out.put("}}");
}

void write_run(Writer& out, const client::CurveRun& run) {
  out.put("{{\"name\":");
  out.text(run.name);
  out.put(",\"version\":\"{}\",", run.version);
  out.list("curves", run.curves, [&](const auto& facts) { write_facts(out, facts); });
  out.put("}}");
}

void write_curve(Writer& out, const client::Curve& curve) {
  out.put("{{\"run\":");
  out.text(curve.run);
  out.put(",\"tag\":");
  out.text(curve.tag);
  out.put(",\"version\":\"{}\",\"points\":{},", curve.version, curve.written);
  out.list("steps", curve.points, [&](const auto& point) { out.put("{}", point.step); });
  out.put(",");
  out.list("times", curve.points, [&](const auto& point) { out.time(point.wall_time); });
  out.put(",");
  out.list("values", curve.points, [&](const auto& point) { out.number(point.value); });
  out.put("}}");
}

std::string answer_text(const contract::LogPlaces& places, bool with_points,
                        const client::CurveAnswer& answer) {
  Writer out;
  out.put("{{\"kind\":\"Curves\",\"apiVersion\":\"usage.trainyard.dev/v1\",");
  out.list("folders", places.folders, [&](const contract::LogFolderSource& folder) {
    out.put("{{\"volume\":");
    out.text(folder.claim);
    out.put(",\"path\":");
    out.text(folder.folder);
    out.put("}}");
  });
  out.put(",");
  out.list("elsewhere", places.remote, [&](const std::string& address) { out.text(address); });
  out.put(",");
  if (with_points) {
    out.list("curves", answer.curves, [&](const auto& curve) { write_curve(out, curve); });
  } else {
    out.list("runs", answer.runs, [&](const auto& run) { write_run(out, run); });
  }
  out.put(",");
  out.list("warnings", answer.warnings, [&](const std::string& warning) { out.text(warning); });
  out.put("}}\n");
  return out.take();
}

/// Who may get the job and the volumes that its event files are on may see what is in these: not
/// more than its TensorBoard shows them.
awaitable<Result<>> tell_curves(Call& call, Verbs& verbs, const Rbac& rbac,
                                client::Curves& curves) {
  CO_TRY(client::CurveQuestion question, read_question(call.request.query));
  CO_TRY(const ObjectPtr object, verbs.get(*call.kind, call.route.key));
  const contract::LogPlaces places = contract::find_log_places(object->body());
  CO_TRY_OK(check_log_folders(rbac, call.user, call.route.key.ns, places));
  question.ns = call.route.key.ns;
  question.folders = places.folders;
  const bool with_points = !question.tags.empty();
  CO_TRY(const client::CurveAnswer answer, co_await curves.tell(std::move(question)));
  co_return co_await call.send(200, answer_text(places, with_points, answer));
}

}  // namespace

CallHandler handle_curves(const Sources& sources) {
  return handler(tell_curves, sources.verbs, sources.rbac, sources.curves);
}

}  // namespace trainyard::server
