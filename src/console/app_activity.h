#pragma once

#include "base/clock.h"
#include "base/task_group.h"
#include "client/api.h"
#include "console/app_way.h"

#include <map>

namespace trainyard::console {

/// Knows when each app was last used, and writes it down on the app (kLastUsedAnnotation): at once
/// when it was long ago, and then once a period, so that hardly anything is lost with the server
/// and a page that asks every second writes nothing. Notebooks are asked themselves, too: a kernel
/// may work while nobody looks.
class AppActivity {
 public:
  AppActivity(Executor loop, client::Api& api, client::PodPorts& ports, Clock& clock);
  /// Before start().
  void set_limits(const contract::IdleLimits& limits);
  void start();
  awaitable<void> stop();

  void used(const AppAddress& app);

  /// As long as it lives, the app is in use.
  class Use {
   public:
    Use(AppActivity& activity, AppAddress app);
    ~Use();
    Use(const Use&) = delete;
    Use& operator=(const Use&) = delete;

   private:
    AppActivity& activity_;
    AppAddress app_;
  };

 private:
  struct Entry {
    WallTime used;
    WallTime written;
    int uses = 0;  // that go on
  };

  awaitable<void> run();
  awaitable<void> write_all();
  awaitable<void> ask_notebooks();
  awaitable<void> ask_notebook(AppAddress app, Key pod, WallTime noted);
  awaitable<void> write(AppAddress app, WallTime used);
  void heard_of(const AppAddress& app, WallTime used);

  Executor loop_;
  client::Api& api_;
  client::PodPorts& ports_;
  Clock& clock_;
  std::chrono::nanoseconds period_;
  std::map<AppAddress, Entry> entries_;
  TaskGroup tasks_;
};

/// When a notebook's kernels and terminals were last busy, from its answers to /api/status and
/// /api/kernels: now, when one is.
std::optional<WallTime> notebook_activity(const Json& status, const Json& kernels, WallTime now);

}  // namespace trainyard::console
