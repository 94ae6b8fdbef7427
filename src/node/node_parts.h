#pragma once

#include "base/async.h"

#include <functional>
#include <memory>

namespace trainyard {
class Alarms;
class Clock;
class Turnstile;
}  // namespace trainyard
namespace trainyard::client {
class Api;
class BackgroundEvents;
}  // namespace trainyard::client

namespace trainyard::node {

class Cgroups;
class Claims;
class ConfigObjects;
class FolderRemover;
class Hosts;
class LogArchive;
struct Machine;
class Network;
struct NodeConfig;
struct NodeParts;
class Paths;
struct PodFacts;
class PodRuntime;
class ReadyFolders;
class ReadyRuns;
class RunWatcher;

/// How pods are run here: as processes, or only said to.
using MakeRuntime = std::unique_ptr<PodRuntime> (*)(NodeParts& parts, const PodFacts& facts,
                                                    std::function<void()> on_news);

/// What all pods of a node share.
struct NodeParts {
  Executor loop;
  Executor disk;         // a thread for what takes long
  Turnstile& turnstile;  // of all pods: to look at one and start what is missing takes milliseconds
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
