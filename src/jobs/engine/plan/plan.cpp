#include "jobs/engine/plan/plan.h"

#include "jobs/engine/form/names.h"
#include "jobs/engine/plan/cause.h"
#include "jobs/engine/plan/children.h"
#include "jobs/engine/plan/draft.h"
#include "jobs/engine/plan/judge.h"
#include "jobs/engine/plan/pause.h"
#include "jobs/engine/plan/progress.h"
#include "jobs/engine/plan/restart.h"
#include "jobs/engine/plan/stall.h"
#include "jobs/engine/plan/tensorboard.h"
#include "object/values/status.h"

#include <fmt/format.h>

#include <utility>

namespace trainyard::jobs {
namespace {

using namespace std::chrono_literals;

/// Pods in somebody else's PodGroup would be placed with the wrong ones, or never.
bool has_own_group(Draft& draft) {
  const std::string& owner = draft.view.group_taken_by;
  if (owner.empty()) return true;
  draft.set("Running", false, "NameTaken",
            fmt::format("The PodGroup {} belongs to {}: delete that job, or give this one another "
                        "name.",
                        name_of(draft.job), owner));
  draft.plan.look_again = 5s;  // nobody tells when it goes
  return false;
}

void go_on(Draft& draft) {
  if (string_at(draft.before, "phase").empty()) begin(draft);
  count_restarts(draft);
  note_failures(draft);
  if (const auto ending = judge(draft)) {
    clear_stall(draft);
    return finish(draft, *ending);
  }
  if (draft.form.paused) {
    clear_stall(draft);
    return hold(draft);
  }
  resume(draft);
  const bool has_port = leased_port(draft.job) != 0 && draft.view.port_is_usable;
  if (draft.form.meeting.ports > 0 && !has_port) {
    draft.plan.needs_port = true;
    return;
  }
  if (!has_own_group(draft)) return;
  replace_ended(draft);
  make_children(draft);
  report_progress(draft);
  report_waiting(draft);
  report_stall(draft);
}

}  // namespace

JobPlan plan_job(const JobKind& kind, const JobView& view) {
  if (is_being_deleted(view.job->body()) || !kind.manages(view.job->body())) return {};
  Draft draft(kind, view);
  draft.observed = observe_replicas(draft.job, draft.form, view.pods, draft.before);
  tally_restarts(draft);
  if (is_final(string_at(draft.before, "phase"))) {
    clean_up(draft);
    expire(draft);
  } else {
    go_on(draft);
  }
  kind.tell_more(draft);
  mirror_tensorboard(draft);
  write_status(draft);
  return std::move(draft.plan);
}

}  // namespace trainyard::jobs
