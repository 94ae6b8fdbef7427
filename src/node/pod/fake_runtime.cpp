#include "node/pod/fake_runtime.h"

#include "base/clock.h"
#include "node/container_id.h"

#include <fmt/format.h>

#include <charconv>

namespace trainyard::node {
namespace {

using namespace std::chrono_literals;

constexpr std::int64_t kStopped = 143;  // as a process that SIGTERM ends

std::optional<WallTime> time_at(const Json& object, const char* field) {
  const auto time = parse_time(string_at(object, field));
  return time ? std::optional(*time) : std::nullopt;
}

RunState ended(std::optional<WallTime> started, WallTime finished, std::int64_t code) {
  RunState state;
  state.phase = RunState::Phase::kEnded;
  state.started = started;
  state.finished = finished;
  state.exit_code = code;
  state.reason = code == 0 ? "Completed" : "Error";
  return state;
}

RunState recall_end(const Json& terminated) {
  RunState state;
  state.phase = RunState::Phase::kEnded;
  state.started = time_at(terminated, "startedAt");
  state.finished = time_at(terminated, "finishedAt");
  state.exit_code = int_at(terminated, "exitCode");
  state.reason = string_at(terminated, "reason");
  return state;
}

/// One that must end before others start.
bool only_prepares(const Json& pod, const Json& container) {
  if (string_at(container, "restartPolicy") == "Always") return false;
  for (const Json& init : array_at(pod, "spec.initContainers")) {
    if (string_at(init, "name") == string_at(container, "name")) return true;
  }
  return false;
}

Result<std::optional<FakeExit>> exit_of(const Json& pod) {
  const std::string_view text = annotation_of(pod, kFakeExitAnnotation);
  if (text.empty()) return std::optional<FakeExit>();
  TRY(const FakeExit exit, parse_fake_exit(text));
  return std::optional(exit);
}

}  // namespace

Result<FakeExit> parse_fake_exit(std::string_view text) {
  const char* const end = text.data() + text.size();
  std::int64_t number = 0;
  FakeExit exit;
  const auto span = std::from_chars(text.data(), end, number);
  const std::string_view rest(span.ptr, static_cast<std::size_t>(end - span.ptr));
  const std::size_t blank = rest.find(' ');
  const std::string_view unit = rest.substr(0, blank);
  constexpr std::int64_t kMost = 1'000'000'000;
  bool good = span.ec == std::errc() && number >= 0 && number <= kMost &&
              blank != std::string_view::npos && (unit == "s" || unit == "ms");
  if (good) {
    const auto code = std::from_chars(rest.data() + blank + 1, end, exit.code);
    good = code.ec == std::errc() && code.ptr == end && exit.code >= 0 && exit.code <= 255;
  }
  if (!good) {
    return Error(Code::kInvalid,
                 fmt::format("annotation {}: \"{}\" is not a time and an exit code from 0 to 255, "
                             "such as \"2s 0\" or \"500ms 137\"",
                             kFakeExitAnnotation, text));
  }
  exit.after = std::chrono::milliseconds(unit == "s" ? number * 1000 : number);
  return exit;
}

void FakeRuntime::recall(const Json& status, const std::optional<FakeExit>& exit) {
  const std::string name(string_at(status, "name"));
  for (const char* which : {"state.terminated", "lastState.terminated"}) {
    const Json* end = find(status, which);
    if (end == nullptr) continue;
    runs_[{name, number_in(string_at(*end, "containerID"))}].state = recall_end(*end);
  }
  const Json* running = find(status, "state.running");
  if (running == nullptr) return;
  Run run;
  run.state.phase = RunState::Phase::kRunning;
  run.state.started = time_at(*running, "startedAt").value_or(clock_.wall());
  if (exit) run.end = *run.state.started + exit->after;
  if (exit) run.code = exit->code;
  runs_[{name, number_in(string_at(status, "containerID"))}] = std::move(run);
}

void FakeRuntime::begin(const ObjectPtr& pod) {
  // What is wrong with the annotation was told when the container was to start.
  const auto exit = exit_of(pod->body());
  for (const char* list : {"status.initContainerStatuses", "status.containerStatuses"}) {
    for (const Json& status : array_at(pod->body(), list)) {
      recall(status, exit ? *exit : std::nullopt);
    }
  }
}

awaitable<bool> FakeRuntime::refresh_files(ObjectPtr) {
  co_return false;
}

std::optional<TimePoint> FakeRuntime::next_look() const {
  std::optional<TimePoint> next;
  for (const auto& [id, run] : runs_) {
    if (!run.end || !run.state.runs() || clock_.wall() >= *run.end) continue;
    const TimePoint end =
        clock_.now() + std::chrono::ceil<std::chrono::milliseconds>(*run.end - clock_.wall());
    next = std::min(next.value_or(end), end);
  }
  return next;
}

int FakeRuntime::last_run(const std::string& container) const {
  int last = 0;
  for (const auto& [id, run] : runs_) {
    if (id.first == container) last = std::max(last, id.second);
  }
  return last;
}

RunState FakeRuntime::state(const Json& container, int number) const {
  const auto found = runs_.find({std::string(string_at(container, "name")), number});
  if (found == runs_.end()) return {};
  const Run& run = found->second;
  if (!run.state.runs() || !run.end || clock_.wall() < *run.end) return run.state;
  return ended(run.state.started, *run.end, run.code);
}

std::optional<Obstacle> FakeRuntime::start(const ObjectPtr& pod, const Json& container, int number,
                                           Launch&) {
  auto exit = exit_of(pod->body());
  if (!exit) return Obstacle{"CreateContainerConfigError", "Failed", std::move(exit).error()};
  Run run;
  run.state.phase = RunState::Phase::kRunning;
  run.state.started = clock_.wall();
  if (only_prepares(pod->body(), container)) {
    run.end = run.state.started;
  } else if (*exit) {
    run.end = *run.state.started + (*exit)->after;
    run.code = (*exit)->code;
  }
  runs_[{std::string(string_at(container, "name")), number}] = std::move(run);
  return std::nullopt;
}

bool FakeRuntime::stop(const std::string& container, int number, std::int64_t) {
  const auto found = runs_.find({container, number});
  if (found == runs_.end()) return false;
  found->second.state = ended(found->second.state.started, clock_.wall(), kStopped);
  on_news_();
  return true;
}

void FakeRuntime::forget_runs(const std::string& container, int number, int kept) {
  std::erase_if(runs_, [&](const auto& entry) {
    return entry.first.first == container && entry.first.second < number - kept;
  });
}

awaitable<Result<>> FakeRuntime::free_space() {
  co_return Ok();
}

awaitable<Result<>> FakeRuntime::remove() {
  co_return Ok();
}

std::unique_ptr<PodRuntime> make_fake_runtime(NodeParts& parts, const PodFacts&,
                                              PodRuntime::OnNews on_news) {
  return std::make_unique<FakeRuntime>(parts.clock, std::move(on_news));
}

}  // namespace trainyard::node
