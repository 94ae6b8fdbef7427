#pragma once

#include "jobs/engine/form/form.h"

/// How T9k's training kinds, which have much in common, are read.
namespace trainyard::jobs {

/// spec.replicaSpecs, runPolicy and runMode. The master is replica 0 of the first group that has
/// any.
JobForm read_training_spec(const Json& job);
/// Has the ranks begin with that group, and makes its first replica the master.
void set_master_group(JobForm& form, std::size_t group);

RestartPolicy read_restart_policy(std::string_view word);
CleanUp read_clean_up(std::string_view word);

/// MASTER_ADDR, MASTER_PORT, RANK and WORLD_SIZE. They come before the user's variables, so that
/// those may refer to them: $(MASTER_ADDR).
JsonArray rendezvous_variables(const Json& job, const JobForm& form, const Replica& replica,
                               std::int64_t port);
void add_variable(JsonArray& env, const char* name, std::string_view value);
/// Puts variables before those that the container has.
void put_first(Json& container, JsonArray variables);

}  // namespace trainyard::jobs
