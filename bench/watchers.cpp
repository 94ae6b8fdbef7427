// Many watchers of one collection while one object changes as fast as it can.
#include "base/notifier.h"
#include "base/task_group.h"
#include "object/json/json.h"
#include "scenarios.h"

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <fmt/format.h>

#include <charconv>
#include <map>

namespace trainyard::bench {
namespace {

constexpr const char* kName = "watched";

struct Fanout {
  explicit Fanout(const Executor& executor) : progress(executor) {}
  std::vector<Clock::time_point> sent;  // when update i was acknowledged
  Measurement lag;
  std::int64_t wrong = 0;
  std::int64_t reopened = 0;
  int open = 0;
  int done = 0;
  Notifier progress;
};

/// The number in the event's spec, found without reading the whole object.
std::int64_t number_in(std::string_view line) {
  constexpr std::string_view kField = "\"number\":";
  const std::size_t at = line.find(kField);
  std::int64_t number = -1;
  if (at != std::string_view::npos) {
    const char* begin = line.data() + at + kField.size();
    std::from_chars(begin, line.data() + line.size(), number);
  }
  return number;
}

std::string version_in(std::string_view line) {
  constexpr std::string_view kField = "\"resourceVersion\":\"";
  const std::size_t at = line.find(kField);
  if (at == std::string_view::npos) return "";
  const std::size_t begin = at + kField.size();
  return std::string(line.substr(begin, line.find('"', begin) - begin));
}

class Watcher {
 public:
  Watcher(Target& target, Fanout& fanout, int updates, std::string version)
      : target_(target), fanout_(fanout), updates_(updates), version_(std::move(version)) {}

  awaitable<void> run() {
    bool first = true;
    while (expected_ <= updates_) {
      if (!first) ++fanout_.reopened;
      auto stream = co_await target_.stream(
          fmt::format("{}?watch=true&fieldSelector=metadata.name%3D{}&resourceVersion={}", kItems,
                      kName, version_));
      if (first) {
        ++fanout_.open;
        fanout_.progress.notify_all();
      }
      first = false;
      if (stream && (*stream)->status() == 200) co_await follow(**stream);
    }
    ++fanout_.done;
    fanout_.progress.notify_all();
  }

 private:
  awaitable<void> follow(http::ResponseStream& stream) {
    std::string buffer;
    while (expected_ <= updates_) {
      auto piece = co_await stream.read();
      if (!piece || piece->empty()) co_return;
      buffer += *piece;
      std::size_t begin = 0;
      for (std::size_t end = 0; (end = buffer.find('\n', begin)) != std::string::npos;
           begin = end + 1) {
        take(std::string_view(buffer).substr(begin, end - begin));
      }
      buffer.erase(0, begin);
    }
  }

  void take(std::string_view line) {
    const std::int64_t number = number_in(line);
    if (number < 0) return;
    if (number != expected_) ++fanout_.wrong;
    expected_ = number + 1;
    version_ = version_in(line);
    const auto index = static_cast<std::size_t>(number);
    if (index < fanout_.sent.size()) fanout_.lag.add(Clock::now() - fanout_.sent[index]);
  }

  Target& target_;
  Fanout& fanout_;
  std::int64_t updates_;
  std::int64_t expected_ = 1;
  std::string version_;
};

}  // namespace

awaitable<Result<WatchReport>> run_watchers(Target& target, Settings settings) {
  CO_TRY(const std::string made,
         co_await target.call("POST", kItems, item_text(kName, 0, settings.object_bytes)));
  const std::string version = version_in(made);
  Fanout fanout(target.executor());
  TaskGroup tasks(target.executor());
  std::vector<std::unique_ptr<Watcher>> watchers;
  for (int i = 0; i < settings.watchers; ++i) {
    watchers.push_back(std::make_unique<Watcher>(target, fanout, settings.updates, version));
    tasks.spawn("watcher", watchers.back()->run());
  }
  while (fanout.open < settings.watchers) co_await fanout.progress.wait();

  const auto began = Clock::now();
  fanout.sent.assign(static_cast<std::size_t>(settings.updates) + 1, Clock::now());
  for (int i = 1; i <= settings.updates; ++i) {
    fanout.sent[static_cast<std::size_t>(i)] = Clock::now();
    CO_TRY_OK(co_await target.call("PATCH", fmt::format("{}/{}", kItems, kName),
                                   fmt::format(R"({{"spec":{{"number":{}}}}})", i),
                                   "application/merge-patch+json"));
  }
  while (fanout.done < settings.watchers) co_await fanout.progress.wait();
  fanout.lag.set_span(Clock::now() - began);
  co_await tasks.stop();
  CO_TRY_OK(co_await target.call("DELETE", fmt::format("{}/{}", kItems, kName)));
  WatchReport report;
  report.events = static_cast<std::int64_t>(fanout.lag.count());
  report.wrong = fanout.wrong;
  report.reopened = fanout.reopened;
  report.row = {
      fmt::format("events to {} watchers ({} updates), lag", settings.watchers, settings.updates),
      fanout.lag.per_second(),
      fanout.lag.percentile(0.5),
      fanout.lag.percentile(0.99),
      26000,
      0};
  co_return report;
}

}  // namespace trainyard::bench
