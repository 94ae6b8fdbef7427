#include "cli/logs/log_print.h"

#include "cli/logs/log_lines.h"
#include "cli/logs/log_merge.h"

#include <fmt/format.h>

#include <cstdio>

namespace trainyard::cli {
namespace {

client::LogOptions options_for(const LogSource& source, client::LogOptions options) {
  options.pod_uid = source.uid;
  options.previous = source.previous;
  return options;
}

void print(const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fflush(stdout);
}

}  // namespace

awaitable<Result<>> print_log(Session& session, LogSource source, client::LogOptions options) {
  options = options_for(source, std::move(options));
  const auto stream = co_await session.api().open_log(source.pod, std::move(options));
  if (stream.failed_with(Code::kUnavailable)) co_return unreadable(source, stream.error());
  if (!stream) co_return stream.error();
  while (true) {
    CO_TRY(const std::string piece, co_await (*stream)->read());
    if (piece.empty()) co_return Ok();
    print(piece);
  }
}

awaitable<Result<>> print_merged(Session& session, std::vector<LogSource> sources,
                                 client::LogOptions options) {
  std::vector<std::string> names;
  std::vector<std::unique_ptr<client::ByteStream>> streams;
  std::vector<Error> missing;
  for (const LogSource& source : sources) {
    names.push_back(source.replica);
    client::LogOptions wanted = options_for(source, options);
    wanted.timestamps = true;
    auto stream = co_await session.api().open_log(source.pod, std::move(wanted));
    // A container that has not started has no log; the others have. So have those on other nodes
    // than one that is lost.
    if (stream.failed_with(Code::kUnavailable)) {
      missing.push_back(unreadable(source, stream.error()));
    } else if (!stream && !stream.failed_with(Code::kBadRequest) &&
               !stream.failed_with(Code::kNotFound)) {
      co_return std::move(stream).error();
    }
    streams.push_back(stream ? *std::move(stream) : nullptr);
  }
  if (!missing.empty() && missing.size() == sources.size()) co_return missing.front();
  for (const Error& one : missing) fmt::print(stderr, "{}\n", one.message());
  LineTagger tagger(names, wants_colours());
  LogMerger merger(sources.size(), options.timestamps);
  for (std::vector<std::size_t> wanted = merger.wanted(); !wanted.empty();
       wanted = merger.wanted()) {
    for (const std::size_t number : wanted) {
      std::string piece;
      if (streams[number]) {
        CO_TRY(piece, co_await streams[number]->read());
      }
      if (piece.empty()) {
        merger.end(number);
      } else {
        merger.put(number, piece);
      }
    }
    std::string out;
    for (const LogMerger::Line& line : merger.take()) {
      const std::string& replica = names[line.source];
      out += tagger.put(replica, line.text) + tagger.finish(replica);
    }
    print(out);
  }
  co_return Ok();
}

}  // namespace trainyard::cli
