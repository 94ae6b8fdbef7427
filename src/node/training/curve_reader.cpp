#include "node/training/curve_reader.h"

#include "base/elsewhere.h"
#include "client/claim_folder.h"
#include "monitor/events/drawn_points.h"
#include "monitor/events/event_log.h"
#include "object/json/utf8.h"

#include <boost/asio/strand.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <iterator>
#include <optional>

namespace trainyard::node {
namespace {

using namespace std::chrono_literals;
using client::CurveAnswer;
using client::CurveQuestion;

constexpr std::size_t kMostBytesOfALog = 48 << 20;
constexpr std::size_t kMostBytes = 96 << 20;  // of all together, as far as there are several
constexpr std::size_t kMostRuns = 2000;       // of an answer, as the next two
constexpr std::size_t kMostCurves = 20'000;
constexpr std::size_t kMostPoints = 200'000;
constexpr auto kFresh = 1s;  // what was read less long ago is not looked for again
constexpr auto kIdle = 10min;

/// The folder that has this path now: jobs make it, remove it and make it anew.
class CurrentFolder final : public monitor::LogFolder {
 public:
  CurrentFolder(std::string volume, std::string below)
      : volume_(std::move(volume)), below_(std::move(below)) {}

  Result<std::vector<std::string>> find(monitor::ReadNotes& notes) override {
    auto opened = monitor::open_log_folder(volume_, below_);
    // The job has not written anything yet.
    if (opened.failed_with(Code::kNotFound)) return std::vector<std::string>();
    if (!opened) return opened.error();
    folder_ = *std::move(opened);
    return folder_->find(notes);
  }
  Result<std::unique_ptr<monitor::LogFile>> open(const std::string& path) override {
    if (!folder_) return Error(Code::kNotFound, path + " is gone");
    return folder_->open(path);
  }
  /// Until find() is called again: what is remembered of many folders holds none of them open.
  void close() { folder_.reset(); }

 private:
  std::string volume_;
  std::string below_;
  std::unique_ptr<monitor::LogFolder> folder_;
};

client::CurvePoint point_of(const monitor::ScalarPoint& point) {
  return {point.step, point.wall_time, point.value};
}

bool is_asked_for(const std::vector<std::string>& asked, const std::string& name) {
  return asked.empty() || std::find(asked.begin(), asked.end(), name) != asked.end();
}

/// What one folder says.
struct Part {
  std::vector<client::CurveRun> runs;
  std::vector<client::Curve> curves;
  monitor::ReadNotes notes;
  bool cut = false;  // there is more than an answer may hold
};

}  // namespace

/// One folder, and what was read of it. Only the constructor and what is said to be the loop's are
/// for the loop; the rest is for the thread that reads, one at a time.
class CurveReader::Log {
 public:
  Log(const Place& place, Executor threads, TimePoint now)
      : where(std::move(threads)),
        asked(now),
        folder_(place.first, place.second),
        log_(folder_, options()),
        opened_(now.time_since_epoch().count()) {}

  const Executor where;                // work of this log is done there, in order
  TimePoint asked;                     // the loop's
  std::atomic<std::size_t> bytes = 0;  // what it holds, about

  Result<Part> tell(const CurveQuestion& question, const std::string& label, TimePoint now) {
    TRY_OK(read(now));
    Part part;
    part.notes = log_.notes();
    if (question.tags.empty()) {
      list(question, label, part);
    } else {
      draw(question, label, part);
    }
    return part;
  }

  Result<std::vector<monitor::CurveProgress>> tell_progress(WallTime since, TimePoint now) {
    TRY_OK(read(now));
    std::vector<monitor::CurveProgress> told;
    for (const auto& run : log_.runs()) {
      auto progress = monitor::read_curve_progress(run->data(), since);
      if (!progress) continue;
      for (auto& [tag, value] : progress->values) tag = as_utf8(tag);
      told.push_back(*std::move(progress));
    }
    return told;
  }

 private:
  /// What is new.
  Result<> read(TimePoint now) {
    if (read_ && now - *read_ < kFresh) return Ok();
    TRY_OK(log_.find_runs());
    log_.refresh();
    folder_.close();
    read_ = now;
    std::size_t held = 0;
    for (const auto& run : log_.runs()) held += run->data().bytes();
    bytes = held;
    return Ok();
  }
  static monitor::EventLogOptions options() {
    monitor::EventLogOptions options;
    options.only_scalars = true;
    options.threads = 2;
    options.most_bytes = kMostBytesOfALog;
    return options;
  }
  static std::string name_of(const monitor::EventRun& run, const std::string& label) {
    std::string name = as_utf8(run.name());
    if (label.empty()) return name;
    return name == "." ? label : label + "/" + name;
  }
  std::string version_of(const monitor::EventRun& run) const {
    return fmt::format("{:x}.{}", opened_, run.generation());
  }

  void list(const CurveQuestion& question, const std::string& label, Part& part) const {
    std::size_t curves = 0;
    for (const auto& run : log_.runs()) {
      client::CurveRun told{name_of(*run, label), version_of(*run), {}};
      if (!is_asked_for(question.runs, told.name)) continue;
      for (const monitor::TagData& tag : run->data().tags()) {
        const monitor::ScalarColumn* column = tag.scalars();
        if (column == nullptr || column->size() == 0) continue;
        part.cut = part.cut || curves == kMostCurves;
        if (part.cut) break;
        ++curves;
        told.curves.push_back({as_utf8(tag.tag), column->seen(), point_of(column->last()),
                               column->least(), column->greatest()});
      }
      if (told.curves.empty()) continue;
      part.cut = part.cut || part.runs.size() == kMostRuns;
      if (part.cut) break;
      part.runs.push_back(std::move(told));
    }
  }

  void draw(const CurveQuestion& question, const std::string& label, Part& part) const {
    struct Wanted {
      const monitor::EventRun* run;
      const monitor::TagData* tag;
      std::string name;
    };
    std::vector<Wanted> wanted;
    for (const auto& run : log_.runs()) {
      const std::string name = name_of(*run, label);
      if (!is_asked_for(question.runs, name)) continue;
      for (const monitor::TagData& tag : run->data().tags()) {
        if (tag.scalars() == nullptr || !is_asked_for(question.tags, as_utf8(tag.tag))) continue;
        part.cut = part.cut || wanted.size() == kMostRuns;
        if (!part.cut) wanted.push_back({run.get(), &tag, name});
      }
    }
    monitor::PointRange range{question.since, question.until, question.points};
    range.most = std::min(range.most, kMostPoints / std::max<std::size_t>(wanted.size(), 1));
    for (const Wanted& each : wanted) {
      const monitor::ScalarColumn& column = *each.tag->scalars();
      client::Curve curve{
          each.name, version_of(*each.run), as_utf8(each.tag->tag), column.seen(), {}};
      for (const auto& point : monitor::drawn_points(column, range)) {
        curve.points.push_back(point_of(point));
      }
      part.curves.push_back(std::move(curve));
    }
  }

  CurrentFolder folder_;
  monitor::EventLog log_;
  std::int64_t opened_;  // tells what was read from what is read anew after it was forgotten
  std::optional<TimePoint> read_;
};

CurveReader::CurveReader(const Executor& loop, client::Api& api, Clock& clock)
    : api_(api), clock_(clock), tasks_(loop) {}

CurveReader::~CurveReader() = default;

awaitable<Result<CurveAnswer>> CurveReader::tell(CurveQuestion question) {
  CurveAnswer answer;
  monitor::ReadNotes notes;
  bool cut = false;
  const bool several = question.folders.size() > 1;
  for (const contract::LogFolderSource& source : question.folders) {
    const auto found = co_await client::find_claim_folder(api_, Key{question.ns, source.claim});
    if (!found) {
      answer.warnings.push_back(found.error().message());
      continue;
    }
    const auto log = log_of({found->path, source.folder});
    auto work = [log, question, label = several ? source.label() : "", now = clock_.now()] {
      return log->tell(question, label, now);
    };
    auto part = co_await run_elsewhere(log->where, std::move(work));
    forget_surplus(*log);
    if (!part) {
      answer.warnings.push_back(
          as_utf8(fmt::format("{}: {}", source.label(), part.error().message())));
      continue;
    }
    notes.add(part->notes);
    cut = cut || part->cut;
    std::move(part->runs.begin(), part->runs.end(), std::back_inserter(answer.runs));
    std::move(part->curves.begin(), part->curves.end(), std::back_inserter(answer.curves));
  }
  for (const std::string& sentence : notes.sentences()) {
    answer.warnings.push_back(as_utf8(sentence));
  }
  if (cut) {
    answer.warnings.push_back(
        "there are more runs and curves than one answer holds: not all are shown; name fewer "
        "folders");
  }
  co_return answer;
}

awaitable<std::optional<monitor::CurveProgress>> CurveReader::tell_progress(
    std::string ns, std::vector<contract::LogFolderSource> folders, WallTime since) {
  std::vector<monitor::CurveProgress> runs;
  for (const contract::LogFolderSource& source : folders) {
    const auto found = co_await client::find_claim_folder(api_, Key{ns, source.claim});
    if (!found) continue;
    const auto log = log_of({found->path, source.folder});
    auto work = [log, since, now = clock_.now()] { return log->tell_progress(since, now); };
    auto part = co_await run_elsewhere(log->where, std::move(work));
    forget_surplus(*log);
    if (part) std::move(part->begin(), part->end(), std::back_inserter(runs));
  }
  co_return monitor::leading_run(std::move(runs));
}

std::shared_ptr<CurveReader::Log> CurveReader::log_of(const Place& place) {
  std::shared_ptr<Log>& log = logs_[place];
  if (!log) {
    log = std::make_shared<Log>(place, boost::asio::make_strand(threads_.get_executor()),
                                clock_.now());
  }
  log->asked = clock_.now();
  if (!watching_) tasks_.spawn_contained("forget curves", forget_idle());
  watching_ = true;
  return log;
}

/// Those that were asked for longest ago go first.
void CurveReader::forget_surplus(const Log& kept) {
  std::size_t sum = 0;
  for (const auto& [place, log] : logs_) sum += log->bytes;
  while (sum > kMostBytes && logs_.size() > 1) {
    auto oldest = logs_.end();
    for (auto each = logs_.begin(); each != logs_.end(); ++each) {
      if (each->second.get() == &kept) continue;
      if (oldest == logs_.end() || each->second->asked < oldest->second->asked) oldest = each;
    }
    sum -= oldest->second->bytes;
    logs_.erase(oldest);
  }
}

awaitable<void> CurveReader::forget_idle() {
  while (!logs_.empty()) {
    co_await clock_.sleep_for(1min);
    std::erase_if(logs_,
                  [&](const auto& each) { return clock_.now() - each.second->asked >= kIdle; });
  }
  watching_ = false;
}

}  // namespace trainyard::node
