#pragma once

#include "base/alarms.h"
#include "client/api.h"
#include "client/background_events.h"
#include "node/capacity.h"
#include "node/cgroups.h"
#include "node/claims.h"
#include "node/config.h"
#include "node/config_objects.h"
#include "node/folder_remover.h"
#include "node/hosts.h"
#include "node/log_archive.h"
#include "node/pod_files.h"
#include "node/pod_runtime.h"
#include "node/ready_folders.h"
#include "node/ready_runs.h"
#include "node/run_watcher.h"

namespace trainyard::node {

/// What all pods of a node share.
struct NodeParts {
  Executor loop;
  client::Api& api;
  Clock& clock;
  Alarms& alarms;
  client::BackgroundEvents& events;
  const NodeConfig& config;
  const Paths& paths;
  const Machine& machine;
  Network& network;
  Hosts& hosts;
  const Claims& claims;
  const ConfigObjects& configs;
  RunWatcher& watcher;
  ReadyRuns& ready;
  ReadyFolders& ready_folders;
  FolderRemover& remover;
  LogArchive& archive;
  Cgroups& cgroups;
  MakeRuntime make_runtime;
};

}  // namespace trainyard::node
