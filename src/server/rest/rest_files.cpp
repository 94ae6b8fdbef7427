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
#include "server/rest/handlers.h"
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

awaitable<Result<>> look_at_file(Call& call, client::VolumeFiles& files) {
  const http::Query& query = call.request.query;
  CO_TRY(std::string path, path_parameter(query, "path"));
  CO_TRY(const auto limit, integer_parameter(query, "limit"));
  client::FolderRange range{query.get("after"), 0};
  range.limit = static_cast<std::size_t>(
      std::clamp<std::int64_t>(limit.value_or(kMostEntries), 1, kMostEntries));
  const std::string shown = path;
  CO_TRY(const client::FileView view,
         co_await files.look(call.route.key, std::move(path), std::move(range)));
  co_return co_await call.send(200, to_text(describe_view(shown, view)));
}

awaitable<Result<>> send_file(Call& call, client::VolumeFiles& files) {
  CO_TRY(std::string path, path_parameter(call.request.query, "path"));
  CO_TRY(const auto file, co_await files.open(call.route.key, std::move(path)));
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

awaitable<Result<>> receive_file(Call& call, client::VolumeFiles& files) {
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
  CO_TRY(const FileFacts facts, co_await files.write(call.route.key, std::move(path),
                                                     std::move(replacing), bytes, std::move(next)));
  co_return co_await call.send(200, to_text(describe_file(facts)));
}

awaitable<Result<>> make_file(Call& call, client::VolumeFiles& files) {
  const http::Query& query = call.request.query;
  CO_TRY(std::string path, path_parameter(query, "path"));
  std::string target = query.get("target");
  Result<FileFacts> made;
  if (target.empty()) {
    made = co_await files.make_folder(call.route.key, std::move(path));
  } else {
    made = co_await files.make_link(call.route.key, std::move(path), std::move(target),
                                    query.flag("overwrite"));
  }
  if (!made) co_return made.error();
  co_return co_await call.send(201, to_text(describe_file(*made)));
}

awaitable<Result<>> rename_file(Call& call, client::VolumeFiles& files) {
  CO_TRY(std::string path, path_parameter(call.request.query, "path"));
  CO_TRY(std::string to, path_parameter(call.request.query, "to"));
  if (to.empty()) co_return Error(Code::kBadRequest, "to: say what it is to be called");
  CO_TRY(const FileFacts facts,
         co_await files.rename(call.route.key, std::move(path), std::move(to)));
  co_return co_await call.send(200, to_text(describe_file(facts)));
}

awaitable<Result<>> remove_file(Call& call, client::VolumeFiles& files) {
  const http::Query& query = call.request.query;
  CO_TRY(std::string path, path_parameter(query, "path"));
  CO_TRY_OK(co_await files.remove(call.route.key, std::move(path), query.flag("recursive")));
  co_return co_await call.send(
      200, to_text(Json{{"kind", "Status"}, {"apiVersion", "v1"}, {"status", "Success"}}));
}

using FileAnswer = awaitable<Result<>> (*)(Call&, client::VolumeFiles&);

/// Names are bytes; what we say of them must be text.
awaitable<Result<>> answer_in_words(Call& call, client::VolumeFiles& files, FileAnswer answer) {
  const Result<> done = co_await answer(call, files);
  if (done) co_return Ok();
  co_return Error(done.error().code(), as_utf8(done.error().message()));
}

CallHandler file_handler(FileAnswer answer, const Sources& sources) {
  return
      [&files = sources.files, answer](Call& call) { return answer_in_words(call, files, answer); };
}

}  // namespace

CallHandler handle_look_at_file(const Sources& sources) {
  return file_handler(look_at_file, sources);
}

CallHandler handle_send_file(const Sources& sources) {
  return file_handler(send_file, sources);
}

CallHandler handle_receive_file(const Sources& sources) {
  return file_handler(receive_file, sources);
}

CallHandler handle_make_file(const Sources& sources) {
  return file_handler(make_file, sources);
}

CallHandler handle_rename_file(const Sources& sources) {
  return file_handler(rename_file, sources);
}

CallHandler handle_remove_file(const Sources& sources) {
  return file_handler(remove_file, sources);
}

}  // namespace trainyard::server
