#pragma once

#include "base/result.h"
#include "monitor/events/read_notes.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace trainyard::monitor {

/// An event file that is open. Others may write to it, truncate it or put another in its place.
class LogFile {
 public:
  virtual ~LogFile() = default;
  virtual std::uint64_t size() const = 0;
  /// Another number for another file of the same name; 0 where that cannot be told.
  virtual std::uint64_t identity() const = 0;
  /// How many bytes were read; fewer than asked for at the end only.
  virtual Result<std::size_t> read(std::uint64_t offset, char* into, std::size_t size) = 0;
};

/// A folder with event files below it.
class LogFolder {
 public:
  virtual ~LogFolder() = default;
  /// Paths of all event files below it, sorted. What cannot be looked into is noted and left out.
  virtual Result<std::vector<std::string>> find(ReadNotes& notes) = 0;
  virtual Result<std::unique_ptr<LogFile>> open(const std::string& path) = 0;
};

/// TensorBoard's rule.
bool is_event_file(const std::string& name);

/// On this machine. Links are not followed: jobs write there, and what they point to need not be
/// theirs. Every call may come from any thread.
Result<std::unique_ptr<LogFolder>> open_log_folder(const std::filesystem::path& folder);
/// The folder `below` one that others write to, however links lead there.
Result<std::unique_ptr<LogFolder>> open_log_folder(const std::filesystem::path& folder,
                                                   const std::filesystem::path& below);

}  // namespace trainyard::monitor
