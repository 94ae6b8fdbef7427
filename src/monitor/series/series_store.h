#pragma once

#include "base/result.h"
#include "monitor/series/series_compaction.h"

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

namespace trainyard::monitor {

/// One kept series.
struct KeptSeries {
  std::string id;
  std::string about;         // what whoever keeps it has written down of it
  std::uint64_t bytes = 0;   // on disk: files take whole blocks of it
  std::int64_t written = 0;  // when it last was; milliseconds since 1970
};

/// How long what is over is kept, and how much of it.
struct Retention {
  std::int64_t age = std::int64_t(30) * 24 * 3'600'000;  // milliseconds
  std::uint64_t bytes = std::uint64_t(1) << 30;
  std::size_t count = std::size_t(-1);
};

/// Series on disk, two files each: ID.series has the blocks, ID.about what they are of. Blocks are
/// only ever added at the end; one that a power cut has torn is found by its checksum and passed
/// over, whatever comes behind it. Compaction writes a new file, which takes the name of the old
/// one. Every call waits for the disk; one at a time.
class SeriesStore {
 public:
  static Result<SeriesStore> open(std::filesystem::path folder);

  /// What it is of, before its first block, and whenever that has changed.
  Result<> describe(const std::string& id, std::string_view about);
  Result<> append(const std::string& id, std::string_view block);
  /// The bytes of its blocks; none when there are none.
  Result<std::string> read(const std::string& id) const;
  Result<> compact(const std::string& id, std::int64_t now);
  void remove(const std::string& id);
  /// What describe() has written down; kNotFound: nothing.
  Result<std::string> about(const std::string& id) const;
  /// All of them. Without `about` what they are of is not read.
  std::vector<KeptSeries> list(bool about = true) const;

 private:
  explicit SeriesStore(std::filesystem::path folder) : folder_(std::move(folder)) {}
  std::filesystem::path file_of(const std::string& id, const char* what) const;

  std::filesystem::path folder_;
};

/// Which of those that are over must go: the oldest, until age and size are kept to.
std::vector<std::string> outdated(std::vector<KeptSeries> kept, const Retention& retention,
                                  std::int64_t now);

}  // namespace trainyard::monitor
