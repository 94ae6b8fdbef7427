#include "node/usage/usage_recorder.h"

#include "base/elsewhere.h"
#include "monitor/series/series_block.h"
#include "node/limits/gpus.h"
#include "object/values/status.h"

#include <algorithm>
#include <limits>
#include <tuple>

namespace trainyard::node {
namespace {

using namespace std::chrono_literals;

constexpr auto kTick = 1s;
constexpr auto kYoung = 1min;  // a pod is read at each tick, where there are few
constexpr std::size_t kFew = 32;
constexpr auto kElseEvery = 2s;
constexpr auto kSlack = 100ms;  // a tick that comes early is the one that was meant
constexpr auto kWriteEvery = 20s;
constexpr auto kCompactEvery = 30min;
constexpr std::chrono::milliseconds kLongLife = 5min;
// What one answer holds at most, so that nobody waits long for somebody else's question.
constexpr std::size_t kMostPodsTogether = 1000;
constexpr std::size_t kMostSteps = 240'000;  // of all pods
constexpr std::int64_t kDay = std::int64_t{24} * 3'600'000;

std::size_t most_pods(const contract::UsageQuestion& question) {
  if (question.together) return kMostPodsTogether;
  return std::max<std::size_t>(kMostSteps / std::max<std::size_t>(question.points, 1), 1);
}

/// Whether somebody in particular is meant. The curves of such reach back to their beginning.
bool names_somebody(const contract::UsageQuestion& question) {
  return !question.name.empty() || !question.owner.empty() || !question.job.empty() ||
         !question.labels.empty();
}

/// Newest first: of too many the oldest are left out.
bool ended_later(const PodSeries& a, const PodSeries& b) {
  constexpr auto kNever = std::numeric_limits<std::int64_t>::max();
  const auto end = [](const PodSeries& series) {
    return series.pod->end == 0 ? kNever : series.pod->end;
  };
  return std::tuple(end(a), a.pod->begin) > std::tuple(end(b), b.pod->begin);
}

/// Where files may be read: what is in memory only of pods that run, the rest from disk.
contract::UsageAnswer answer_from(const UsageFiles& files, const contract::UsageQuestion& question,
                                  std::vector<PodSeries> candidates, std::int64_t now) {
  std::sort(candidates.begin(), candidates.end(), ended_later);
  std::vector<PodSeries> meant;
  std::size_t left_out = 0;
  for (PodSeries& series : candidates) {
    if (meant.size() >= most_pods(question)) {
      ++left_out;
      continue;
    }
    if (series.pod->end != 0) {
      auto pod = files.find(series.pod->uid);
      if (!pod) continue;  // it has just been removed
      pod->end = series.pod->end;
      series.pod = std::make_shared<const RecordedPod>(*std::move(pod));
    }
    if (!has_labels(*series.pod, question)) continue;
    series.blocks = files.read(series.pod->uid);
    meant.push_back(std::move(series));
  }
  std::sort(meant.begin(), meant.end(), [](const PodSeries& a, const PodSeries& b) {
    return std::tie(a.pod->key, a.pod->begin) < std::tie(b.pod->key, b.pod->begin);
  });
  contract::UsageAnswer answer = answer_usage(question, meant, now);
  answer.left_out = left_out;
  return answer;
}

}  // namespace

UsageRecorder::UsageRecorder(Executor loop, Clock& clock, Executor files, const NodeConfig& config,
                             const Cgroups& cgroups, std::shared_ptr<GpuMeter> gpus)
    : clock_(clock),
      files_(std::move(files)),
      config_(config),
      reader_(clock, config, cgroups),
      gpus_(std::move(gpus)),
      on_disk_(std::make_shared<UsageFiles>(Paths(config.data_dir).usage())),
      started_(clock.now()),
      started_at_(clock.wall()),
      changed_(loop),
      tasks_(loop) {}

void UsageRecorder::start() {
  tasks_.spawn_contained("usage of earlier servers", load());
  tasks_.spawn("usage recorder", run());
}

awaitable<void> UsageRecorder::stop() {
  co_await tasks_.stop();
  std::vector<UsageFiles::Batch> batches;
  for (const auto& [uid, record] : records_) {
    if (!record->unwritten.empty()) batches.push_back(take_batch(*record));
  }
  auto work = [files = on_disk_, batches = std::move(batches)] {
    files->write(batches);
    return true;
  };
  co_await run_elsewhere(files_, std::move(work));
}

std::int64_t UsageRecorder::milliseconds(TimePoint time) const {
  const auto since = started_at_.time_since_epoch() + (time - started_);
  return std::chrono::duration_cast<std::chrono::milliseconds>(since).count();
}

awaitable<void> UsageRecorder::load() {
  auto work = [files = on_disk_] { return files->load(); };
  std::vector<RecordedPod> pods = co_await run_elsewhere(files_, std::move(work));
  for (RecordedPod& pod : pods) {
    if (!records_.contains(pod.uid)) ended_.try_emplace(pod.uid, std::move(pod));
  }
  loaded_ = true;
  changed_.notify_all();
}

awaitable<void> UsageRecorder::run() {
  while (true) {
    while (running_containers() == 0) co_await changed_.wait();
    (void)co_await run_contained("reading usage", read_due());
    write_due(clock_.now());
    compact_one(clock_.now());
    co_await clock_.sleep_for(kTick);
  }
}

std::size_t UsageRecorder::running_containers() const {
  std::size_t count = 0;
  for (const auto& [uid, record] : records_) count += record->running.size();
  return count;
}

/// Few are read often while they are young. Many are read at once, new ones with the others: most
/// of the work is to look at the machine's processes.
bool UsageRecorder::is_due(const Record& record, TimePoint now, bool few) const {
  if (record.running.empty()) return false;
  if (!few) return now - round_ >= kElseEvery - kSlack;
  return now - record.begun < kYoung || now - record.read >= kElseEvery - kSlack;
}

awaitable<void> UsageRecorder::read_due() {
  std::vector<UsageTarget> targets;
  std::vector<int> gpus;
  std::vector<std::string> due;
  const TimePoint asked = clock_.now();
  const bool few = running_containers() <= kFew;
  for (const auto& [uid, record] : records_) {
    if (!is_due(*record, asked, few)) continue;
    due.push_back(uid);
    targets.insert(targets.end(), record->running.begin(), record->running.end());
    gpus.insert(gpus.end(), record->gpus.begin(), record->gpus.end());
  }
  if (targets.empty()) co_return;
  round_ = asked;
  auto work = [reader = reader_, targets = std::move(targets), meter = gpus_,
               gpus = std::move(gpus)] {
    Reading reading;
    reading.containers = reader.read(targets);
    const std::vector<GpuUsage> used = meter->read(gpus);
    for (std::size_t i = 0; i < gpus.size(); ++i) reading.gpus[gpus[i]] = used[i];
    return reading;
  };
  const Reading reading = co_await run_elsewhere(files_, std::move(work));
  const TimePoint now = clock_.now();
  for (const std::string& uid : due) {
    const auto found = records_.find(uid);  // it may have gone meanwhile
    if (found != records_.end()) take(*found->second, reading, now);
  }
}

void UsageRecorder::take(Record& record, const Reading& reading, TimePoint now) {
  NamedValues values;
  std::map<UsageTarget, UsageReading> readings;
  // Until when: as the readings say, which on a busy machine may have waited for each other.
  TimePoint until = now;
  for (const UsageTarget& target : record.running) {
    const auto found = reading.containers.find(target);
    if (found == reading.containers.end()) continue;
    until = readings.empty() ? found->second.time : std::max(until, found->second.time);
    const auto before = record.last.find(target);
    if (before != record.last.end()) {
      add_values(values, target.container, usage_between(before->second, found->second));
      Traffic& traffic = record.traffic[target];
      const Traffic more = traffic_between(before->second.sockets, found->second.sockets);
      traffic.received_bytes += more.received_bytes;
      traffic.sent_bytes += more.sent_bytes;
    }
    readings.insert(*found);
  }
  for (const int gpu : record.gpus) {
    const auto found = reading.gpus.find(gpu);
    if (found == reading.gpus.end()) continue;  // given to the pod since
    record.gpu_usage[gpu] = found->second;
    if (!values.empty()) add_values(values, gpu, found->second);
  }
  if (!values.empty()) add_row(record, milliseconds(until), values);
  record.recorded = std::max(record.recorded, milliseconds(until));
  std::erase_if(record.traffic, [&](const auto& entry) { return !readings.contains(entry.first); });
  record.last = std::move(readings);
  record.read = now;
}

/// From the end of the last row on. In the order of the file's columns, which an earlier server may
/// have chosen.
void UsageRecorder::add_row(Record& record, std::int64_t end, const NamedValues& values) const {
  if (end <= record.recorded) return;
  monitor::SeriesRow row{{record.recorded, end}, {}};
  for (const std::string& column : record.pod->columns) {
    const auto found = values.find(column);
    const float value =
        found == values.end() ? std::numeric_limits<float>::quiet_NaN() : found->second;
    row.values.push_back(monitor::ValueRange::of(monitor::rounded(value)));
  }
  record.unwritten.push_back(std::move(row));
}

/// Of GPUs that were made up there is nothing to be told.
std::vector<int> UsageRecorder::real_gpus_of(const Json& pod) const {
  for (const NodeSpec& node : config_.nodes) {
    if (node.name == string_at(pod, "spec.nodeName") && !node.fake_gpus) {
      return gpus_of(pod, node.first_gpu);
    }
  }
  return {};
}

std::unique_ptr<UsageRecorder::Record> UsageRecorder::begin_record(const Json& pod) {
  auto record = std::make_unique<Record>();
  record->gpus = real_gpus_of(pod);
  record->begun = clock_.now();
  record->written = record->begun;
  record->compacted = record->begun;
  const std::int64_t now = milliseconds(record->begun);
  record->recorded = now;
  RecordedPod recorded = recorded_pod(pod, record->gpus, now);
  // A pod that has outlived a server goes on where that has stopped.
  if (auto before = on_disk_->find(recorded.uid)) {
    recorded.columns = std::move(before->columns);
    recorded.begin = before->begin;
    record->described = true;
  }
  ended_.erase(recorded.uid);
  record->pod = std::make_shared<const RecordedPod>(std::move(recorded));
  return record;
}

void UsageRecorder::note(const Json& pod, bool deleted) {
  if (config_.fake_runtime) return;  // nothing runs that could be read
  const std::string uid(uid_of(pod));
  std::vector<UsageTarget> running;
  if (!deleted) running = running_in(pod);
  auto found = records_.find(uid);
  if (found == records_.end()) {
    if (running.empty()) return;
    found = records_.emplace(uid, begin_record(pod)).first;
  }
  Record& record = *found->second;
  record.running = std::move(running);
  if (!record.running.empty()) changed_.notify_all();
  if (deleted || has_ended(pod)) end_record(uid);
}

void UsageRecorder::end_record(const std::string& uid) {
  Record& record = *records_.at(uid);
  RecordedPod ended = *record.pod;
  ended.end = std::max(milliseconds(clock_.now()), ended.begin + 1);
  record.pod = std::make_shared<const RecordedPod>(std::move(ended));
  const bool any = record.described || !record.unwritten.empty();
  if (any) {
    record.described = false;  // its end is new
    ended_[uid] = slim(*record.pod);
    boost::asio::post(files_, [files = on_disk_, batch = take_batch(record)] {
      files->write({batch});
      // Its small blocks as a few large ones, where it has many.
      const bool many = batch.pod->end - batch.pod->begin > kLongLife.count();
      if (many) files->compact(batch.pod->uid, batch.pod->end);
    });
  }
  records_.erase(uid);
}

UsageFiles::Batch UsageRecorder::take_batch(Record& record) const {
  UsageFiles::Batch batch{record.pod, !record.described, std::move(record.unwritten)};
  record.described = true;
  record.unwritten.clear();
  record.written = clock_.now();
  return batch;
}

void UsageRecorder::write_due(TimePoint now) {
  std::vector<UsageFiles::Batch> batches;
  for (const auto& [uid, record] : records_) {
    if (record->unwritten.empty() || now - record->written < kWriteEvery) continue;
    batches.push_back(take_batch(*record));
  }
  if (batches.empty()) return;
  boost::asio::post(files_,
                    [files = on_disk_, batches = std::move(batches)] { files->write(batches); });
}

/// At most one a tick, so that those that began together do not hold up the next reading.
void UsageRecorder::compact_one(TimePoint now) {
  for (const auto& [uid, record] : records_) {
    if (now - record->compacted < kCompactEvery) continue;
    record->compacted = now;
    boost::asio::post(files_, [files = on_disk_, pod = record->pod, at = milliseconds(now)] {
      files->compact(pod->uid, at);
    });
    return;
  }
}

awaitable<contract::UsageAnswer> UsageRecorder::tell(contract::UsageQuestion question) {
  while (!loaded_) co_await changed_.wait();
  const std::int64_t now = milliseconds(clock_.now());
  // Of whoever was there, the last day: weeks of it would be a blot that takes long to draw.
  const bool day = !question.from && !names_somebody(question);
  if (day) question.from = WallTime(std::chrono::milliseconds(now - kDay));
  std::int64_t since = milliseconds(started_);
  std::vector<PodSeries> candidates;
  for (const auto& [uid, record] : records_) {
    since = std::min(since, record->pod->begin);
    if (is_meant(*record->pod, question)) {
      candidates.push_back({record->pod, "", record->unwritten});
    }
  }
  for (const auto& [uid, pod] : ended_) {
    since = std::min(since, pod.begin);
    if (is_meant(pod, question)) {
      candidates.push_back({std::make_shared<const RecordedPod>(pod), "", {}});
    }
  }
  if (day) {
    std::int64_t first = now;
    for (const PodSeries& series : candidates) first = std::min(first, series.pod->begin);
    question.from = WallTime(std::chrono::milliseconds(std::max(first, now - kDay)));
  }
  auto work = [files = on_disk_, question = std::move(question), candidates = std::move(candidates),
               now]() mutable { return answer_from(*files, question, std::move(candidates), now); };
  contract::UsageAnswer answer = co_await run_elsewhere(files_, std::move(work));
  answer.recorded_since = WallTime(std::chrono::milliseconds(since));
  co_return answer;
}

awaitable<void> UsageRecorder::tidy() {
  while (!loaded_) co_await changed_.wait();
  const std::int64_t now = milliseconds(clock_.now());
  std::vector<RecordedPod> ended;
  std::vector<std::string> running;
  for (const auto& [uid, pod] : ended_) ended.push_back(pod);
  for (const auto& [uid, record] : records_) running.push_back(uid);
  auto work = [files = on_disk_, ended = std::move(ended), running = std::move(running),
               retention = config_.kept_usage,
               now] { return files->tidy(ended, running, retention, now); };
  const UsageFiles::Tidied tidied = co_await run_elsewhere(files_, std::move(work));
  for (const std::string& uid : tidied.removed) ended_.erase(uid);
  for (const std::string& uid : tidied.to_compact) {
    auto compact = [files = on_disk_, uid, now] {
      files->compact(uid, now);
      return true;
    };
    co_await run_elsewhere(files_, std::move(compact));
  }
}

std::vector<ContainerTotals> UsageRecorder::totals() const {
  std::vector<ContainerTotals> all;
  for (const auto& [uid, record] : records_) {
    bool first = true;
    for (const auto& [target, reading] : record->last) {
      const auto traffic = record->traffic.find(target);
      const Traffic passed = traffic == record->traffic.end() ? Traffic() : traffic->second;
      ContainerTotals totals;
      totals.pod = record->pod->key;
      totals.node = record->pod->node;
      totals.container = target.container;
      if (!record->pod->owners.empty()) totals.owner = record->pod->owners.front();
      totals.cpu_seconds = static_cast<double>(reading.own.cpu_microseconds) / 1e6;
      totals.memory_bytes = reading.own.memory_bytes;
      totals.disk_read_bytes = reading.own.disk_read_bytes;
      totals.disk_written_bytes = reading.own.disk_written_bytes;
      totals.received_bytes = passed.received_bytes;
      totals.sent_bytes = passed.sent_bytes;
      totals.threads = reading.own.threads;
      if (std::exchange(first, false)) totals.gpus = record->gpu_usage;
      all.push_back(std::move(totals));
    }
  }
  return all;
}

}  // namespace trainyard::node
