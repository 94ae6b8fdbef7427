#include "cli/arena/views/list_view.h"

#include "cli/arena/elastic_table.h"
#include "cli/arena/keyed_sort.h"
#include "cli/arena/pod_role.h"
#include "cli/arena/views/span_text.h"
#include "cli/arena/words.h"

#include <limits>
#include <tuple>

namespace trainyard::cli::arena {
namespace {

using Row = std::vector<std::string>;

constexpr const char* kNone = "N/A";

/// Stays when the job is over, as long as the pod is there.
std::string node_of_chief(const TrainingJob& job) {
  const Json* chief = chief_of(job);
  if (chief == nullptr || phase_of_pod(*chief) == "Pending") return kNone;
  return or_none(host_ip(*chief));
}

Row classic_row(const TrainingJob& job, WallTime now) {
  return {job.name(), effective_status(job), trainer_name(job), span_text(age_of(job, now)),
          node_of_running(job)};
}

Row wide_row(const TrainingJob& job, WallTime now) {
  const std::string status = effective_status(job);
  const bool holds = status == "PENDING" || status == "RUNNING";
  return {job.name(),
          status,
          trainer_name(job),
          span_text(duration_of(job, now)),
          std::to_string(requested_gpus(job)),
          holds ? std::to_string(held_gpus(job)) : kNone,
          node_of_chief(job)};
}

}  // namespace

void sort_newest_first(std::vector<TrainingJob>& jobs) {
  sort_by(jobs, [](const TrainingJob& job) {
    const auto start = start_of(job);
    const std::int64_t newest_first =
        start ? -start->time_since_epoch().count() : std::numeric_limits<std::int64_t>::min();
    return std::tuple(newest_first, job.ns(), job.name());
  });
}

std::string node_of_running(const TrainingJob& job) {
  if (raw_status(job) != "RUNNING") return kNone;
  const Json* chief = chief_of(job);
  return chief == nullptr ? kNone : or_none(host_ip(*chief));
}

std::string list_table(const std::vector<TrainingJob>& jobs, WallTime now,
                       const TableOptions& options) {
  const Row classic{"NAME", "STATUS", "TRAINER", "AGE", "NODE"};
  const Row wide{"NAME",           "STATUS",         "TRAINER", "DURATION",
                 "GPU(Requested)", "GPU(Allocated)", "NODE"};
  ElasticTable table;
  const auto add = [&](Row row, const std::string& ns) {
    if (options.namespaces) row.insert(row.begin(), ns);
    table.row(std::move(row));
  };
  add(options.wide ? wide : classic, "NAMESPACE");
  for (const TrainingJob& job : jobs) {
    add(options.wide ? wide_row(job, now) : classic_row(job, now), job.ns());
  }
  return table.text();
}

}  // namespace trainyard::cli::arena
