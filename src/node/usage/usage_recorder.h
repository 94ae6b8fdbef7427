#pragma once

#include "base/notifier.h"
#include "base/task_group.h"
#include "contract/usage_history.h"
#include "node/linux/gpu_meter.h"
#include "node/usage/usage_files.h"
#include "node/usage/usage_rates.h"
#include "node/usage/usage_totals.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace trainyard::node {

/// Records what the pods of this machine use, from when they begin to run until they end, and keeps
/// it, also of pods and of servers that are gone. Everything is read at once, every two seconds,
/// and not at all when nothing runs. What was read last is in memory, all else in UsageFiles. Lives
/// on the loop.
class UsageRecorder final : public contract::UsageHistories {
 public:
  /// `files`: where counters and files are read, one after the other: it must have one thread.
  /// `gpus` are asked there, too.
  UsageRecorder(Executor loop, Clock& clock, Executor files, const NodeConfig& config,
                const Cgroups& cgroups, std::shared_ptr<GpuMeter> gpus);
  void start();
  /// Writes down what is only in memory.
  awaitable<void> stop();

  /// A pod of this machine has changed.
  void note(const Json& pod, bool deleted);
  awaitable<contract::UsageAnswer> tell(contract::UsageQuestion question) override;
  /// Removes what is too old or too much, and makes old samples fewer. Now and then.
  awaitable<void> tidy();
  /// What the containers that run had used when they were last read.
  std::vector<ContainerTotals> totals() const;

 private:
  struct Record {
    std::shared_ptr<const RecordedPod> pod;
    std::vector<int> gpus;
    std::vector<UsageTarget> running;
    std::map<UsageTarget, UsageReading> last;
    std::map<UsageTarget, Traffic> traffic;  // since it began, or the server
    std::map<int, GpuUsage> gpu_usage;
    std::vector<monitor::SeriesRow> unwritten;
    std::int64_t recorded = 0;  // until when; milliseconds since 1970
    TimePoint begun;
    TimePoint read;       // when it was last
    TimePoint written;    // when its samples last were
    TimePoint compacted;  // when its file last was
    bool described = false;
  };
  struct Reading {
    std::map<UsageTarget, UsageReading> containers;
    std::map<int, GpuUsage> gpus;
  };

  awaitable<void> load();
  awaitable<void> run();
  std::size_t running_containers() const;
  bool is_due(const Record& record, TimePoint now, bool few) const;
  awaitable<void> read_due();
  void take(Record& record, const Reading& reading, TimePoint now);
  void add_row(Record& record, std::int64_t end, const NamedValues& values) const;
  std::vector<int> real_gpus_of(const Json& pod) const;
  std::unique_ptr<Record> begin_record(const Json& pod);
  void end_record(const std::string& uid);
  UsageFiles::Batch take_batch(Record& record) const;
  void write_due(TimePoint now);
  void compact_one(TimePoint now);
  /// Milliseconds since 1970, by a clock that never goes back.
  std::int64_t milliseconds(TimePoint time) const;

  Clock& clock_;
  Executor files_;
  const NodeConfig& config_;
  UsageReader reader_;
  std::shared_ptr<GpuMeter> gpus_;       // shared: a reading may outlive its asker
  std::shared_ptr<UsageFiles> on_disk_;  // so may what is read and written
  const TimePoint started_;
  const WallTime started_at_;
  std::map<std::string, std::unique_ptr<Record>> records_;  // of pods that run, by uid
  std::map<std::string, RecordedPod> ended_;                // of which there is a file
  TimePoint round_;                                         // when many were last read
  bool loaded_ = false;                                     // ended_ knows those of earlier servers
  Notifier changed_;
  TaskGroup tasks_;
};

}  // namespace trainyard::node
