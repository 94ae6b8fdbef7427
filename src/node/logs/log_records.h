#pragma once

#include "client/pod_sessions.h"
#include "client/pod_streams.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace trainyard::node {

/// One line of the shim's log: `TIME stdout F text`.
struct LogRecord {
  std::string_view time;  // empty: not a record, and text is the line as it stands
  client::OutputStream stream = client::OutputStream::kOut;
  bool partial = false;  // the line goes on in the next record
  std::string_view text;
};
/// `line` is without its newline.
LogRecord read_record(std::string_view line);

/// No line of a log is longer: the shim cuts what is, and adds time, stream and tag.
inline constexpr std::size_t kLongestRecord = (16 << 10) + 64;

/// Turns records back into what the container wrote, as the options ask. Fed with the log's bytes
/// in pieces; keeps what is between two records.
class LogDecoder {
 public:
  explicit LogDecoder(const client::LogOptions& options);
  /// Decodes the complete records at the front of `records` and removes them.
  std::vector<client::OutputPiece> decode(std::string& records);
  /// What is left of a record that was cut off by the death of its writer.
  std::vector<client::OutputPiece> finish(std::string& records);
  /// limitBytes is reached: nothing more will come.
  bool full() const { return limited_ && left_ == 0; }

 private:
  void put(const LogRecord& record, bool whole, std::vector<client::OutputPiece>& out);
  void append(client::OutputStream stream, std::string_view text,
              std::vector<client::OutputPiece>& out);

  bool timestamps_;
  std::string since_;  // compares as text: all times have the same form
  std::optional<client::OutputStream> only_;
  bool limited_;
  std::int64_t left_;
  bool in_line_ = false;  // the last record that was shown was a partial one
};

/// The form in which times of records compare with `time` as text, up to the microsecond.
std::string comparable_time(WallTime time);
inline std::string_view comparable_time(std::string_view record_time) {
  return record_time.substr(0, sizeof("2026-11-16T01:02:03.123456") - 1);
}

}  // namespace trainyard::node
