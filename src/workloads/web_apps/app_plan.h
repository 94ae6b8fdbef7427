#pragma once

#include "base/clock.h"
#include "workloads/web_apps/app_kind.h"

#include <chrono>

namespace trainyard::workloads {

/// Everything that a decision about a web app may rest on, read at one moment.
struct AppView {
  ObjectPtr app;
  ObjectPtr pod;                            // its own; nullptr when there is none
  std::vector<std::string> missing_claims;  // of those that it needs
  std::optional<contract::ImageMap> image;  // what the pod's image means
  std::string origin;                       // where the proxy is: http://127.0.0.1:6482
  contract::IdleLimits limits;
  WallTime since;  // how long use has been watched for: since the server's start
  WallTime now;
};

struct AppEvent {
  bool warning = false;
  std::string reason;
  std::string message;
};

/// What to do next, in this order. Any prefix of it may be all that happens before a crash.
struct AppPlan {
  std::optional<Json> status;    // when it differs from the app's
  std::vector<AppEvent> events;  // what that status tells for the first time
  bool suspend = false;          // it was idle for too long: spec.suspend becomes true
  bool remove_pod = false;
  bool create = false;  // the children and the pod
  std::optional<std::chrono::milliseconds> look_again;
};

/// Decides. No I/O, no clock, no randomness: the same view gives the same plan.
AppPlan plan_app(const AppKind& kind, const AppForm& form, const AppView& view);

/// When the app was last used, or could have been: since it was made or brought back.
WallTime last_use(const Json& app);

}  // namespace trainyard::workloads
