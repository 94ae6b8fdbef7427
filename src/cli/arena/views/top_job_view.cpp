#include "cli/arena/views/top_job_view.h"

#include "cli/arena/elastic_table.h"
#include "cli/arena/keyed_sort.h"
#include "cli/arena/pod_role.h"
#include "cli/arena/views/get_view.h"
#include "cli/arena/views/span_text.h"
#include "object/table/pod_cells.h"

#include <fmt/format.h>

#include <cmath>

namespace trainyard::cli::arena {
namespace {

using Row = std::vector<std::string>;

constexpr double kMebi = 1024.0 * 1024.0;

Row classic_row(const TrainingJob& job, WallTime now) {
  return {job.name(),
          std::to_string(requested_gpus(job)),
          std::to_string(running_gpus(job)),
          raw_status(job),
          job.type.name,
          span_text(age_of(job, now)),
          node_of_running(job)};
}

Row wide_row(const TrainingJob& job, WallTime now) {
  return {job.name(),
          effective_status(job),
          trainer_name(job),
          span_text(age_of(job, now)),
          std::to_string(requested_gpus(job)),
          std::to_string(held_gpus(job)),
          node_of_running(job)};
}

void add_classic_totals(ElasticTable& table, const std::vector<TrainingJob>& jobs) {
  std::int64_t requested = 0;
  std::int64_t running = 0;
  for (const TrainingJob& job : jobs) {
    requested += requested_gpus(job);
    running += running_gpus(job);
  }
  table.line().line();
  table.line("Total Allocated GPUs of Training Job:").line(std::to_string(running)).line();
  table.line("Total Requested GPUs of Training Job:").line(std::to_string(requested));
}

/// Only jobs that run count.
void add_wide_total(ElasticTable& table, const std::vector<TrainingJob>& jobs) {
  std::int64_t requested = 0;
  std::int64_t held = 0;
  for (const TrainingJob& job : jobs) {
    if (effective_status(job) != "RUNNING") continue;
    requested += requested_gpus(job);
    held += held_gpus(job);
  }
  table.line().line(
      fmt::format("Total Allocated/Requested GPUs of Training Jobs: {}/{}", held, requested));
}

/// Duty cycle and memory; N/A where nobody has measured.
std::vector<Row> sample_cells(const Json& pod, const GpuSamples& samples) {
  const auto found = samples.find(std::string(name_of(pod)));
  if (found == samples.end() || found->second.empty()) return {{"N/A", "N/A", "N/A"}};
  std::vector<Row> cells;
  for (const GpuSample& sample : found->second) {
    cells.push_back({sample.index, fmt::format("{:.0f}%", std::round(sample.duty_percent)),
                     fmt::format("{:.1f}MiB / {:.1f}MiB", sample.used_bytes / kMebi,
                                 sample.total_bytes / kMebi)});
  }
  return cells;
}

bool is_wanted(const Json& pod, const std::string& only) {
  return only.empty() || name_of(pod) == only;
}

}  // namespace

void sort_by_gpus(std::vector<TrainingJob>& jobs) {
  sort_by(jobs, [](const TrainingJob& job) { return -requested_gpus(job); });
}

std::string top_jobs_table(const std::vector<TrainingJob>& jobs, WallTime now,
                           const TableOptions& options) {
  const Row classic{"NAME", "GPU(Requests)", "GPU(Allocated)", "STATUS", "TRAINER", "AGE", "NODE"};
  const Row wide{"NAME", "STATUS", "TRAINER", "AGE", "GPU(Requested)", "GPU(Allocated)", "NODE"};
  ElasticTable table;
  const auto add = [&](Row row, const std::string& ns) {
    if (options.namespaces) row.insert(row.begin(), ns);
    table.row(std::move(row));
  };
  add(options.wide ? wide : classic, "NAMESPACE");
  for (const TrainingJob& job : jobs) {
    add(options.wide ? wide_row(job, now) : classic_row(job, now), job.ns());
  }
  if (options.wide) {
    add_wide_total(table, jobs);
  } else {
    add_classic_totals(table, jobs);
  }
  return table.text();
}

std::string top_instances_table(const TrainingJob& job, const GpuSamples& samples,
                                const std::string& only) {
  ElasticTable table;
  table.row({"INSTANCE NAME", "GPU(Device Index)", "GPU(Duty Cycle)", "GPU(Memory MiB)", "STATUS",
             "NODE"});
  for (const ObjectPtr& pod : job.pods) {
    const Json& body = pod->body();
    if (!is_wanted(body, only)) continue;
    const std::string phase(phase_of_pod(body));
    std::string name(name_of(body));
    for (Row& row : sample_cells(body, samples)) {
      row.insert(row.begin(), name);
      row.push_back(phase);
      row.emplace_back(phase == "Running" ? host_ip(body) : "");
      table.row(std::move(row));
      name.clear();
    }
  }
  return table.text();
}

std::string wide_top_instances(const TrainingJob& job, const GpuSamples& samples,
                               const std::string& only, WallTime now) {
  ElasticTable table;
  table.row({"NAME", "STATUS", "GPU(Request)", "NODE", "GPU(DeviceIndex)", "GPU(DutyCycle)",
             "GPU_MEMORY(Used/Total)"});
  table.row({"----", "------", "------------", "----", "----------------", "--------------",
             "----------------------"});
  for (const ObjectPtr& pod : job.pods) {
    const Json& body = pod->body();
    if (!is_wanted(body, only)) continue;
    Row first{std::string(name_of(body)), pod_status_word(body), std::to_string(pod_gpus(body)),
              std::string(string_at(body, "spec.nodeName", "N/A"))};
    for (const Row& cells : sample_cells(body, samples)) {
      Row row = first;
      row.insert(row.end(), cells.begin(), cells.end());
      table.row(std::move(row));
      first.assign(first.size(), "");
    }
  }
  return fmt::format("{}\nInstances:\n{}\nGPUs:\n  Allocated/Requested GPUs of Job: {}/{}\n",
                     wide_heading(job, now), table.text("  "), held_gpus(job), requested_gpus(job));
}

}  // namespace trainyard::cli::arena
