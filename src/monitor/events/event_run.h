#pragma once

#include "monitor/events/log_folder.h"
#include "monitor/events/records.h"
#include "monitor/events/run_data.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace trainyard::monitor {

/// What one thread reads with: a buffer that grows for large records and shrinks again.
class ReadBuffer {
 public:
  char* data() { return bytes_.get(); }
  std::size_t size() const { return size_; }
  /// Keeps the first `kept` bytes.
  void resize(std::size_t size, std::size_t kept);

  static constexpr std::size_t kUsual = 1 << 20;

 private:
  std::unique_ptr<char[]> bytes_;
  std::size_t size_ = 0;
};

/// A folder with event files, which together are one run. Reads each byte once, and what is new
/// when it is asked again; a file that was replaced or truncated meanwhile makes it begin anew.
class EventRun {
 public:
  EventRun(std::string name, TagFilter filter, RunLimits limits);

  const std::string& name() const { return name_; }
  const RunData& data() const { return data_; }
  void forget_scalars() { data_.forget_scalars(); }
  void thin() { data_.thin(notes_); }
  /// Another one when points may be gone or be others; while it is the same, some are only added.
  std::uint64_t generation() const { return generation_ + data_.restarts(); }
  /// The sum of all that was read, and how the files are now.
  ReadNotes notes() const;
  std::uint64_t bytes_read() const { return bytes_read_; }
  const std::vector<std::string>& files() const { return paths_; }

  /// Those that are new are added, in the order of their names, which hold the time.
  void set_files(std::vector<std::string> paths);
  /// Reads what is new. `progress` is called now and then, and may look at the data and make it
  /// smaller.
  void refresh(LogFolder& folder, ReadBuffer& buffer,
               const std::function<void(EventRun&)>& progress);

 private:
  struct File {
    std::uint64_t identity = 0;
    std::uint64_t offset = 0;     // of the first byte that was not understood yet
    std::uint32_t last_word = 0;  // the four bytes before it: in another file they are others
    bool unfinished = false;
    bool unreadable = false;
    RecordReader records{kMostBytesKept};
  };
  static constexpr std::uint64_t kMostBytesKept = 32 << 20;  // of a record

  void begin_anew();
  bool is_still(const File& file, LogFile& opened) const;
  static std::optional<std::uint32_t> word_before(LogFile& opened, std::uint64_t offset);
  bool read_all(LogFolder& folder, ReadBuffer& buffer,
                const std::function<void(EventRun&)>& progress);
  void read_file(std::uint32_t number, LogFile& opened, ReadBuffer& buffer,
                 const std::function<void(EventRun&)>& progress);

  std::string name_;
  TagFilter filter_;
  RunLimits limits_;
  RunData data_;
  std::vector<std::string> paths_;
  std::vector<File> files_;  // beside paths_
  ReadNotes notes_;
  std::uint64_t bytes_read_ = 0;
  std::uint64_t generation_ = 0;
};

}  // namespace trainyard::monitor
