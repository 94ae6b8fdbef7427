#include "jobs/engine/plan.h"

#include "jobs/engine/cause.h"
#include "jobs/engine/children.h"
#include "jobs/engine/draft.h"
#include "jobs/engine/judge.h"
#include "jobs/engine/names.h"
#include "jobs/engine/pause.h"
#include "jobs/engine/progress.h"
#include "jobs/engine/restart.h"
#include "jobs/engine/tensorboard.h"
#include "object/status.h"

#include <utility>

namespace trainyard::jobs {
namespace {

void go_on(Draft& draft) {
  if (string_at(draft.before, "phase").empty()) begin(draft);
  count_restarts(draft);
  note_failures(draft);
  if (const auto ending = judge(draft)) return finish(draft, *ending);
  if (draft.form.paused) return hold(draft);
  resume(draft);
  const bool has_port = leased_port(draft.job) != 0 && draft.view.port_is_usable;
  if (draft.form.ports > 0 && !has_port) {
    draft.plan.needs_port = true;
    return;
  }
  replace_ended(draft);
  make_children(draft);
  report_progress(draft);
  report_waiting(draft);
}

}  // namespace

JobPlan plan_job(const JobKind& kind, const JobView& view) {
  if (is_being_deleted(view.job->body())) return {};
  Draft draft(kind, view);
  draft.observed = observe_replicas(draft.job, draft.form, view.pods, draft.before);
  tally_restarts(draft);
  if (is_final(string_at(draft.before, "phase"))) {
    clean_up(draft);
  } else {
    go_on(draft);
  }
  mirror_tensorboard(draft);
  write_status(draft);
  return std::move(draft.plan);
}

}  // namespace trainyard::jobs
