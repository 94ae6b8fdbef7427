// pods/NAME/log: as in Kubernetes, and beside it, of our own:
//
//   uid=UID          of this pod, although another may have taken its name, or it is gone
//   run=N            of the container's n-th run, from 0 on
//   fromLine=A       lines by their numbers, up to 10,000: those of the whole log, whatever of it
//   is toLine=B         still kept. Headers tell which was first and which there are. With follow,
//                    from that line on.
//   lineAt=TIME      which line is the first that is not older (JSON)
//   search=TEXT      which lines hold it (JSON); regex=true, matchCase=true, fromLine=A, limit=N
//                    (of lines that are named), onlyFirst=true. An answer may be about a part: who
//                    wants the rest asks again, from the line `next` on.
#include "server/rest/handlers.h"
#include "server/wire/request_options.h"

#include <fmt/format.h>

#include <algorithm>

namespace trainyard::server {
namespace {

constexpr std::int64_t kMostLines = 10'000;

/// A whole number of at least `least`, or an error that says which parameter is wrong.
Result<std::optional<std::int64_t>> count_parameter(const http::Query& query, const char* name,
                                                    std::int64_t least) {
  TRY(const auto number, integer_parameter(query, name));
  if (!number || *number >= least) return number;
  return Error(Code::kBadRequest,
               fmt::format("{}: Invalid value: {}: must be at least {}", name, *number, least));
}

/// Which part of a log is asked for.
Result<> read_log_range(const http::Query& query, WallTime now, client::LogOptions& options) {
  TRY(options.tail_lines, count_parameter(query, "tailLines", 0));
  TRY(options.limit_bytes, count_parameter(query, "limitBytes", 1));
  TRY(const auto since_seconds, count_parameter(query, "sinceSeconds", 1));
  const std::string since_time = query.get("sinceTime");
  if (since_seconds && !since_time.empty()) {
    return Error(Code::kBadRequest, "at most one of sinceTime and sinceSeconds may be given");
  }
  if (since_seconds) {
    options.since =
        now - std::chrono::seconds(std::min<std::int64_t>(*since_seconds, 1'000'000'000));
  }
  if (!since_time.empty()) {
    auto since = parse_time(since_time);
    if (!since) return Error(Code::kBadRequest, "sinceTime: " + since.error().message());
    options.since = *since;
  }
  const std::string stream = query.get("stream");
  if (stream == "Stdout") options.stream = client::OutputStream::kOut;
  if (stream == "Stderr") options.stream = client::OutputStream::kErr;
  if (options.stream || stream.empty() || stream == "All") return Ok();
  return Error(Code::kBadRequest,
               fmt::format("stream: Unsupported value: \"{}\": use All, Stdout or Stderr", stream));
}

/// fromLine and toLine; the one that is not given follows from the other.
Result<std::optional<client::LineRange>> read_lines_range(const http::Query& query) {
  TRY(const auto from, count_parameter(query, "fromLine", 1));
  TRY(const auto to, count_parameter(query, "toLine", 0));
  if (!from && !to) return std::optional<client::LineRange>();
  client::LineRange range;
  range.from = from ? *from : std::max<std::int64_t>(1, *to - kMostLines + 1);
  range.to = to ? *to : INT64_MAX - 1;
  range.to = std::min(range.to, range.from + kMostLines - 1);
  return std::optional(range);
}

Json extent_json(const client::LogExtent& extent) {
  return {{"kept", extent.kept}, {"last", extent.last}};
}

awaitable<Result<>> send_lines(Call& call, client::PodStreams& streams, client::LogOptions options,
                               client::LineRange range) {
  CO_TRY(client::LogLines lines,
         co_await streams.read_lines(call.route.key, std::move(options), range));
  http::Headers headers{{"Content-Type", "text/plain"},
                        {"Trainyard-First-Line", std::to_string(lines.first)},
                        {"Trainyard-Kept-From", std::to_string(lines.extent.kept)},
                        {"Trainyard-Last-Line", std::to_string(lines.extent.last)}};
  CO_TRY_OK(co_await call.writer.start(200, std::move(headers)));
  if (!lines.text.empty()) CO_TRY_OK(co_await call.writer.write(std::move(lines.text)));
  co_return co_await call.writer.finish();
}

awaitable<Result<>> tell_line(Call& call, client::PodStreams& streams, client::LogOptions options) {
  const auto time = parse_time(call.request.query.get("lineAt"));
  if (!time) co_return Error(Code::kBadRequest, "lineAt: " + time.error().message());
  client::LineRange range;
  range.at = *time;
  CO_TRY(const client::LogLines found,
         co_await streams.read_lines(call.route.key, std::move(options), range));
  Json answer = extent_json(found.extent);
  answer.get_object()["line"] = found.first;
  co_return co_await call.send(200, to_text(answer));
}

awaitable<Result<>> search_log(Call& call, client::PodStreams& streams,
                               client::LogOptions options) {
  const http::Query& query = call.request.query;
  client::LogQuestion question;
  question.text = query.get("search");
  question.regex = query.flag("regex");
  question.match_case = query.flag("matchCase");
  question.only_first = query.flag("onlyFirst");
  CO_TRY(const auto from, count_parameter(query, "fromLine", 1));
  CO_TRY(const auto limit, count_parameter(query, "limit", 0));
  question.from = from.value_or(1);
  question.limit = std::min(limit.value_or(question.limit), kMostLines);
  CO_TRY(const client::LogFindings found,
         co_await streams.find_lines(call.route.key, std::move(options), std::move(question)));
  JsonArray hits;
  for (const auto& hit : found.hits) hits.push_back({{"line", hit.line}, {"time", hit.time}});
  Json answer = extent_json(found.extent);
  JsonObject& members = answer.get_object();
  members["count"] = found.count;
  members["hits"] = std::move(hits);
  members["next"] = found.next;
  members["done"] = found.done;
  co_return co_await call.send(200, to_text(answer));
}

awaitable<Result<>> send_log(Call& call, client::PodStreams& streams) {
  const http::Query& query = call.request.query;
  client::LogOptions options;
  options.container = query.get("container");
  options.follow = query.flag("follow");
  options.previous = query.flag("previous");
  options.timestamps = query.flag("timestamps");
  CO_TRY_OK(read_log_range(query, call.clock.wall(), options));
  options.pod_uid = query.get("uid");
  CO_TRY(const auto run, count_parameter(query, "run", 0));
  if (run) options.run = static_cast<int>(std::min<std::int64_t>(*run, INT32_MAX));
  CO_TRY(const auto range, read_lines_range(query));
  const bool searches = !query.get("search").empty();
  if (searches) co_return co_await search_log(call, streams, std::move(options));
  if (!query.get("lineAt").empty()) co_return co_await tell_line(call, streams, std::move(options));
  const bool lines = range && !options.follow;
  if (lines) co_return co_await send_lines(call, streams, std::move(options), *range);
  if (range) options.from_line = range->from;
  // Not looked up here: the logs of a pod that is gone may be kept.
  CO_TRY(const auto stream, co_await streams.open_log(call.route.key, std::move(options)));
  http::Headers headers{{"Content-Type", "text/plain"}};
  CO_TRY_OK(co_await call.writer.start(200, std::move(headers)));
  while (true) {
    CO_TRY(std::string piece, co_await stream->read());
    if (piece.empty()) co_return co_await call.writer.finish();
    CO_TRY_OK(co_await call.writer.write(std::move(piece)));
  }
}

/// The pods of a namespace that are gone, and whose logs can still be read.
awaitable<Result<>> list_kept_logs(Call& call, client::PodStreams& streams) {
  CO_TRY(const auto kept, co_await streams.kept_logs(call.route.key.ns));
  JsonArray items;
  for (const client::KeptLog& log : kept) {
    items.push_back({{"metadata",
                      {{"namespace", log.pod.ns},
                       {"name", log.pod.name},
                       {"uid", log.uid},
                       {"labels", log.labels}}},
                     {"kept", format_time_micro(log.kept)}});
  }
  co_return co_await call.send(200, to_text(Json{{"items", std::move(items)}}));
}

}  // namespace

CallHandler handle_log(const Sources& sources) {
  return handler(send_log, sources.streams);
}

CallHandler handle_kept_logs(const Sources& sources) {
  return handler(list_kept_logs, sources.streams);
}

}  // namespace trainyard::server
