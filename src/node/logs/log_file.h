#pragma once

#include "base/clock.h"
#include "node/logs/log_records.h"
#include "node/logs/log_search.h"
#include "node/logs/log_segments.h"

#include <filesystem>
#include <functional>
#include <memory>
#include <string>

namespace trainyard::node {

/// Reads a run's log, and follows it until the run has ended when asked to.
class LogFile final : public client::ByteStream {
 public:
  /// `folder` is the run's; `ended` tells whether the container will write no more.
  LogFile(Executor loop, Clock& clock, std::filesystem::path folder, client::LogOptions options,
          std::function<bool()> ended);
  ~LogFile() override;
  /// Finds where to begin.
  awaitable<Result<>> open();
  /// Begins there.
  Result<> open_at(LogPlace place) { return file_.open(place.segment, place.offset); }
  awaitable<Result<std::string>> read() override;
  /// The same with the stream that each byte came on; empty at the end.
  awaitable<Result<std::vector<client::OutputPiece>>> read_pieces();

 private:
  struct Watch;
  struct Read {
    std::vector<client::OutputPiece> pieces;
    bool more = false;  // there may be more at once
  };
  Result<Read> read_more();

  Executor loop_;
  Clock& clock_;
  std::filesystem::path folder_;
  client::LogOptions options_;
  std::function<bool()> ended_;
  LogDecoder decoder_;
  SegmentReader file_;
  std::string pending_;  // read and not yet decoded: less than a record
  std::unique_ptr<Watch> watch_;
};

}  // namespace trainyard::node
