#include "node/node.h"

#include "base/files/files.h"
#include "base/files/folder_entries.h"
#include "base/log.h"
#include "base/unexpected.h"
#include "node/images/image_environment.h"
#include "node/images/python_site.h"
#include "node/linux/spread_folders.h"
#include "node/pod/fake_runtime.h"
#include "node/pod/process_runtime.h"
#include "node/volumes/memory_folder.h"
#include "object/values/status.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

namespace trainyard::node {
namespace {

constexpr std::chrono::milliseconds kLongestPodPause = std::chrono::minutes(1);

const Key kImageMaps{contract::kImageMapsNamespace, contract::kImageMapsName};

using namespace std::chrono_literals;

/// The pods of one node can be asked for; those of several come with all that are placed.
client::ListOptions pods_of(const std::vector<NodeSpec>& nodes) {
  client::ListOptions options;
  options.fields = nodes.size() == 1 ? "spec.nodeName=" + nodes.front().name : "spec.nodeName!=";
  return options;
}

std::set<std::string, std::less<>> names_of(const std::vector<NodeSpec>& nodes) {
  std::set<std::string, std::less<>> names;
  for (const NodeSpec& node : nodes) names.insert(node.name);
  return names;
}

std::vector<std::string> addresses_of(const std::vector<NodeSpec>& nodes) {
  std::vector<std::string> addresses;
  for (const NodeSpec& node : nodes) addresses.push_back(node.address);
  return addresses;
}

/// Which node events come from, where it is one.
std::string instance_of(const std::vector<NodeSpec>& nodes) {
  return nodes.size() == 1 ? nodes.front().name : "";
}

}  // namespace

Node::Node(Executor loop, client::Api& api, Clock& clock, NodeConfig config, LogArchive& archive,
           Cgroups& cgroups, UsageRecorder& usage, ActivityWatcher& activity)
    : loop_(loop),
      api_(api),
      clock_(clock),
      config_(std::move(config)),
      archive_(archive),
      cgroups_(cgroups),
      usage_(usage),
      activity_(activity),
      paths_(config_.data_dir),
      machine_(look_at_machine(config_.data_dir)),
      hosts_(loop, clock, paths_, network_),
      claims_(loop, api, clock, paths_),
      configs_(loop, api, clock),
      watcher_(loop, clock),
      ready_(loop, clock, paths_, config_.shim, config_.life, hidden_folders(config_)),
      ready_folders_(loop, clock, paths_),
      recorder_(api, clock, "kubelet", instance_of(config_.nodes)),
      events_(loop, recorder_),
      alarms_(loop, clock),
      turnstile_(loop),
      parts_{loop_,
             disk_.get_executor(),
             turnstile_,
             api_,
             clock_,
             alarms_,
             events_,
             config_,
             paths_,
             machine_,
             network_,
             hosts_,
             claims_,
             configs_,
             watcher_,
             ready_,
             ready_folders_,
             remover_,
             archive_,
             cgroups_,
             config_.fake_runtime ? make_fake_runtime : make_process_runtime},
      names_(names_of(config_.nodes)),
      registration_(api, clock, config_),
      pods_(loop, api, clock, kPods, pods_of(config_.nodes)),
      services_(loop, api, clock, kServices),
      relay_(loop, clock, network_, addresses_of(config_.nodes),
             [this](const Key& service, std::string message) {
               tasks_.spawn_contained("event of a service",
                                      tell_unserved(service, std::move(message)));
             }),
      tasks_(loop) {
  pods_.add_listener([this](const ObjectPtr& pod, bool deleted) { on_pod(pod, deleted); });
  services_.add_listener([this](const ObjectPtr& service, bool deleted) {
    if (deleted) {
      network_.remove_service(key_of(service->body()));
    } else {
      network_.put_service(service->body());
    }
  });
  claims_.on_change([this] {
    for (const auto& [uid, worker] : workers_) worker->look_again();
  });
  configs_.on_change([this](const Key& config) {
    for (const auto& [uid, worker] : workers_) {
      if (config == kImageMaps) worker->look_again();
      if (worker->key().ns == config.ns) worker->on_config(config.name);
    }
  });
}

Node::~Node() = default;

void Node::set_api_address(std::string host, std::uint16_t port) {
  // Who listens on all addresses is found at this one.
  config_.api_host = host == "0.0.0.0" ? "127.0.0.1" : std::move(host);
  config_.api_port = port;
}

void Node::start() {
  Result<> written = write_tools(paths_.tools());
  if (written) written = write_python_site(paths_.tools());
  if (!written) {
    log_error("tools for containers not written", {{"cause", written.error().message()}});
  }
  if (make_folders(paths_.pods(), 0755)) spread_folders(paths_.pods());
  claims_.start();
  configs_.start();
  watcher_.start();
  usage_.start();
  activity_.start();
  if (!config_.fake_runtime) {
    ready_.start();
    ready_folders_.start();
  }
  tasks_.spawn("alarms of pods", alarms_.run());
  tasks_.spawn("node", run());
}

awaitable<void> Node::stop() {
  co_await claims_.stop();
  co_await configs_.stop();
  co_await tasks_.stop();  // first: from here on no worker comes or goes
  for (const auto& [uid, worker] : workers_) co_await worker->stop();
  co_await events_.stop();
  co_await relay_.stop();
  co_await ready_.stop();
  co_await ready_folders_.stop();
  co_await watcher_.stop();
  co_await activity_.stop();
  co_await usage_.stop();
}

awaitable<void> Node::stop_pods() {
  co_await pods_.wait_synced();  // a server that has just begun may not know yet what runs
  for (const auto& [uid, worker] : workers_) worker->end_containers();
  // Copies: a worker may end, and leave the map, while another one is waited for.
  const auto workers = workers_;
  for (const auto& [uid, worker] : workers) {
    co_await worker->wait_ended();
    co_await worker->remove_cgroups();
  }
  // The server is about to end, and may not get to the files of all of them.
  if (auto unmounted = unmount_below(paths_.pods()); !unmounted) {
    log_warn("memory of pods not given back", {{"cause", unmounted.error().message()}});
  }
}

awaitable<Result<>> Node::present_nodes() {
  CO_TRY_OK(co_await registration_.remove_former());
  CO_TRY_OK(co_await registration_.register_nodes());
  presented_ = true;
  co_return Ok();
}

awaitable<void> Node::run() {
  while (!presented_) {
    const Result<> presented = co_await present_nodes();
    if (presented) break;
    log_error("nodes not registered, trying again", {{"cause", presented.error().message()}});
    co_await clock_.sleep_for(1s);
  }
  tasks_.spawn("keep nodes alive", registration_.keep_alive());
  if (!cgroups_.available()) co_await tell_lack_of_cgroups();
  // What is known of a pod's needs must be complete before something is said to be missing.
  co_await configs_.wait_synced();
  tasks_.spawn("watch services", services_.run());
  co_await services_.wait_synced();
  tasks_.spawn("watch pods of this machine", pods_.run());
  co_await pods_.wait_synced();
  tasks_.spawn("hosts files", hosts_.run());
  tasks_.spawn("relay of services", relay_.run());
  co_await remove_orphans();
  co_await prune();
}

awaitable<void> Node::tell_lack_of_cgroups() {
  for (const NodeSpec& spec : config_.nodes) {
    const Key key{"", spec.name};
    auto node = co_await api_.get(kNodes, key);
    if (!node) continue;
    co_await recorder_.warning(*node, "NoControlGroups", cgroups_.why_not());
  }
}

awaitable<void> Node::tell_unserved(Key service, std::string message) {
  const auto known = services_.objects().find(service);
  if (known == services_.objects().end()) co_return;
  const ObjectPtr object = known->second;
  co_await recorder_.warning(object, "PortNotServed", std::move(message));
}

bool Node::is_ours(const Json& pod) const {
  return names_.contains(string_at(pod, "spec.nodeName"));
}

void Node::on_pod(const ObjectPtr& pod, bool deleted) {
  if (!is_ours(pod->body())) return;
  if (!config_.fake_runtime) {
    usage_.note(pod->body(), deleted);
    activity_.note(pod->body(), deleted);
  }
  const std::string uid(uid_of(pod->body()));
  const auto found = workers_.find(uid);
  if (found != workers_.end()) {
    if (deleted) {
      found->second->set_gone();
    } else {
      network_.update_pod(pod->body());
      found->second->update(pod);
    }
    return;
  }
  if (deleted) return;
  if (!has_ended(pod->body())) network_.add_pod(pod->body());
  workers_[uid] = std::make_shared<PodWorker>(parts_, pod);
  tasks_.spawn(fmt::format("pod {}", key_of(pod->body())), run_worker(uid));
}

/// What nobody expected concerns this pod alone: its worker takes it up again.
awaitable<void> Node::run_worker(std::string uid) {
  const std::shared_ptr<PodWorker> worker = workers_.at(uid);
  std::chrono::milliseconds pause = 1s;
  while (true) {
    const std::string id =
        co_await run_contained(fmt::format("pod {}", worker->key()), worker->run());
    if (id.empty()) break;
    events_.warning(worker->pod(), "InternalError", internal_error_text(id));
    co_await clock_.sleep_for(std::exchange(pause, std::min(2 * pause, kLongestPodPause)));
  }
  workers_.erase(uid);
}

/// Pods that were deleted while no server ran: nobody will ask for them again.
awaitable<void> Node::remove_orphans() {
  std::vector<std::string> orphans;
  for (const auto& entry : FolderEntries(paths_.pods())) {
    const std::string uid = entry.path().filename();
    if (!workers_.contains(uid)) orphans.push_back(uid);
  }
  for (const std::string& uid : orphans) co_await remove_orphan(uid);
  std::set<std::string> known;
  for (const auto& [uid, worker] : workers_) known.insert(uid);
  cgroups_.remove_others(known);
}

awaitable<void> Node::remove_orphan(std::string uid) {
  for (const auto& container : FolderEntries(paths_.containers(uid))) {
    if (!is_folder(container)) continue;
    for (const auto& entry : FolderEntries(container.path())) {
      const ContainerRun run(entry.path(), config_.shim);
      if (!run.state().lives()) continue;
      // Again with each news: a shim that has just started can be reached only after a while.
      co_await follow(watcher_, loop_, run, [&run] { run.stop(0); });
    }
  }
  archive_.keep(uid);
  if (auto removed = co_await remover_.remove(paths_.pod(uid)); !removed) {
    log_warn("pod folder not removed", {{"uid", uid}, {"cause", removed.error().message()}});
    co_return;
  }
  log_info("removed what was left of a deleted pod", {{"uid", uid}});
}

awaitable<void> Node::prune() {
  while (true) {
    archive_.prune();
    co_await usage_.tidy();
    co_await clock_.sleep_for(10min);
  }
}

}  // namespace trainyard::node
