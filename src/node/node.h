#pragma once

#include "base/alarms.h"
#include "base/turnstile.h"
#include "client/reporting/background_events.h"
#include "client/watching/informer.h"
#include "node/limits/cgroups.h"
#include "node/logs/log_archive.h"
#include "node/network/hosts.h"
#include "node/network/service_relay.h"
#include "node/pod/pod_worker.h"
#include "node/registration.h"
#include "node/run/ready_folders.h"
#include "node/run/ready_runs.h"
#include "node/run/run_watcher.h"
#include "node/training/activity_watcher.h"
#include "node/usage/usage_recorder.h"
#include "node/volumes/claims.h"
#include "node/volumes/config_objects.h"
#include "node/volumes/folder_remover.h"

#include <boost/asio/thread_pool.hpp>

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace trainyard::node {

/// This machine as one or several Kubernetes nodes: registers them, and runs the pods that are
/// placed on them.
class Node {
 public:
  Node(Executor loop, client::Api& api, Clock& clock, NodeConfig config, LogArchive& archive,
       Cgroups& cgroups, UsageRecorder& usage, ActivityWatcher& activity);
  ~Node();
  /// Before anything is placed: nodes that this machine presents no longer take no pods, and who
  /// asks a server that is ready finds the others whole. What fails is tried again by start().
  awaitable<Result<>> present_nodes();
  /// Where clients in pods find the API; before start().
  void set_api_address(std::string host, std::uint16_t port);
  void start();
  /// Lets go of the pods; they run on.
  awaitable<void> stop();
  /// Ends every container, each with its pod's grace period, and returns when all have ended.
  awaitable<void> stop_pods();

 private:
  awaitable<void> run();
  bool is_ours(const Json& pod) const;
  void on_pod(const ObjectPtr& pod, bool deleted);
  awaitable<void> run_worker(std::string uid);
  awaitable<void> tell_lack_of_cgroups();
  awaitable<void> tell_unserved(Key service, std::string message);
  awaitable<void> remove_orphans();
  awaitable<void> remove_orphan(std::string uid);
  awaitable<void> prune();

  Executor loop_;
  client::Api& api_;
  Clock& clock_;
  NodeConfig config_;
  LogArchive& archive_;
  Cgroups& cgroups_;
  UsageRecorder& usage_;
  ActivityWatcher& activity_;
  Paths paths_;
  Machine machine_;
  Network network_;
  Hosts hosts_;
  Claims claims_;
  ConfigObjects configs_;
  RunWatcher watcher_;
  ReadyRuns ready_;
  ReadyFolders ready_folders_;
  FolderRemover remover_;
  client::EventRecorder recorder_;
  client::BackgroundEvents events_;
  Alarms alarms_;  // of all workers
  boost::asio::thread_pool disk_{1};
  Turnstile turnstile_;
  NodeParts parts_;
  std::set<std::string, std::less<>> names_;  // of our nodes
  Registration registration_;
  bool presented_ = false;
  client::Informer pods_;
  client::Informer services_;
  ServiceRelay relay_;
  std::map<std::string, std::shared_ptr<PodWorker>> workers_;  // by uid
  TaskGroup tasks_;
};

}  // namespace trainyard::node
