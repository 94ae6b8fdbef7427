#include "jobs/tensorflow_training_job.h"

#include "jobs/engine/form/names.h"
#include "jobs/engine/form/run_mode.h"
#include "jobs/engine/form/training_spec.h"

#include <fmt/format.h>

namespace trainyard::jobs {
namespace {

constexpr std::string_view kEvaluator = "evaluator";

/// Who is where. Every replica has a port of its own: TensorFlow listens on all addresses of the
/// machine, whatever name it is given. Evaluators are not part of the cluster.
Json make_cluster(const Json& job, const JobForm& form, std::int64_t port) {
  JsonObject cluster;
  for (const Replica& replica : replicas_of(form)) {
    const std::string& type = form.groups[replica.group].type;
    if (type == kEvaluator) continue;
    if (!cluster.contains(type)) cluster[type] = JsonArray();
    cluster[type].get_array().emplace_back(fmt::format("{}.{}:{}", pod_name(job, form, replica),
                                                       service_name(job), port + replica.rank));
  }
  return cluster;
}

}  // namespace

JobForm TensorFlowTrainingJob::read(const Json& job) const {
  JobForm form = read_training_spec(job);
  for (const char* type : {"chief", "worker"}) {
    if (const auto group = find_group(form, type)) {
      set_master_group(form, *group);
      break;
    }
  }
  form.meeting.ports = form.total_replicas();
  return form;
}

Json TensorFlowTrainingJob::make_pod(const Json& job, const JobForm& form, const Replica& replica,
                                     std::int64_t port) const {
  const ReplicaGroup& group = form.groups[replica.group];
  Json pod = make_template_pod(job, group, main_container());
  const Json config{{"cluster", make_cluster(job, form, port)},
                    {"task", {{"type", group.type}, {"index", replica.index}}}};
  JsonArray env;
  add_variable(env, "TF_CONFIG", to_text(config));
  put_first(jobs::main_container(pod, main_container()), std::move(env));
  return pod;
}

}  // namespace trainyard::jobs
