#include "console/app_activity.h"

#include "base/log.h"

#include <algorithm>
#include <vector>

namespace trainyard::console {
namespace {

using namespace std::chrono_literals;

constexpr std::chrono::nanoseconds kLongestPeriod = 5min;
constexpr std::chrono::nanoseconds kShortestPeriod = 500ms;
constexpr int kAskSeconds = 10;

awaitable<Result<Json>> ask(http::Client& client, std::string target) {
  http::ClientRequest request;
  request.target = std::move(target);
  CO_TRY(const http::Response response, co_await client.request(std::move(request)));
  co_return parse_json(response.body);
}

}  // namespace

std::optional<WallTime> notebook_activity(const Json& status, const Json& kernels, WallTime now) {
  if (kernels.is_array()) {
    for (const Json& kernel : kernels.get_array()) {
      if (string_at(kernel, "execution_state") == "busy") return now;
    }
  }
  const auto last = parse_time(string_at(status, "last_activity"));
  if (!last) return std::nullopt;
  return std::min(*last, now);
}

AppActivity::AppActivity(Executor loop, client::Api& api, client::PodPorts& ports, Clock& clock)
    : loop_(loop), api_(api), ports_(ports), clock_(clock), period_(kLongestPeriod), tasks_(loop) {}

void AppActivity::set_limits(const contract::IdleLimits& limits) {
  if (limits.idle_after <= 0s) return;
  const std::chrono::nanoseconds quarter = std::chrono::nanoseconds(limits.idle_after) / 4;
  period_ = std::clamp(quarter, kShortestPeriod, kLongestPeriod);
}

void AppActivity::start() {
  tasks_.spawn("watch the use of apps", run());
}

awaitable<void> AppActivity::stop() {
  co_await tasks_.stop();
}

void AppActivity::used(const AppAddress& app) {
  heard_of(app, clock_.wall());
}

void AppActivity::heard_of(const AppAddress& app, WallTime used) {
  Entry& entry = entries_[app];
  entry.used = std::max(entry.used, used);
  if (entry.used - entry.written < period_) return;
  entry.written = entry.used;
  tasks_.spawn_contained("write the use of an app", write(app, entry.used));
}

AppActivity::Use::Use(AppActivity& activity, AppAddress app)
    : activity_(activity), app_(std::move(app)) {
  activity_.used(app_);
  ++activity_.entries_[app_].uses;
}

AppActivity::Use::~Use() {
  --activity_.entries_[app_].uses;
  activity_.used(app_);
}

awaitable<void> AppActivity::run() {
  for (;;) {
    co_await clock_.sleep_for(period_);
    co_await write_all();
    co_await ask_notebooks();
  }
}

awaitable<void> AppActivity::write_all() {
  std::vector<std::pair<AppAddress, WallTime>> due;
  const WallTime now = clock_.wall();
  for (auto& [app, entry] : entries_) {
    if (entry.uses > 0) entry.used = now;
    if (entry.used <= entry.written) continue;
    entry.written = entry.used;
    due.emplace_back(app, entry.used);
  }
  std::erase_if(entries_, [&](const auto& known) {
    return known.second.uses == 0 && now - known.second.used > 2 * period_;
  });
  for (auto& [app, used] : due) co_await write(app, used);
}

awaitable<void> AppActivity::write(AppAddress app, WallTime used) {
  Json patch{{"metadata", {{"annotations", {{contract::kLastUsedAnnotation, format_time(used)}}}}}};
  const auto patched =
      co_await api_.patch(app.resource(), app.key, client::PatchType::kMerge, std::move(patch), "");
  if (patched || patched.failed_with(Code::kNotFound)) co_return;
  log_warn("the use of an app is not written down",
           {{"app", app.path()}, {"cause", patched.error().message()}});
}

awaitable<void> AppActivity::ask_notebooks() {
  const client::ListOptions everywhere;
  const auto notebooks = co_await api_.list(contract::kNotebooks, everywhere);
  if (!notebooks) co_return;
  for (const ObjectPtr& notebook : notebooks->items) {
    const auto pod = ready_pod(notebook->body());
    if (!pod) continue;
    AppAddress app;
    app.kind = AppAddress::Kind::kNotebook;
    app.key = key_of(notebook->body());
    const auto noted = parse_time(annotation_of(notebook->body(), contract::kLastUsedAnnotation));
    co_await ask_notebook(std::move(app), *pod, noted ? *noted : WallTime());
  }
}

awaitable<void> AppActivity::ask_notebook(AppAddress app, Key pod, WallTime noted) {
  http::ClientOptions options = way_to(app, pod, ports_);
  options.request_timeout_seconds = kAskSeconds;
  http::Client client(loop_, options);
  // A question that itself counted as activity would keep every notebook awake.
  const auto status = co_await ask(client, app.path() + "/api/status?no_track_activity=1");
  if (!status) co_return;
  const auto kernels = co_await ask(client, app.path() + "/api/kernels?no_track_activity=1");
  if (!kernels) co_return;
  const auto last = notebook_activity(*status, *kernels, clock_.wall());
  if (last && *last - noted >= 1s) heard_of(app, *last);
}

}  // namespace trainyard::console
