#include "cli/arena/views/get_view.h"

#include "cli/arena/elastic_table.h"
#include "cli/arena/pod_role.h"
#include "cli/arena/views/event_table.h"
#include "cli/arena/views/local_time.h"
#include "cli/arena/views/span_text.h"
#include "cli/arena/words.h"
#include "object/table/pod_cells.h"

#include <fmt/format.h>

#include <utility>

namespace trainyard::cli::arena {
namespace {

std::string pod_age(const Json& pod, WallTime now) {
  const auto made = parse_time(string_at(pod, "metadata.creationTimestamp"));
  return made ? span_text(now - *made) : "<unknown>";
}

ElasticTable instance_table(const TrainingJob& job, WallTime now) {
  const Json* chief = chief_of(job);
  ElasticTable table;
  table.row({"NAME", "STATUS", "AGE", "IS_CHIEF", "GPU(Requested)", "NODE"});
  table.row({"----", "------", "---", "--------", "--------------", "----"});
  for (const ObjectPtr& pod : job.pods) {
    const Json& body = pod->body();
    table.row({std::string(name_of(body)), pod_status_word(body), pod_age(body, now),
               &body == chief ? "true" : "false", std::to_string(pod_gpus(body)),
               or_none(string_at(body, "spec.nodeName"))});
  }
  return table;
}

/// Index, duty cycle and memory of each GPU of a pod; N/A where nobody has measured.
std::vector<std::vector<std::string>> gpu_cells(const Json& pod, const GpuSamples& samples) {
  const auto found = samples.find(std::string(name_of(pod)));
  if (found == samples.end() || found->second.empty()) return {{"N/A", "N/A", "N/A"}};
  constexpr double kMebi = 1024.0 * 1024.0;
  std::vector<std::vector<std::string>> cells;
  for (const GpuSample& sample : found->second) {
    cells.push_back(
        {sample.index, fmt::format("{:.1f}%", sample.duty_percent),
         fmt::format("{:.1f}/{:.1f}(MiB)", sample.used_bytes / kMebi, sample.total_bytes / kMebi)});
  }
  return cells;
}

std::string gpu_section(const TrainingJob& job, const GpuSamples& samples) {
  ElasticTable table;
  table.row({"INSTANCE", "NODE(IP)", "GPU(Requested)", "GPU(IndexId)", "GPU(DutyCycle)",
             "GPU Memory(Used/Total)"});
  table.row({"--------", "--------", "--------------", "------------", "--------------",
             "----------------------"});
  for (const ObjectPtr& pod : job.pods) {
    const Json& body = pod->body();
    std::vector<std::string> row{std::string(name_of(body)), or_none(host_ip(body)),
                                 std::to_string(pod_gpus(body))};
    for (const std::vector<std::string>& cells : gpu_cells(body, samples)) {
      row.insert(row.end(), cells.begin(), cells.end());
      table.row(std::exchange(row, {"", "", ""}));
    }
  }
  return fmt::format("\nGPUs:\n{}\n  Allocated/Requested GPUs of Job: {}/{}\n", table.text("  "),
                     held_gpus(job), requested_gpus(job));
}

std::string end_time(const TrainingJob& job, WallTime now) {
  const std::string status = effective_status(job);
  const auto made = parse_time(string_at(job.body(), "metadata.creationTimestamp"));
  if (!made || (status != "SUCCEEDED" && status != "FAILED")) return "";
  return local_time_text(*made +
                         std::chrono::duration_cast<WallTime::duration>(duration_of(job, now)));
}

}  // namespace

std::string classic_job(const TrainingJob& job, const JobExtras& extras, WallTime now) {
  std::string out = fmt::format(
      "STATUS: {}\nNAMESPACE: {}\nPRIORITY: {}\nTRAINING DURATION: {}\n\n", effective_status(job),
      job.ns(), priority_of(job), span_text(duration_of(job, now)));
  const std::string age = span_text(age_of(job, now));
  ElasticTable table;
  table.row({"NAME", "STATUS", "TRAINER", "AGE", "INSTANCE", "NODE"});
  for (const ObjectPtr& pod : job.pods) {
    const Json& body = pod->body();
    table.row({job.name(), upper(phase_of_pod(body)), trainer_name(job), age,
               std::string(name_of(body)), or_none(host_ip(body))});
  }
  out += table.text();
  if (!extras.tensorboard.empty()) {
    out += fmt::format("\nYour tensorboard will be available on:\n{}\n", extras.tensorboard);
  }
  if (extras.show_events) out += "\n" + event_table(job, extras.events, now);
  return out;
}

std::string wide_heading(const TrainingJob& job, WallTime now) {
  const auto made = parse_time(string_at(job.body(), "metadata.creationTimestamp"));
  ElasticTable table;
  table.row({"Name:", job.name()})
      .row({"Status:", effective_status(job)})
      .row({"Namespace:", job.ns()})
      .row({"Priority:", priority_of(job)})
      .row({"Trainer:", trainer_name(job)})
      .row({"Duration:", span_text(duration_of(job, now))})
      .row({"CreateTime:", made ? local_time_text(*made) : ""})
      .row({"EndTime:", end_time(job, now)});
  for (const auto& [title, label] :
       {std::pair{"ModelName:", "modelName"}, std::pair{"ModelVersion:", "modelVersion"}}) {
    const std::string_view value = label_of(job.body(), label);
    if (!value.empty()) table.row({title, std::string(value)});
  }
  return table.text();
}

std::string wide_job(const TrainingJob& job, const JobExtras& extras, WallTime now) {
  std::string out = wide_heading(job, now);
  out += "\nInstances:\n" + instance_table(job, now).text("  ");
  if (extras.show_gpus && effective_status(job) != "SUCCEEDED" && requested_gpus(job) > 0) {
    out += gpu_section(job, extras.gpus);
  }
  if (!extras.tensorboard.empty()) {
    out += fmt::format("\nTensorboard:\n  Your tensorboard will be available on:\n  {}\n",
                       extras.tensorboard);
  }
  if (extras.show_events) out += "\n" + event_table(job, extras.events, now);
  return out;
}

}  // namespace trainyard::cli::arena
