// persistentvolumeclaims/NAME/files?path=PATH: the files of a volume.
//
//   GET                        what is there; of a folder, what is in it (limit, after)
//   GET    content=true        the bytes of a file (Range, If-None-Match)
//   PUT                        writes a file from the body as it comes (overwrite=true,
//                              overwriteLinks=true, If-Match, mode=755)
//   POST                       makes a folder, or with target=TEXT a link (overwrite=true)
//   PATCH  to=PATH             renames
//   DELETE                     removes (recursive=true)
#include "object/json/utf8.h"
#include "server/rest/rest.h"
#include "server/wire/encode.h"
#include "server/wire/file_requests.h"
#include "server/wire/request_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

namespace trainyard::server {
namespace {

constexpr std::int64_t kMostEntries = 10'000;
constexpr std::size_t kPiece = 256 << 10;

/// What somebody put on a volume may be a web page: it must neither be shown on our origin nor run
/// there.
http::Headers download_headers(const FileFacts& facts) {
  return {{"Content-Type", "application/octet-stream"},
          {"Content-Disposition", attachment(facts.name)},
          {"X-Content-Type-Options", "nosniff"},
          {"Content-Security-Policy", "default-src 'none'; sandbox"},
          {"Cache-Control", "private, no-cache"},
          {"Accept-Ranges", "bytes"},
          {"ETag", fmt::format("\"{}\"", facts.tag)}};
}

Result<std::string> path_parameter(const http::Query& query, const char* name) {
  return clean_path(query.get(name));
}

/// Of chmod, in octal digits.
Result<std::optional<unsigned>> mode_parameter(const http::Query& query) {
  const std::string text = query.get("mode");
  if (text.empty()) return std::optional<unsigned>();
  unsigned mode = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), mode, 8);
  if (failed != std::errc() || end != text.data() + text.size() || mode > 0777) {
    return Error(Code::kBadRequest, fmt::format("mode: {} is no mode such as 644", as_utf8(text)));
  }
  return std::optional(mode);
}

/// A body that came whole, as from who does not stream, is there already.
awaitable<Result<std::string>> next_of_body(std::string& whole, http::ResponseWriter& writer) {
  if (!whole.empty()) co_return std::exchange(whole, std::string());
  co_return co_await writer.read_body();
}

/// Names are bytes; what we say of them must be text.
Error in_words(const Error& cause) {
  return Error(cause.code(), as_utf8(cause.message()));
}

}  // namespace

bool streams_files(const http::Request& head) {
  const auto route = head.method == "PUT" ? parse_route(head.path) : std::nullopt;
  return route && route->resource == kVolumeClaims && route->subresource == "files";
}

awaitable<Result<>> RestHandler::answer_files(Call& call) {
  Result<> done;
  if (call.verb == "get") {
    const bool content = call.request.query.flag("content");
    done = content ? co_await send_file(call) : co_await look_at_file(call);
  } else if (call.verb == "update") {
    done = co_await receive_file(call);
  } else if (call.verb == "create" || call.verb == "patch" || call.verb == "delete") {
    done = co_await change_file(call);
  } else {
    done = Error(Code::kUnsupported,
                 fmt::format("{} is not served at {}", call.request.method, call.request.path));
  }
  if (done) co_return Ok();
  co_return in_words(done.error());
}

awaitable<Result<>> RestHandler::look_at_file(Call& call) {
  const http::Query& query = call.request.query;
  CO_TRY(std::string path, path_parameter(query, "path"));
  CO_TRY(const auto limit, integer_parameter(query, "limit"));
  client::FolderRange range{query.get("after"), 0};
  range.limit = static_cast<std::size_t>(
      std::clamp<std::int64_t>(limit.value_or(kMostEntries), 1, kMostEntries));
  const std::string shown = path;
  CO_TRY(const client::FileView view,
         co_await files_.look(call.route.key, std::move(path), std::move(range)));
  co_return co_await send(call, 200, to_text(describe_view(shown, view)));
}

awaitable<Result<>> RestHandler::send_file(Call& call) {
  CO_TRY(std::string path, path_parameter(call.request.query, "path"));
  CO_TRY(const auto file, co_await files_.open(call.route.key, std::move(path)));
  const FileFacts& facts = file->facts();
  http::Headers headers = download_headers(facts);
  const http::Headers& asked = call.request.headers;
  http::Response short_answer;
  if (parse_tag(asked.find("If-None-Match").value_or("")) == facts.tag) {
    short_answer.status = 304;
    short_answer.headers = std::move(headers);
    co_return co_await call.writer.send(std::move(short_answer));
  }
  // Who asks for the rest of another content gets all of this one.
  const auto same = asked.find("If-Range");
  const bool whole = same && parse_tag(*same) != facts.tag;
  const auto range = parse_range(whole ? "" : asked.find("Range").value_or(""), facts.bytes);
  if (!range) {
    headers.add("Content-Range", fmt::format("bytes */{}", facts.bytes));
    short_answer.status = 416;
    short_answer.headers = std::move(headers);
    co_return co_await call.writer.send(std::move(short_answer));
  }
  const ByteRange part = range->value_or(ByteRange{0, facts.bytes});
  headers.add("Content-Length", std::to_string(part.length));
  if (*range) {
    headers.add("Content-Range", fmt::format("bytes {}-{}/{}", part.first,
                                             part.first + part.length - 1, facts.bytes));
  }
  CO_TRY_OK(co_await call.writer.start(*range ? 206 : 200, std::move(headers)));
  const std::int64_t end = call.request.method == "HEAD" ? part.first : part.first + part.length;
  for (std::int64_t at = part.first; at < end;) {
    const auto size = static_cast<std::size_t>(std::min<std::int64_t>(end - at, kPiece));
    CO_TRY(std::string piece, co_await file->read(at, size));
    // Somebody has cut it meanwhile: the answer breaks off, which tells the client.
    if (piece.empty()) break;
    at += static_cast<std::int64_t>(piece.size());
    CO_TRY_OK(co_await call.writer.write(std::move(piece)));
  }
  co_return co_await call.writer.finish();
}

awaitable<Result<>> RestHandler::receive_file(Call& call) {
  CO_TRY(std::string path, path_parameter(call.request.query, "path"));
  const http::Headers& headers = call.request.headers;
  Replacing replacing;
  replacing.allowed = call.request.query.flag("overwrite");
  replacing.links = call.request.query.flag("overwriteLinks");
  CO_TRY(replacing.mode, mode_parameter(call.request.query));
  if (const auto wanted = headers.find("If-Match")) {
    replacing.only_with = parse_tag(*wanted);
    if (replacing.only_with.empty()) {
      co_return Error(Code::kBadRequest, "If-Match: one tag in quotes is expected");
    }
  }
  const auto bytes = static_cast<std::int64_t>(
      std::min<std::uint64_t>(http::content_length(headers).value_or(0), INT64_MAX));
  std::string whole = call.request.body;
  client::NextPart next = [&whole, &call] { return next_of_body(whole, call.writer); };
  CO_TRY(const FileFacts facts,
         co_await files_.write(call.route.key, std::move(path), std::move(replacing), bytes,
                               std::move(next)));
  co_return co_await send(call, 200, to_text(describe_file(facts)));
}

awaitable<Result<>> RestHandler::change_file(Call& call) {
  const http::Query& query = call.request.query;
  CO_TRY(std::string path, path_parameter(query, "path"));
  if (call.verb == "delete") {
    CO_TRY_OK(co_await files_.remove(call.route.key, std::move(path), query.flag("recursive")));
    co_return co_await send(
        call, 200, to_text(Json{{"kind", "Status"}, {"apiVersion", "v1"}, {"status", "Success"}}));
  }
  if (call.verb == "create") {
    std::string target = query.get("target");
    Result<FileFacts> made;
    if (target.empty()) {
      made = co_await files_.make_folder(call.route.key, std::move(path));
    } else {
      made = co_await files_.make_link(call.route.key, std::move(path), std::move(target),
                                       query.flag("overwrite"));
    }
    if (!made) co_return made.error();
    co_return co_await send(call, 201, to_text(describe_file(*made)));
  }
  CO_TRY(std::string to, path_parameter(query, "to"));
  if (to.empty()) co_return Error(Code::kBadRequest, "to: say what it is to be called");
  CO_TRY(const FileFacts facts,
         co_await files_.rename(call.route.key, std::move(path), std::move(to)));
  co_return co_await send(call, 200, to_text(describe_file(facts)));
}

}  // namespace trainyard::server
