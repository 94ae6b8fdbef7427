#include "node/pod/process_runtime.h"

#include "base/log.h"
#include "node/config.h"
#include "node/limits/cgroups.h"
#include "node/logs/log_archive.h"
#include "node/machine.h"
#include "node/network/hosts.h"
#include "node/pod/denied_access.h"
#include "node/pod/termination_message.h"
#include "node/run/container_limits.h"
#include "node/run/ready_folders.h"
#include "node/run/ready_runs.h"
#include "node/run/run_watcher.h"
#include "node/volumes/claims.h"
#include "node/volumes/config_objects.h"
#include "node/volumes/folder_remover.h"

namespace trainyard::node {
namespace {

using namespace std::chrono_literals;

/// A container that ends this soon was never ready, and is not reported to run at all: that spares
/// the pods of a Deployment a moment of readiness, and everybody two writes.
constexpr auto kSettleTime = 100ms;

}  // namespace

std::chrono::milliseconds ProcessRuntime::settle_time() const {
  return kSettleTime;
}

void ProcessRuntime::begin(const ObjectPtr& pod) {
  for (const char* list : {"spec.initContainers", "spec.containers"}) {
    for (const Json& container : array_at(pod->body(), list)) {
      containers_.emplace_back(string_at(container, "name"));
    }
  }
  Result<> prepared = parts_.ready_folders.make(facts_.uid);
  parts_.archive.remember(pod->body());
  if (prepared) prepared = parts_.hosts.add(facts_.uid);
  if (!prepared) {
    log_error("pod not prepared",
              {{"pod", key_of(pod->body())}, {"cause", prepared.error().message()}});
  }
}

awaitable<bool> ProcessRuntime::refresh_files(ObjectPtr pod) {
  return files_.refresh(std::move(pod), facts_);
}

ContainerRun ProcessRuntime::run_of(const std::string& container, int number) const {
  return {parts_.paths.run(facts_.uid, container, number), parts_.config.shim, parts_.config.life};
}

int ProcessRuntime::last_run(const std::string& container) const {
  return node::last_run(parts_.paths.container(facts_.uid, container));
}

RunState ProcessRuntime::state(const Json& container, int number) const {
  const ContainerRun run = run_of(std::string(string_at(container, "name")), number);
  RunState state = run.state();
  if (state.has_ended()) add_last_words(run.folder(), container, state);
  explain_denied(run.folder(), parts_.paths, state);
  return state;
}

void ProcessRuntime::watch(const std::string& container, int number) {
  watches_[container] = parts_.watcher.watch(run_of(container, number).folder(), on_news_);
}

std::optional<Obstacle> ProcessRuntime::start(const ObjectPtr& pod, const Json& container,
                                              int number, Launch& told) {
  const std::string name(string_at(container, "name"));
  const RunContext context{pod->body(),   container,      facts_,
                           parts_.config, parts_.paths,   parts_.machine,
                           parts_.claims, parts_.configs, files_};
  RunSpec spec;
  if (auto obstacle = prepare_run(context, spec)) return obstacle;
  if (auto confined = confine(pod->body(), container, number, spec); !confined) {
    return Obstacle{"CreateContainerError", "Failed", std::move(confined).error()};
  }
  UniqueFd waiting;
  if (number == 0) {
    waiting = parts_.ready.take(parts_.paths.container(facts_.uid, name), spec);
  }
  if (auto started = run_of(name, number).start(spec, std::move(waiting)); !started) {
    return Obstacle{"CreateContainerError", "Failed", std::move(started).error()};
  }
  told.image = std::move(spec.image_told);
  told.warnings = std::move(spec.warnings);
  return std::nullopt;
}

/// Control groups are made last: nothing else can keep the run from starting.
Result<> ProcessRuntime::confine(const Json& pod, const Json& container, int number,
                                 RunSpec& spec) {
  const std::string name(string_at(container, "name"));
  ContainerLimits limits = limits_of(container, parts_.machine);
  limits.shares_cpu = shares_cpu(pod);
  TRY(spec.confinement, parts_.cgroups.prepare(facts_.uid, name, number, limits));
  if (!parts_.cgroups.available()) {
    if (limits.cpu_milli || limits.memory_bytes) {
      spec.warnings.push_back(parts_.cgroups.why_not());
    }
    return Ok();
  }
  // It may see its limits, but not lift them.
  Mount groups;
  groups.source = groups.target = "/sys/fs/cgroup";
  groups.read_only = true;
  spec.mounts.push_back(std::move(groups));
  return Ok();
}

bool ProcessRuntime::stop(const std::string& container, int number, std::int64_t grace_seconds) {
  return run_of(container, number).stop(grace_seconds);
}

void ProcessRuntime::forget_runs(const std::string& container, int number, int kept) {
  for (auto& run : old_runs(parts_.paths.container(facts_.uid, container), number, kept)) {
    parts_.remover.remove_later(std::move(run));
  }
}

std::optional<std::filesystem::path> ProcessRuntime::folder(const std::string& container,
                                                            int number) const {
  return run_of(container, number).folder();
}

awaitable<Result<>> ProcessRuntime::free_space() {
  Result<> freed = co_await parts_.remover.remove(parts_.paths.pod_volumes(facts_.uid));
  for (const std::string& container : containers_) {
    const auto folder = parts_.paths.container(facts_.uid, container);
    for (const char* part : {"overlay", "tmp"}) {
      Result<> removed = co_await parts_.remover.remove(folder / part);
      if (!removed && freed) freed = std::move(removed);
    }
  }
  co_return freed;
}

awaitable<Result<>> ProcessRuntime::remove() {
  parts_.archive.keep(facts_.uid);
  co_return co_await parts_.remover.remove(parts_.paths.pod(facts_.uid));
}

std::unique_ptr<PodRuntime> make_process_runtime(NodeParts& parts, const PodFacts& facts,
                                                 PodRuntime::OnNews on_news) {
  return std::make_unique<ProcessRuntime>(parts, facts, std::move(on_news));
}

}  // namespace trainyard::node
