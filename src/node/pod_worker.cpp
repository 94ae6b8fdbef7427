#include "node/pod_worker.h"

#include "base/files.h"
#include "base/log.h"
#include "node/environment.h"
#include "node/mounts.h"

#include <boost/asio/experimental/awaitable_operators.hpp>
#include <fmt/format.h>

#include <algorithm>

namespace trainyard::node {

using namespace std::chrono_literals;

namespace {

std::chrono::seconds restart_pause(int restarts) {
  return std::min<std::chrono::seconds>(10s * (1 << std::min(restarts, 5)), 300s);
}

}  // namespace

PodWorker::PodWorker(NodeParts& parts, ObjectPtr pod)
    : parts_(parts),
      pod_(std::move(pod)),
      uid_(uid_of(pod_->body())),
      key_(key_of(pod_->body())),
      changed_(parts.loop),
      tasks_(parts.loop) {
  for (const char* list : {"initContainers", "containers"}) {
    for (const Json& spec : array_at(pod_->body(), std::string("spec.") + list)) {
      auto container = std::make_unique<Container>();
      container->spec = spec;
      container->init = std::string_view(list) == "initContainers";
      container->view.name = string_at(spec, "name");
      container->view.image = string_at(spec, "image");
      container->view.init = container->init;
      containers_.push_back(std::move(container));
    }
  }
}

PodWorker::~PodWorker() = default;

void PodWorker::notify() {
  dirty_ = true;
  changed_.notify_all();
}

void PodWorker::notify_from_outside() {
  ++outside_changes_;
  notify();
}

void PodWorker::update(ObjectPtr pod) {
  pod_ = std::move(pod);
  notify_from_outside();
}

void PodWorker::set_gone() {
  gone_ = true;
  notify_from_outside();
}

void PodWorker::look_again() {
  notify_from_outside();
}

void PodWorker::end_containers() {
  ending_ = true;
  notify_from_outside();
}

awaitable<void> PodWorker::wait_ended() {
  while (!all_done()) co_await changed_.wait();
  co_await write_status();
}

bool PodWorker::must_stop() const {
  return gone_ || ending_ || is_being_deleted(pod_->body());
}

std::int64_t PodWorker::grace() const {
  if (gone_) return 0;
  const Json& pod = pod_->body();
  return int_at(pod, "metadata.deletionGracePeriodSeconds",
                int_at(pod, "spec.terminationGracePeriodSeconds", 30));
}

bool PodWorker::all_done() const {
  return std::all_of(containers_.begin(), containers_.end(),
                     [](const auto& container) { return container->done; });
}

std::unique_ptr<ContainerRun> PodWorker::make_run(const std::string& container, int number) const {
  return std::make_unique<ContainerRun>(
      parts_.loop, parts_.clock, parts_.paths.run(uid_, container, number), parts_.config.shim);
}

awaitable<void> PodWorker::run() {
  const std::string_view phase = string_at(pod_->body(), "status.phase");
  const bool ended = phase == "Succeeded" || phase == "Failed";
  if (ended) {
    for (const auto& container : containers_) container->done = true;
  } else {
    auto ip = parts_.hosts.add(pod_->body());
    if (ip) {
      ip_ = *std::move(ip);
    } else {
      log_error("pod not prepared", {{"pod", key_}, {"cause", ip.error().message()}});
    }
    for (const auto& container : containers_) find_last_run(*container);
    tasks_.spawn("containers of " + key_.name, run_containers());
  }
  while (true) {
    dirty_ = false;
    if (must_stop()) stop_containers();
    if (!ended && !gone_) co_await write_status();
    if (all_done()) {
      if (gone_) break;
      parts_.hosts.remove(uid_);
      if (is_being_deleted(pod_->body())) {
        client::DeleteOptions now;
        now.grace_seconds = 0;
        now.uid = uid_;
        auto removed = co_await parts_.api.remove(kPods, key_, std::move(now));
        if (removed.failed_with(Code::kNotFound)) gone_ = true;
        if (gone_) continue;
        if (!removed) {
          log_warn("pod not removed, trying again",
                   {{"pod", key_}, {"cause", removed.error().message()}});
          co_await parts_.clock.sleep_for(1s);
          continue;
        }
      }
    }
    while (!dirty_) co_await changed_.wait();
  }
  co_await tasks_.stop();
  parts_.hosts.remove(uid_);
  if (auto removed = remove_folder(parts_.paths.pod(uid_)); !removed) {
    log_warn("pod folder not removed", {{"pod", key_}, {"cause", removed.error().message()}});
  }
}

/// What an earlier server has left running, so that the first report already tells of it.
void PodWorker::find_last_run(Container& container) {
  container.view.restarts = last_run(parts_.paths.container(uid_, container.view.name));
  container.run = make_run(container.view.name, container.view.restarts);
  container.view.state = container.run->state();
  container.view.will_run_again =
      container.view.state.phase == RunState::Phase::kEnded && runs_again(container);
}

awaitable<void> PodWorker::run_containers() {
  for (const auto& container : containers_) {
    if (!container->init) continue;
    co_await supervise(*container);
    if (container->view.state.exit_code != 0 || must_stop()) {
      // What comes after a failed init container never runs.
      for (const auto& later : containers_) later->done = true;
      notify();
      co_return;
    }
  }
  for (const auto& container : containers_) {
    if (!container->init) {
      tasks_.spawn(key_.name + "/" + container->view.name, supervise(*container));
    }
  }
}

void PodWorker::refresh(Container& container) {
  container.view.state = container.run->state();
  // A stop that came before the shim could be reached is made good here.
  if (must_stop()) stop_container(container);
  notify();
}

bool PodWorker::runs_again(const Container& container) const {
  if (must_stop()) return false;
  const bool failed = container.view.state.exit_code != 0;
  const std::string_view policy = string_at(pod_->body(), "spec.restartPolicy", "Always");
  if (container.init) return failed && policy != "Never";
  return policy == "Always" || (policy == "OnFailure" && failed);
}

awaitable<void> PodWorker::supervise(Container& container) {
  const std::string name = container.view.name;
  while (true) {
    container.run = make_run(name, container.view.restarts);
    if (container.run->state().phase == RunState::Phase::kAbsent && !co_await start(container)) {
      break;
    }
    co_await container.run->follow([this, &container] { refresh(container); });
    if (container.view.state.phase == RunState::Phase::kAbsent) {
      container.view.state.phase = RunState::Phase::kEnded;
      container.view.state.exit_code = 128;
      container.view.state.reason = "StartError";
      container.view.state.message = "the container's supervisor did not start";
    }
    container.view.will_run_again = runs_again(container);
    if (!container.view.will_run_again) break;
    notify();
    co_await wait_or_stop(restart_pause(container.view.restarts));
    if (must_stop()) break;
    ++container.view.restarts;
    container.view.state = RunState();
    container.view.will_run_again = false;
    container.view.waiting_reason.clear();
    container.view.waiting_message.clear();
  }
  container.view.will_run_again = false;
  container.done = true;
  notify();
}

void PodWorker::set_waiting(Container& container, const Error& cause) {
  container.view.waiting_reason =
      cause.code() == Code::kNotFound ? "ContainerCreating" : "CreateContainerError";
  container.view.waiting_message = cause.message();
}

/// Starts the container; waits while something that it needs is not there. False: the pod is being
/// deleted meanwhile.
awaitable<bool> PodWorker::start(Container& container) {
  while (!must_stop()) {
    const std::uint64_t seen = outside_changes_;
    Result<RunSpec> spec = make_spec(container);
    Result<> started = spec ? container.run->start(*spec) : Result<>(spec.error());
    if (started) co_return true;
    if (container.view.waiting_message != started.error().message()) {
      set_waiting(container, started.error());
      const bool missing = started.failed_with(Code::kNotFound);
      co_await parts_.events.warning(pod_, missing ? "FailedMount" : "Failed",
                                     started.error().message());
      notify();
    }
    // Counted, since a change may have come while the event was written. Only those from outside:
    // two waiting containers would wake each other for ever.
    if (started.failed_with(Code::kNotFound) || started.failed_with(Code::kInvalid)) {
      while (outside_changes_ == seen) co_await changed_.wait();
    } else {
      co_await wait_or_stop(5s);  // a full disk, too many processes: that may pass
    }
  }
  co_return false;
}

Result<RunSpec> PodWorker::make_spec(const Container& container) const {
  const Json& pod = pod_->body();
  RunSpec spec;
  TRY(spec.environment, make_environment(pod, container.spec, parts_.config));
  TRY(spec.command, make_command(container.spec, spec.environment));
  const auto find_claim = [this](const std::string& claim) {
    return parts_.claims.find(key_.ns, claim);
  };
  TRY(spec.mounts, plan_mounts(pod, container.spec, parts_.paths, find_claim));
  spec.working_dir = string_at(container.spec, "workingDir", "/");
  spec.hostname = string_at(pod, "spec.hostname", name_of(pod)).substr(0, 63);
  spec.masks.push_back(parts_.paths.data_dir());
  spec.overlay = parts_.paths.container(uid_, container.view.name) / "overlay";
  spec.grace_seconds = int_at(pod, "spec.terminationGracePeriodSeconds", 30);
  return spec;
}

void PodWorker::stop_containers() {
  for (const auto& container : containers_) {
    if (container->run && !container->done) stop_container(*container);
  }
}

/// Tells a container's shim once, and again only to hurry.
void PodWorker::stop_container(Container& container) const {
  const std::int64_t seconds = grace();
  const bool told = container.signalled_grace >= 0 && seconds >= container.signalled_grace;
  if (told || container.view.state.phase == RunState::Phase::kEnded) return;
  if (container.run->stop(seconds)) container.signalled_grace = seconds;
}

/// Sleeps, but not beyond the moment when the pod has to end.
awaitable<void> PodWorker::wait_or_stop(std::chrono::seconds span) {
  using namespace boost::asio::experimental::awaitable_operators;
  const TimePoint until = parts_.clock.now() + span;
  while (!must_stop() && parts_.clock.now() < until) {
    co_await (changed_.wait() || parts_.clock.sleep_until(until));
  }
}

awaitable<void> PodWorker::write_status() {
  std::vector<ContainerView> views;
  for (const auto& container : containers_) views.push_back(container->view);
  static const Json kNothing = JsonObject();
  const Json* before = find(pod_->body(), "status");
  Json status =
      make_pod_status(views, ip_, before == nullptr ? kNothing : *before, parts_.clock.wall());
  if (status == written_) co_return;
  written_ = status;
  Json patch{{"metadata", {{"uid", uid_}}}, {"status", std::move(status)}};
  auto patched =
      co_await parts_.api.patch(kPods, key_, client::PatchType::kMerge, std::move(patch), "status");
  if (!patched && !patched.failed_with(Code::kNotFound) && !patched.failed_with(Code::kConflict)) {
    log_warn("pod status not written", {{"pod", key_}, {"cause", patched.error().message()}});
    written_ = nullptr;
    co_await parts_.clock.sleep_for(1s);
    notify();
  }
}

}  // namespace trainyard::node
