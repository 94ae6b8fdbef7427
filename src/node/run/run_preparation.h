#pragma once

#include "node/capacity.h"
#include "node/config.h"
#include "node/pod_facts.h"
#include "node/run/container_run.h"
#include "node/volumes/claims.h"
#include "node/volumes/config_objects.h"
#include "node/volumes/pod_files.h"

#include <optional>
#include <string>

namespace trainyard::node {

/// What is known when a container is about to start.
struct RunContext {
  const Json& pod;
  const Json& container;  // its entry in the pod's spec
  const PodFacts& facts;
  const NodeConfig& config;
  const Paths& paths;
  const Machine& machine;
  const Claims& claims;
  const ConfigObjects& configs;
  const PodFiles& files;
};

/// Why a container cannot be started now.
struct Obstacle {
  std::string reason;  // of its waiting state
  std::string event;   // the reason of the event that tells it
  Error cause;
};

/// What no container may see of the machine.
std::vector<std::filesystem::path> hidden_folders(const NodeConfig& config);

/// Fills in what the shim is told, each concern by a function of its own: the place to add one is
/// the table in run_preparation.cpp.
std::optional<Obstacle> prepare_run(const RunContext& context, RunSpec& spec);

}  // namespace trainyard::node
