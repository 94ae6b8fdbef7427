#pragma once

#include "base/unique_fd.h"
#include "client/pod_streams.h"

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

namespace trainyard::node {

/// Turns the shim's records (`TIME stdout F text`) back into what the container wrote, as the
/// options ask. Fed with whole records; keeps what is between two of them.
class LogDecoder {
 public:
  explicit LogDecoder(const client::LogOptions& options);
  /// Decodes the complete records at the front of `records` and removes them.
  std::string decode(std::string& records);
  /// limitBytes is reached: nothing more will come.
  bool full() const { return limited_ && left_ == 0; }

 private:
  bool timestamps_;
  std::string since_;  // compares as text: all times have the same form
  bool limited_;
  std::int64_t left_;
  bool in_line_ = false;  // the last record was a partial one
};

/// Where in the file the last `lines` lines begin.
std::int64_t tail_offset(int fd, std::int64_t lines);

/// Reads a run's log, and follows it until the run has ended when asked to.
class LogFile final : public client::ByteStream {
 public:
  /// `ended` tells whether the container will write no more.
  LogFile(Executor loop, Clock& clock, std::filesystem::path path, client::LogOptions options,
          std::function<bool()> ended);
  ~LogFile() override;
  Result<> open();
  awaitable<Result<std::string>> read() override;

 private:
  struct Watch;
  Result<std::string> read_more();

  Executor loop_;
  Clock& clock_;
  std::filesystem::path path_;
  client::LogOptions options_;
  std::function<bool()> ended_;
  LogDecoder decoder_;
  UniqueFd file_;
  std::string pending_;
  std::unique_ptr<Watch> watch_;
};

}  // namespace trainyard::node
