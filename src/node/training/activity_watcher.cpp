#include "node/training/activity_watcher.h"

#include "base/elsewhere.h"
#include "base/log.h"
#include "node/images/python_site.h"
#include "node/usage/usage_rates.h"
#include "object/values/status.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <tuple>
#include <utility>

namespace trainyard::node {
namespace {

using namespace std::chrono_literals;
using contract::RankReport;
using contract::RankState;

constexpr auto kSlack = 50ms;      // a look that comes early is the one that was meant
constexpr auto kAnswerLasts = 1s;  // who asks again sooner gets the same answer
constexpr std::size_t kMostFrames = 8;
constexpr std::size_t kLongestFrame = 200;

/// 90s, 10m, 1h, 0; nothing when it is none of these.
std::optional<std::chrono::milliseconds> span_in(std::string_view text) {
  std::int64_t number = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), number);
  if (parsed.ec != std::errc() || number < 0 || number > 1'000'000) return std::nullopt;
  const std::string_view unit = text.substr(static_cast<std::size_t>(parsed.ptr - text.data()));
  if (unit == "s" || (number == 0 && unit.empty())) return std::chrono::seconds(number);
  if (unit == "m") return std::chrono::minutes(number);
  if (unit == "h") return std::chrono::hours(number);
  return std::nullopt;
}

ActivityLimits limits_of(const Json& pod, const NodeConfig& config) {
  ActivityLimits limits = config.activity;
  const auto own = span_in(annotation_of(pod, contract::kStallAfterAnnotation));
  if (own) limits.quiet = *own;
  return limits;
}

/// Its main containers that run: what prepares them trains nothing.
std::vector<UsageTarget> training_in(const Json& pod) {
  std::vector<UsageTarget> targets = running_in(pod);
  const JsonArray& containers = array_at(pod, "spec.containers");
  std::erase_if(targets, [&](const UsageTarget& target) {
    return std::none_of(containers.begin(), containers.end(), [&](const Json& container) {
      return string_at(container, "name") == target.container;
    });
  });
  return targets;
}

/// Its job and its part in it: names are those of both, and a number.
std::string group_of(const Json& pod) {
  const Json* owner = controller_of(pod);
  const std::string_view name = name_of(pod);
  return fmt::format("{} {}", owner == nullptr ? "" : string_at(*owner, "uid"),
                     name.substr(0, std::min(name.rfind('-'), name.size())));
}

bool is_library(const std::string& file) {
  return file.starts_with('<') || file.find("-packages/") != std::string::npos ||
         file.find("/lib/python") != std::string::npos;
}

auto essence(const RankReport& report) {
  return std::tuple(report.container, report.rank, report.state, report.pace);
}

bool same_essence(const std::vector<RankReport>& a, const std::vector<RankReport>& b) {
  return std::equal(
      a.begin(), a.end(), b.begin(), b.end(),
      [](const RankReport& x, const RankReport& y) { return essence(x) == essence(y); });
}

bool all_move(const std::vector<RankReport>& reports) {
  return std::all_of(reports.begin(), reports.end(),
                     [](const RankReport& report) { return report.state == RankState::kMoves; });
}

/// What a pod that was never told of is taken to be.
bool is_plain(const std::vector<RankReport>& reports) {
  return all_move(reports) &&
         std::all_of(reports.begin(), reports.end(), [](const RankReport& report) {
           return report.pace == contract::RankPace::kMixed;
         });
}

Json make_condition(const std::vector<RankReport>& reports, WallTime now) {
  const char* reason = "Moves";
  for (const RankReport& report : reports) {
    if (report.state != RankState::kMoves) reason = contract::name_of(report.state);
  }
  return {{"type", contract::kActivityCondition},
          {"status", all_move(reports) ? "True" : "False"},
          {"reason", reason},
          {"message", contract::activity_message(reports)},
          {"lastTransitionTime", format_time(now)}};
}

}  // namespace

std::vector<std::string> telling_frames(const contract::ThreadStack& stack) {
  std::vector<std::string> told;
  bool own = false;
  for (const contract::StackFrame& frame : stack.frames) {
    const bool library = is_library(frame.file);
    if (told.size() >= kMostFrames && (own || library)) continue;
    own = own || !library;
    told.push_back(contract::short_frame(frame).substr(0, kLongestFrame));
  }
  return told;
}

ActivityWatcher::ActivityWatcher(Executor loop, client::Api& api, Clock& clock, Executor files,
                                 const NodeConfig& config)
    : api_(api),
      clock_(clock),
      files_(std::move(files)),
      config_(config),
      reader_(std::make_shared<ActivityReader>(clock, config)),
      changed_(loop),
      tasks_(loop) {}

void ActivityWatcher::note(const Json& pod, bool deleted) {
  const std::string uid(uid_of(pod));
  std::vector<UsageTarget> running;
  const ActivityLimits limits = limits_of(pod, config_);
  if (!deleted && limits.watched() && is_of_job(pod)) running = training_in(pod);
  if (running.empty()) {
    pods_.erase(uid);
    return;
  }
  const auto [found, is_new] = pods_.try_emplace(uid);
  if (is_new) {
    found->second.key = key_of(pod);
    found->second.group = group_of(pod);
    found->second.limits = limits;
    found->second.told = contract::activity_of(pod);
  }
  found->second.running = std::move(running);
  changed_.notify_all();
}

awaitable<void> ActivityWatcher::run() {
  while (true) {
    while (pods_.empty()) co_await changed_.wait();
    // One that cannot be looked at must not blind us for the others, nor for ever.
    (void)co_await run_contained("looking at ranks", look());
    (void)co_await run_contained("comparing steps", compare_steps());
    co_await clock_.sleep_for(pause());
  }
}

std::chrono::milliseconds ActivityWatcher::pause() const {
  std::chrono::milliseconds shortest = config_.activity.every();
  for (const auto& [uid, pod] : pods_) shortest = std::min(shortest, pod.limits.every());
  return shortest;
}

awaitable<void> ActivityWatcher::look() {
  const TimePoint now = clock_.now();
  std::vector<UsageTarget> targets;
  std::vector<std::string> due;
  for (auto& [uid, pod] : pods_) {
    if (now - pod.looked < pod.limits.every() - kSlack) continue;
    pod.looked = now;
    due.push_back(uid);
    targets.insert(targets.end(), pod.running.begin(), pod.running.end());
  }
  if (targets.empty()) co_return;
  auto work = [reader = reader_, targets = std::move(targets)] { return reader->read(targets); };
  const std::vector<RankReading> readings = co_await run_elsewhere(files_, std::move(work));
  for (const RankReading& reading : readings) {
    const auto found = pods_.find(reading.target.uid);  // it may have gone meanwhile
    if (found != pods_.end()) take(found->second, reading);
  }
  for (const std::string& uid : due) {
    const auto found = pods_.find(uid);
    if (found == pods_.end()) continue;
    std::erase_if(found->second.units, [](const auto& unit) { return !unit.second.seen; });
    for (auto& [id, unit] : found->second.units) unit.seen = false;
    if (has_news(found->second)) co_await tell(uid);
  }
}

/// One of each pod, by its uid; none at all where one of them has no log of its own.
std::map<std::string, UsageTarget> ActivityWatcher::logs_of_group(const std::string& group) const {
  std::map<std::string, UsageTarget> logs;
  for (const auto& [uid, pod] : pods_) {
    if (pod.group != group) continue;
    if (pod.running.size() != 1 || pod.units.size() != 1) return {};
    logs.emplace(uid, pod.running.front());
  }
  return logs;
}

/// Once a window, for all pods of a group at once.
awaitable<void> ActivityWatcher::compare_steps() {
  const TimePoint now = clock_.now();
  std::map<std::string, std::int64_t> groups;  // and the window that each is in
  for (const auto& [uid, pod] : pods_) {
    groups[pod.group] = now.time_since_epoch() / pod.limits.pace_window();
  }
  std::erase_if(races_, [&](const auto& race) { return !groups.contains(race.first); });
  for (const auto& [group, window] : groups) {
    if (std::exchange(races_[group].window, window) == window) continue;
    const std::map<std::string, UsageTarget> logs = logs_of_group(group);
    std::map<std::string, std::optional<StepMark>> marks;
    if (logs.size() > 1) {
      std::vector<UsageTarget> targets;
      for (const auto& [uid, target] : logs) targets.push_back(target);
      auto work = [reader = reader_, targets] { return reader->read_logs(targets); };
      const auto read = co_await run_elsewhere(files_, std::move(work));
      for (std::size_t i = 0; i < read.size(); ++i) marks[targets[i].uid] = mark_of(read[i]);
    }
    StepRace& race = races_[group].steps;
    race.add(marks);
    for (auto& [uid, pod] : pods_) {
      if (pod.group == group) pod.counts_slowly = race.slowest() == uid;
    }
  }
}

contract::RankPace ActivityWatcher::pace_of(const Pod& pod, const Unit& unit) {
  return pod.counts_slowly ? contract::RankPace::kCountsSlowly : unit.watch.pace();
}

void ActivityWatcher::take(Pod& pod, const RankReading& reading) {
  const auto id = std::tuple(reading.target.container, reading.process.pid, reading.process.start);
  Unit& unit = pod.units.try_emplace(id, pod.limits).first->second;
  unit.seen = true;
  unit.process = reading.process;
  if (reading.disturbed) {
    unit.watch.add_disturbed(reading.sample);
  } else {
    unit.watch.add(reading.sample);
  }
  unit.report.container = reading.target.container;
  unit.report.rank = reading.process.variables.rank;
  unit.report.world = reading.process.variables.world;
  unit.report.began = unit.watch.has_begun();
}

bool ActivityWatcher::has_news(const Pod& pod) const {
  std::vector<RankReport> now;
  bool sure = true;
  for (const auto& [id, unit] : pod.units) {
    RankReport report = unit.report;
    report.state = unit.watch.state();
    report.pace = pace_of(pod, unit);
    sure = sure && unit.watch.is_sure();
    now.push_back(std::move(report));
  }
  // Between two programs nothing is known, and of who always moved nothing need be told.
  if (now.empty() || (pod.told.empty() && is_plain(now))) return false;
  // After a restart of the server, what was told before holds until something is known.
  if (!all_move(pod.told) && !sure) return false;
  return !same_essence(pod.told, now);
}

WallTime ActivityWatcher::wall_at(TimePoint time) const {
  const auto ago = clock_.now() - time;
  return clock_.wall() - std::chrono::duration_cast<WallTime::duration>(ago);
}

/// Brings the reports of units up to date whose state has changed; asks them where they are.
awaitable<void> ActivityWatcher::locate(std::string uid) {
  std::vector<RankProcess> still;
  Pod& found = pods_.at(uid);
  for (auto& [id, unit] : found.units) {
    unit.report.pace = pace_of(found, unit);
    if (unit.report.state == unit.watch.state()) continue;
    unit.report.state = unit.watch.state();
    unit.report.since = wall_at(unit.watch.since());
    unit.report.waits.clear();
    unit.report.stack.clear();
    if (unit.report.state != RankState::kMoves) still.push_back(unit.process);
  }
  if (still.empty()) co_return;
  auto work = [reader = reader_, still] {
    std::vector<RankPlace> places;
    for (const RankProcess& process : still) places.push_back(reader->locate(process));
    return places;
  };
  const std::vector<RankPlace> places = co_await run_elsewhere(files_, std::move(work));
  const auto pod = pods_.find(uid);
  if (pod == pods_.end()) co_return;
  for (auto& [id, unit] : pod->second.units) {
    for (std::size_t i = 0; i < still.size(); ++i) {
      if (still[i].pid != unit.process.pid) continue;
      unit.report.waits = places[i].waits;
      const contract::ThreadStack* stack = contract::main_stack(places[i].threads);
      if (stack != nullptr) unit.report.stack = telling_frames(*stack);
    }
  }
}

awaitable<void> ActivityWatcher::tell(std::string uid) {
  co_await locate(uid);
  auto found = pods_.find(uid);
  if (found == pods_.end()) co_return;
  std::vector<RankReport> reports;
  for (const auto& [id, unit] : found->second.units) reports.push_back(unit.report);
  const Key key = found->second.key;
  if (!co_await write(key, uid, reports)) co_return;
  found = pods_.find(uid);
  if (found != pods_.end()) found->second.told = std::move(reports);
}

awaitable<bool> ActivityWatcher::write(Key key, std::string uid, std::vector<RankReport> reports) {
  JsonArray conditions{make_condition(reports, clock_.wall())};
  Json patch{{"metadata", {{"uid", uid}}}, {"status", {{"conditions", std::move(conditions)}}}};
  auto patched =
      co_await api_.patch(kPods, key, client::PatchType::kStrategic, std::move(patch), "status");
  if (patched) co_return true;
  if (patched.failed_with(Code::kNotFound) || patched.failed_with(Code::kConflict)) co_return true;
  log_warn("activity of a pod not written", {{"pod", key}, {"cause", patched.error().message()}});
  co_return false;
}

awaitable<Result<std::vector<client::ProcessStack>>> ActivityWatcher::take_stacks(Key key) {
  CO_TRY(const ObjectPtr pod, co_await api_.get(kPods, key));
  const std::string uid(uid_of(pod->body()));
  const TimePoint now = clock_.now();
  std::erase_if(answers_,
                [&](const auto& entry) { return now - entry.second.time > kAnswerLasts; });
  if (const auto known = answers_.find(uid); known != answers_.end()) {
    co_return known->second.stacks;
  }
  std::vector<UsageTarget> running = training_in(pod->body());
  if (running.empty() || config_.fake_runtime) co_return std::vector<client::ProcessStack>();
  auto work = [reader = reader_, running = std::move(running)] {
    return reader->take_stacks(running);
  };
  std::vector<client::ProcessStack> stacks = co_await run_elsewhere(files_, std::move(work));
  answers_.insert_or_assign(uid, Answer{clock_.now(), stacks});
  co_return stacks;
}

}  // namespace trainyard::node
