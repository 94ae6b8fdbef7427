#pragma once

#include "object/values/metadata.h"

#include <string>
#include <vector>

/// T9k's MPIJob as it is read: its two shapes are one. Pure.
namespace trainyard::jobs {

/// The job in the newest shape, whichever it was written in, with a launcher and a worker in
/// spec.replicaSpecs, in this order. The launcher has a container of its name.
Json in_newest_shape(const Json& job);

/// What mpirun shall do. Read from a job in the newest shape.
struct MpiRun {
  std::string home;  // where Open MPI is; empty: not said
  std::vector<std::pair<std::string, std::string>> parameters;
  std::vector<std::string> extra_args;
  std::vector<std::string> script;
  std::vector<std::string> variables;  // of the worker, which the processes shall have
  std::string work_dir;                // of the worker; empty: not said
  std::int64_t workers = 1;
  std::int64_t slots = 1;  // of each worker
};
MpiRun read_mpi_run(const Json& job);

/// The number after -N or -npernode, else 1.
std::int64_t slots_in(const std::vector<std::string>& extra_args);
/// What follows `mpirun`: hostfile, parameters, variables, extra arguments as they are, program.
std::vector<std::string> mpirun_arguments(const MpiRun& run);

/// Variables of a container that have a plain value, and are no business of MPI's own.
std::vector<std::string> plain_variables(const Json& container);

}  // namespace trainyard::jobs
