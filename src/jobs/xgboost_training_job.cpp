#include "jobs/xgboost_training_job.h"

#include "jobs/engine/form/run_mode.h"
#include "jobs/engine/form/training_spec.h"

namespace trainyard::jobs {
namespace {

/// The port that a container declares by the name xgboost-port; 0: none does.
std::int64_t declared_port(const Json& job) {
  for (const Json& spec : array_at(job, "spec.replicaSpecs")) {
    for (const Json& container : array_at(spec, "template.spec.containers")) {
      for (const Json& port : array_at(container, "ports")) {
        if (string_at(port, "name") == "xgboost-port") return int_at(port, "containerPort");
      }
    }
  }
  return 0;
}

}  // namespace

JobForm XGBoostTrainingJob::read(const Json& job) const {
  JobForm form = read_training_spec(job);
  for (std::size_t i = 0; i < form.groups.size(); ++i) {
    if (form.groups[i].type == "master") set_master_group(form, i);
  }
  if (declared_port(job) != 0) form.meeting.ports = 0;
  return form;
}

Json XGBoostTrainingJob::make_pod(const Json& job, const JobForm& form, const Replica& replica,
                                  std::int64_t port) const {
  Json pod = make_template_pod(job, form.groups[replica.group], main_container());
  const std::int64_t declared = declared_port(job);
  put_first(jobs::main_container(pod, main_container()),
            rendezvous_variables(job, form, replica, declared != 0 ? declared : port));
  return pod;
}

}  // namespace trainyard::jobs
