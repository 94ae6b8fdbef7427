#include "monitor/events/event_log.h"

#include <algorithm>
#include <map>
#include <thread>

namespace trainyard::monitor {
namespace {

constexpr std::size_t kMostTags = 1'000'000;       // of all runs together
constexpr std::size_t kMostOtherBytes = 64 << 20;  // histograms and texts of all runs
constexpr std::size_t kFewTags = 100;              // what each run may have in any case
constexpr std::size_t kFewOtherBytes = 64 << 10;

}  // namespace

std::string run_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : path.substr(0, slash);
}

EventLog::EventLog(LogFolder& folder, EventLogOptions options)
    : folder_(folder), options_(std::move(options)) {}

RunLimits EventLog::limits_for(std::size_t runs) const {
  RunLimits limits;
  limits.only_scalars = options_.only_scalars;
  limits.tags = std::clamp(kMostTags / runs, kFewTags, limits.tags);
  limits.other_bytes = std::clamp(kMostOtherBytes / runs, kFewOtherBytes, limits.other_bytes);
  return limits;
}

Result<> EventLog::find_runs() {
  found_ = ReadNotes();
  TRY(std::vector<std::string> paths, folder_.find(found_));
  std::map<std::string, std::vector<std::string>> files;
  for (std::string& path : paths) files[run_of(path)].push_back(std::move(path));
  std::map<std::string, std::unique_ptr<EventRun>> known;
  for (auto& run : runs_) known[run->name()] = std::move(run);
  runs_.clear();
  for (auto& [name, of_run] : files) {
    std::unique_ptr<EventRun> run = std::move(known[name]);
    if (!run) run = std::make_unique<EventRun>(name, options_.tags, limits_for(files.size()));
    run->set_files(std::move(of_run));
    runs_.push_back(std::move(run));
  }
  return Ok();
}

void EventLog::refresh() {
  held_ = 0;
  for (const auto& run : runs_) held_ += run->data().bytes();
  std::atomic<std::size_t> next = 0;
  std::vector<std::thread> others;
  const std::size_t threads = std::min<std::size_t>(options_.threads, runs_.size());
  for (std::size_t i = 1; i < threads; ++i) others.emplace_back([&] { read_runs(next); });
  read_runs(next);
  for (std::thread& other : others) other.join();
}

/// One thread's work: run after run, until there is none left that nobody has begun.
void EventLog::read_runs(std::atomic<std::size_t>& next) {
  ReadBuffer buffer;
  const std::size_t share = options_.most_bytes / std::max<std::size_t>(runs_.size(), 1);
  for (std::size_t i = next++; i < runs_.size(); i = next++) {
    std::size_t counted = runs_[i]->data().bytes();
    runs_[i]->refresh(folder_, buffer, [&](EventRun& run) {
      std::size_t now = run.data().bytes();
      if (now > share && held_ + now - counted > options_.most_bytes) {
        run.thin();
        now = run.data().bytes();
      }
      held_ += now - counted;  // wraps around when it has become less, which is right as well
      counted = now;
    });
  }
}

ReadNotes EventLog::notes() const {
  ReadNotes sum = found_;
  for (const auto& run : runs_) sum.add(run->notes());
  return sum;
}

}  // namespace trainyard::monitor
