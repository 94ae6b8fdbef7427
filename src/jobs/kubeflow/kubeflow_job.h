#pragma once

#include "jobs/engine/form/form.h"

#include <string>
#include <vector>

namespace trainyard::jobs {

/// What Kubeflow's kinds have in common: groups of pods by role, a runPolicy, a Service for every
/// pod, labels, conditions and events as Kubeflow's operators have them. What the engine remembers
/// of a job is in status.trainyard.
class KubeflowJob : public JobKind {
 public:
  std::vector<Json> make_services(const Json& job, const JobForm& form) const override;
  Json make_pod_group(const Json& job, const JobForm& form) const override;
  std::string failure_headline(const Draft& draft, const EndRule& rule) const override;
  std::string limit_headline(const Draft& draft, EndedBy limit) const override;
  bool manages(const Json& job) const override;
  std::vector<ReplicaSpec> replica_specs(const Json& job) const override;
  std::string_view pause_field() const override { return "spec.runPolicy.suspend"; }
  std::string_view why_kept() const override { return "cleanPodPolicy None"; }
  std::string event_source() const override { return operator_name(); }
  Json recall(const Json& job) const override;
  void report(Draft& draft) const override;

  // What a kind says of itself.

  /// As users write them, in the order of the engine's groups, whose types are the same in small
  /// letters.
  virtual std::vector<std::string_view> roles() const = 0;
  /// Which restartPolicy a role has that says none.
  virtual std::string_view usual_restart(std::string_view role) const = 0;
  /// The name of the main container's port at which replicas meet.
  virtual std::string_view port_name() const = 0;
  /// Who makes the pods, as their label training.kubeflow.org/operator-name says.
  virtual std::string operator_name() const;
  /// Whom it is run by, as spec.runPolicy.managedBy says.
  virtual std::string_view manager() const { return "kubeflow.org/training-operator"; }
  /// What sentences begin with: "<kind> <name>".
  virtual std::string title(const Json& job) const;
  virtual std::string suspended_words(const Json& job) const;
  virtual std::string resumed_words(const Json& job) const;
  /// "<kind> <name> is running." and the like.
  virtual std::string running_words(const Json& job) const = 0;
  virtual std::string success_words(const Json& job) const = 0;
  virtual std::string failure_words(const Json& job, std::int64_t failed,
                                    std::string_view role) const = 0;
  /// The reason of the condition Failed, where the draft ends the job.
  virtual std::string failure_reason(const Draft& draft) const;
  /// Whether pods that still run when the job has succeeded are said to have succeeded, too.
  virtual bool counts_all_as_succeeded() const { return true; }
  /// Whether an event of the engine's own is told; its others are told in Kubeflow's words.
  virtual bool tells(std::string_view /*reason*/) const { return false; }
  /// What of its spec is not followed here, in a sentence; empty: nothing.
  virtual std::string unheeded(const Json& /*job*/) const { return {}; }
  /// The group whose pods have to run for the job to be called running.
  virtual std::size_t leading_group(const JobForm& form) const { return form.first_group; }

 protected:
  /// Groups, runPolicy and what Kubeflow does in its own way; every failed replica fails the job.
  JobForm read_spec(const Json& job) const;
  /// A pod as the role's template says, with Kubeflow's labels and its port.
  Json make_role_pod(const Json& job, const JobForm& form, const Replica& replica,
                     std::int64_t leased) const;
  /// The port that a replica listens at, of those that the job has leased or of the user's own; 0:
  /// none.
  virtual std::int64_t port_of(const Json& job, const JobForm& form, const Replica& replica,
                               std::int64_t leased) const = 0;
  /// The port that the role's main container declares; 0: none.
  std::int64_t declared_port(const Json& job, std::string_view role) const;

 private:
  /// The ports of a replica's main container, with the one to meet at.
  JsonArray ports_of(const Json& job, const JobForm& form, const Replica& replica,
                     std::int64_t leased) const;
};

/// A rule about all replicas of a group.
EndRule all_of_group(const JobForm& form, std::size_t group);
/// Adds variables to those that the container has, in the place of any of the same names: they win
/// over the user's own.
void put_last(Json& container, const JsonArray& variables);

}  // namespace trainyard::jobs
