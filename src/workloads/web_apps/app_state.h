#pragma once

#include "workloads/web_apps/app_plan.h"

namespace trainyard::workloads {

/// How an app fares, judged by its pod.
struct AppState {
  enum class Phase : std::uint8_t { kInitializing, kRunning, kSuspended, kFailed };
  Phase phase = Phase::kInitializing;
  Problem why;           // of the condition Ready
  bool warning = false;  // somebody has to do something about it
};

const char* to_text(AppState::Phase phase);

AppState judge_app(const AppKind& kind, const AppForm& form, const AppView& view);

}  // namespace trainyard::workloads
