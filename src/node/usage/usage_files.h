#pragma once

#include "monitor/series/series_store.h"
#include "node/config.h"
#include "node/usage/usage_answer.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace trainyard::node {

/// Recorded usage on disk: a series a pod, named by its uid, in DATA_DIR/usage. Waits for the disk,
/// so it is called where files are read, one call at a time; find() may be called anywhere. Nothing
/// is synced but what compaction writes: a power cut costs the last half minute, the end of a
/// server nothing that was handed over.
class UsageFiles {
 public:
  explicit UsageFiles(std::filesystem::path folder) : folder_(std::move(folder)) {}

  /// What one pod has used since the last time.
  struct Batch {
    std::shared_ptr<const RecordedPod> pod;
    bool describe = false;  // what is known of it is new
    std::vector<monitor::SeriesRow> rows;
  };
  void write(const std::vector<Batch>& batches);
  /// With what is old in fewer rows.
  void compact(const std::string& uid, std::int64_t now);

  /// What was written down of a pod.
  std::optional<RecordedPod> find(const std::string& uid) const;
  /// All pods, with no more than tells which they are. One that a server has left running ends with
  /// its last sample.
  std::vector<RecordedPod> load() const;
  /// The bytes of a pod's series.
  std::string read(const std::string& uid) const;

  /// Removes what is too old or too much of pods that have ended, and what belongs to nobody.
  struct Tidied {
    std::vector<std::string> removed;
    std::vector<std::string> to_compact;  // that have come of age since they were last written
  };
  Tidied tidy(const std::vector<RecordedPod>& ended, const std::vector<std::string>& running,
              const UsageRetention& retention, std::int64_t now);

 private:
  Result<> write_one(const Batch& batch);
  bool open();

  std::filesystem::path folder_;
  std::optional<monitor::SeriesStore> store_;
  bool failing_ = false;               // somebody was told
  std::set<std::string> undescribed_;  // the disk was full: again with the next batch
};

/// A pod without what only answers need.
RecordedPod slim(const RecordedPod& pod);

}  // namespace trainyard::node
