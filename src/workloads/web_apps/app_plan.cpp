#include "workloads/web_apps/app_plan.h"

#include "object/values/status.h"
#include "workloads/conditions.h"
#include "workloads/web_apps/app_state.h"

#include <fmt/format.h>

#include <algorithm>

namespace trainyard::workloads {
namespace {

using namespace std::chrono_literals;
using std::chrono::ceil;
using std::chrono::milliseconds;

// A claim that is missing may come at any time, and is not watched for.
constexpr auto kClaimPause = 2s;
// A pod that failed is not replaced in the same moment, over and over.
constexpr auto kReplacePause = 10s;
// Conditions say when they were looked at; so old may that be.
constexpr auto kProbePeriod = 10min;

class AppPlanner {
 public:
  AppPlanner(const AppKind& kind, const AppForm& form, const AppView& view)
      : kind_(kind),
        form_(form),
        view_(view),
        app_(view.app->body()),
        state_(judge_app(kind, form, view)),
        conditions_(array_at(app_, "status.conditions")) {}

  AppPlan plan();

 private:
  bool is_suspended() const { return state_.phase == AppState::Phase::kSuspended; }
  void tell(bool warning, std::string_view reason, std::string message);
  void look_again(std::chrono::nanoseconds after);
  void note_conditions();
  void note_idleness();
  void note_events();
  void decide_pod();
  Json status();
  void stamp_conditions();

  const AppKind& kind_;
  const AppForm& form_;
  const AppView& view_;
  const Json& app_;
  AppState state_;
  JsonArray conditions_;
  AppPlan plan_;
};

void AppPlanner::tell(bool warning, std::string_view reason, std::string message) {
  plan_.events.push_back({warning, std::string(reason), std::move(message)});
}

void AppPlanner::look_again(std::chrono::nanoseconds after) {
  const auto pause = std::max(ceil<milliseconds>(after), milliseconds(1));
  if (!plan_.look_again || pause < *plan_.look_again) plan_.look_again = pause;
}

AppPlan AppPlanner::plan() {
  note_events();
  note_conditions();
  note_idleness();
  decide_pod();
  Json told = status();
  if (!same_json(told, find(app_, "status") == nullptr ? Json() : *find(app_, "status"))) {
    plan_.status = std::move(told);
  }
  return std::move(plan_);
}

/// Of what was not so before.
void AppPlanner::note_events() {
  const std::string_view before = string_at(app_, "status.phase");
  const std::string_view after = to_text(state_.phase);
  if (!before.empty() && before != after) {
    tell(
        false, "PhaseTransformed",
        fmt::format("{} {} transformed from {} to {}", kind_.name(), name_of(app_), before, after));
  }
  const Json* ready = find_condition(conditions_, "Ready");
  if (state_.warning && (ready == nullptr || string_at(*ready, "reason") != state_.why.reason)) {
    tell(true, state_.why.reason, state_.why.message);
  }
  if (!before.empty()) return;
  for (const Problem& problem : form_.shortcomings) tell(true, problem.reason, problem.message);
}

void AppPlanner::note_conditions() {
  const bool runs = state_.phase == AppState::Phase::kRunning;
  set_condition(conditions_,
                {"Ready", runs ? "True" : "False", state_.why.reason, state_.why.message},
                view_.now);
  if (is_suspended()) {
    set_condition(conditions_, {"Suspended", "True", "Suspended", "spec.suspend is true"},
                  view_.now);
  } else {
    set_condition(conditions_, {"Suspended", "False", "NotSuspended", "spec.suspend is not true"},
                  view_.now);
  }
}

/// The app has been brought back now when the condition Suspended has just become False: that is
/// why it is looked at in the new conditions.
void AppPlanner::note_idleness() {
  if (is_suspended()) {
    set_condition(conditions_, {"Idle", "False", "Suspended", "it does not run"}, view_.now);
    return;
  }
  Json now_so = app_;
  make_path(now_so, "status.conditions") = conditions_;
  const WallTime used = last_use(now_so);
  const auto limit = view_.limits.idle_after;
  const bool idle = limit > 0s && view_.now - used >= limit;
  if (!idle) {
    set_condition(conditions_, {"Idle", "False", "InUse", "it was used not long ago"}, view_.now);
    if (limit > 0s) look_again(used + limit - view_.now);
    return;
  }
  set_condition(
      conditions_,
      {"Idle", "True", "NotUsed", fmt::format("nobody has used it since {}", format_time(used))},
      view_.now);
  if (view_.limits.suspend_after <= 0s) return;
  // While there was no server nobody saw a kernel work: it gets the time to be noticed.
  const WallTime end = std::max(used + limit + view_.limits.suspend_after, view_.since + limit);
  plan_.suspend = end <= view_.now;
  if (!plan_.suspend) return look_again(end - view_.now);
  tell(false, "IdleTooLong",
       fmt::format("nobody has used it since {}: it is suspended; setting spec.suspend to false "
                   "brings it back",
                   format_time(used)));
}

void AppPlanner::decide_pod() {
  if (!view_.missing_claims.empty()) look_again(kClaimPause);
  const bool wanted = !is_suspended() && !form_.refusal && !plan_.suspend;
  if (view_.pod == nullptr) {
    plan_.create = wanted && view_.missing_claims.empty();
    return;
  }
  const Json& pod = view_.pod->body();
  if (is_being_deleted(pod)) return;
  if (!wanted) {
    plan_.remove_pod = true;
  } else if (has_ended(pod)) {
    const auto made = parse_time(string_at(pod, "metadata.creationTimestamp"));
    const WallTime due = made ? *made + kReplacePause : WallTime(view_.now);
    plan_.remove_pod = due <= view_.now;
    if (!plan_.remove_pod) look_again(due - view_.now);
  } else {
    // It was made from another spec.
    plan_.remove_pod =
        annotation_of(pod, kFormAnnotation) != annotation_of(form_.pod, kFormAnnotation);
  }
}

/// All conditions get a new time when one of them says something new, or when the last look is long
/// ago: a time at each look would be a write at each look, which leads to the next look.
void AppPlanner::stamp_conditions() {
  const JsonArray& before = array_at(app_, "status.conditions");
  bool stamp = conditions_.size() != before.size();
  for (std::size_t i = 0; i < before.size() && !stamp; ++i) {
    const auto probed = parse_time(string_at(before[i], "lastProbeTime"));
    stamp = before[i] != conditions_[i] || !probed || view_.now - *probed >= kProbePeriod;
  }
  if (!stamp) return;
  for (Json& condition : conditions_) {
    condition.get_object()["lastProbeTime"] = format_time(view_.now);
  }
}

Json AppPlanner::status() {
  stamp_conditions();
  JsonObject status{{"phase", to_text(state_.phase)},
                    {"url", view_.origin + contract::app_path(key_of(app_), kind_.word()) + "/"},
                    {"observedGeneration", int_at(app_, "metadata.generation")}};
  if (view_.pod != nullptr) {
    const Json& pod = view_.pod->body();
    const JsonObject reference{{"name", name_of(pod)}, {"uid", uid_of(pod)}};
    status["pod"] =
        JsonObject{{"reference", reference}, {"phase", string_at(pod, "status.phase", "Pending")}};
  }
  status["conditions"] = conditions_;
  return status;
}

}  // namespace

WallTime last_use(const Json& app) {
  WallTime last;
  const auto take = [&](std::string_view text) {
    if (const auto time = parse_time(text)) last = std::max(last, *time);
  };
  take(string_at(app, "metadata.creationTimestamp"));
  take(annotation_of(app, contract::kLastUsedAnnotation));
  const Json* suspended = find_condition(app, "Suspended");
  if (suspended != nullptr && string_at(*suspended, "status") == "False") {
    take(string_at(*suspended, "lastTransitionTime"));
  }
  return last;
}

AppPlan plan_app(const AppKind& kind, const AppForm& form, const AppView& view) {
  if (is_being_deleted(view.app->body())) return {};
  return AppPlanner(kind, form, view).plan();
}

}  // namespace trainyard::workloads
