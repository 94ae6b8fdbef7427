#include "node/node.h"

#include "base/files.h"
#include "base/log.h"
#include "object/quantity.h"

#include <fmt/format.h>

#include <sched.h>
#include <sys/sysinfo.h>
#include <sys/utsname.h>
#include <unistd.h>
#include <vector>

namespace trainyard::node {
namespace {

using namespace std::chrono_literals;

constexpr int kMostPods = 1000;

std::int64_t cpus() {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  if (::sched_getaffinity(0, sizeof allowed, &allowed) == 0) return CPU_COUNT(&allowed);
  return ::sysconf(_SC_NPROCESSORS_ONLN);
}

std::int64_t memory_bytes() {
  struct sysinfo info{};
  ::sysinfo(&info);
  const auto bytes = static_cast<std::int64_t>(info.totalram) * info.mem_unit;
  return bytes / 1024 * 1024;
}

Json node_object(const std::string& name) {
  struct utsname system{};
  ::uname(&system);
  char host[256] = "";
  ::gethostname(host, sizeof host - 1);
  return {{"apiVersion", "v1"},
          {"kind", "Node"},
          {"metadata",
           {{"name", name},
            {"labels",
             {{"kubernetes.io/hostname", name},
              {"kubernetes.io/os", "linux"},
              {"kubernetes.io/arch",
               std::string_view(system.machine) == "aarch64" ? "arm64" : "amd64"}}},
            {"annotations", {{"trainyard.dev/machine", host}}}}}};
}

Json node_status(WallTime now) {
  struct utsname system{};
  ::uname(&system);
  const JsonObject capacity{{"cpu", std::to_string(cpus())},
                            {"memory", format_bytes(memory_bytes())},
                            {"pods", std::to_string(kMostPods)}};
  return {{"capacity", capacity},
          {"allocatable", capacity},
          {"addresses", JsonArray{{{"type", "InternalIP"}, {"address", "127.0.0.1"}}}},
          {"conditions", JsonArray{{{"type", "Ready"},
                                    {"status", "True"},
                                    {"reason", "NodeReady"},
                                    {"message", "the node runs pods as processes"},
                                    {"lastTransitionTime", format_time(now)}}}},
          {"nodeInfo",
           {{"kernelVersion", system.release},
            {"osImage", "Linux"},
            {"operatingSystem", "linux"},
            {"containerRuntimeVersion", "trainyard://0.1.0"},
            {"kubeletVersion", "v1.32.0+trainyard"}}}};
}

client::ListOptions pods_of(const std::string& node) {
  client::ListOptions options;
  options.fields = "spec.nodeName=" + node;
  return options;
}

}  // namespace

Node::Node(Executor loop, client::Api& api, Clock& clock, NodeConfig config)
    : loop_(loop),
      api_(api),
      clock_(clock),
      config_(std::move(config)),
      paths_(config_.data_dir),
      hosts_(paths_),
      claims_(loop, api, clock, paths_),
      events_(api, clock, "trainyard-node"),
      parts_{loop_, api_, clock_, events_, config_, paths_, hosts_, claims_},
      pods_(loop, api, clock, kPods, pods_of(config_.name)),
      tasks_(loop) {
  pods_.add_listener([this](const ObjectPtr& pod, bool deleted) { on_pod(pod, deleted); });
  claims_.on_change([this] {
    for (const auto& [uid, worker] : workers_) worker->look_again();
  });
}

Node::~Node() = default;

void Node::start() {
  claims_.start();
  tasks_.spawn("node", run());
}

awaitable<void> Node::stop() {
  co_await claims_.stop();
  co_await tasks_.stop();  // first: from here on no worker comes or goes
  for (const auto& [uid, worker] : workers_) co_await worker->stop();
}

awaitable<void> Node::stop_pods() {
  for (const auto& [uid, worker] : workers_) worker->end_containers();
  // Copies: a worker may end, and leave the map, while another one is waited for.
  const auto workers = workers_;
  for (const auto& [uid, worker] : workers) co_await worker->wait_ended();
}

awaitable<void> Node::run() {
  while (true) {
    auto registered = co_await register_node();
    if (registered) break;
    log_error("node not registered, trying again", {{"cause", registered.error().message()}});
    co_await clock_.sleep_for(1s);
  }
  tasks_.spawn("watch pods of this node", pods_.run());
  co_await pods_.wait_synced();
  co_await remove_orphans();
}

awaitable<Result<>> Node::register_node() {
  auto created = co_await api_.create(kNodes, "", node_object(config_.name));
  if (!created && !created.failed_with(Code::kAlreadyExists)) co_return std::move(created).error();
  Json status{{"status", node_status(clock_.wall())}};
  const Key key{"", config_.name};
  CO_TRY_OK(
      co_await api_.patch(kNodes, key, client::PatchType::kMerge, std::move(status), "status"));
  co_return Ok();
}

void Node::on_pod(const ObjectPtr& pod, bool deleted) {
  const std::string uid(uid_of(pod->body()));
  const auto found = workers_.find(uid);
  if (found != workers_.end()) {
    if (deleted) {
      found->second->set_gone();
    } else {
      found->second->update(pod);
    }
    return;
  }
  if (deleted) return;
  workers_[uid] = std::make_shared<PodWorker>(parts_, pod);
  tasks_.spawn(fmt::format("pod {}", key_of(pod->body())), run_worker(uid));
}

awaitable<void> Node::run_worker(std::string uid) {
  const std::shared_ptr<PodWorker> worker = workers_.at(uid);
  co_await worker->run();
  workers_.erase(uid);
}

/// Pods that were deleted while no server ran: nobody will ask for them again.
awaitable<void> Node::remove_orphans() {
  std::vector<std::string> orphans;
  std::error_code failed;
  for (const auto& entry : std::filesystem::directory_iterator(paths_.pods(), failed)) {
    const std::string uid = entry.path().filename();
    if (!workers_.contains(uid)) orphans.push_back(uid);
  }
  for (const std::string& uid : orphans) co_await remove_orphan(uid);
}

awaitable<void> Node::remove_orphan(std::string uid) {
  std::error_code failed;
  for (const auto& container :
       std::filesystem::directory_iterator(paths_.containers(uid), failed)) {
    if (!container.is_directory()) continue;
    for (const auto& entry : std::filesystem::directory_iterator(container.path(), failed)) {
      ContainerRun run(loop_, clock_, entry.path(), config_.shim);
      const RunState::Phase phase = run.state().phase;
      if (phase != RunState::Phase::kStarting && phase != RunState::Phase::kRunning) continue;
      run.stop(0);
      co_await run.follow([] {});
    }
  }
  if (auto removed = remove_folder(paths_.pod(uid)); !removed) {
    log_warn("pod folder not removed", {{"uid", uid}, {"cause", removed.error().message()}});
    co_return;
  }
  log_info("removed what was left of a deleted pod", {{"uid", uid}});
}

}  // namespace trainyard::node
