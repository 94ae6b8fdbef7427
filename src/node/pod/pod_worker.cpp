#include "node/pod/pod_worker.h"

#include "base/alarms.h"
#include "base/clock.h"
#include "base/crash_record.h"
#include "base/crypto/ids.h"
#include "base/log.h"
#include "base/turnstile.h"
#include "client/api.h"
#include "client/reporting/background_events.h"
#include "node/config.h"
#include "node/limits/cgroups.h"
#include "node/network/hosts.h"
#include "node/network/network.h"
#include "node/pod/pod_conditions.h"
#include "object/values/status.h"

#include <algorithm>

namespace trainyard::node {
namespace {

constexpr const char* kSetAside =
    "The server has crashed twice while it looked after this pod, and leaves it alone. Its log "
    "says "
    "more: please report it. What runs of the pod goes on; delete it to be rid of it.";

using namespace std::chrono_literals;

PodFacts facts_of(const Json& pod, const NodeConfig& config) {
  PodFacts facts;
  facts.name = name_of(pod);
  facts.ns = namespace_of(pod);
  facts.uid = uid_of(pod);
  facts.alone = has_private_network(pod);
  facts.host_ip = node_named(config.nodes, string_at(pod, "spec.nodeName")).address;
  return facts;
}

}  // namespace

PodWorker::PodWorker(NodeParts& parts, ObjectPtr pod)
    : parts_(parts),
      pod_(std::move(pod)),
      key_(key_of(pod_->body())),
      facts_(facts_of(pod_->body(), parts.config)),
      runtime_(parts.make_runtime(parts, facts_, [this] { notify(); })),
      containers_(parts, *runtime_, [this] { notify(); }),
      changed_(parts.loop) {}

void PodWorker::notify() {
  news_ = true;
  changed_.notify_all();
}

void PodWorker::update(ObjectPtr pod) {
  pod_ = std::move(pod);
  forget_written();
  containers_.forget_hindrances();
  notify();
}

void PodWorker::look_again() {
  if (containers_.forget_hindrances()) notify();
}

void PodWorker::on_config(const std::string& name) {
  if (runtime_->shows(name)) notify();
  look_again();
}

void PodWorker::set_gone() {
  gone_ = true;
  notify();
}

void PodWorker::end_containers() {
  ending_ = true;
  notify();
}

awaitable<void> PodWorker::wait_ended() {
  while (!over_) co_await changed_.wait();
}

std::int64_t PodWorker::grace() const {
  if (gone_) return 0;
  const Json& pod = pod_->body();
  return int_at(pod, "metadata.deletionGracePeriodSeconds",
                int_at(pod, "spec.terminationGracePeriodSeconds", 30));
}

/// Of the whole pod's grace period, for what is stopped after the others.
std::int64_t PodWorker::grace_left() const {
  constexpr std::int64_t kLeast = 2;
  if (!ending_since_) return grace();
  const auto gone =
      std::chrono::duration_cast<std::chrono::seconds>(parts_.clock.now() - *ending_since_);
  return std::min(grace(), std::max(grace() - gone.count(), kLeast));
}

awaitable<void> PodWorker::run() {
  over_ = has_ended(pod_->body());
  if (!over_) begin();
  while (true) {
    co_await parts_.turnstile.pass();
    news_ = false;
    wake_.reset();
    const bool goes = gone_ || is_being_deleted(pod_->body());
    if (!goes && crash_record::is_set_aside(work_on())) {
      parts_.events.warning(pod_, "SetAside", kSetAside);
    } else if (!over_) {
      co_await prepare_files();
      co_await advance();
      co_await report();
      if (const auto next = runtime_->next_look()) wake_ = std::min(wake_.value_or(*next), *next);
      if (over_) (void)parts_.cgroups.remove_pod(facts_.uid);  // before what takes its time
      if (over_ && !gone_ && !is_being_deleted(pod_->body())) {
        tell_left_behind(co_await runtime_->free_space());
      }
    }
    if (over_) {
      release_address();
      if (gone_) break;
      // One that the kernel keeps for a moment goes with the pod.
      (void)parts_.cgroups.remove_pod(facts_.uid);
      if (is_being_deleted(pod_->body())) co_await remove_object();
    }
    co_await wait_for_news();
  }
  co_await stop();
  co_await remove_cgroups();
  tell_left_behind(co_await runtime_->remove());
}

awaitable<void> PodWorker::stop() {
  return containers_.stop_probes();
}

std::string PodWorker::work_on() const {
  return fmt::format("run pod {} {}", key_, facts_.uid);
}

void PodWorker::begin() {
  if (const PodPlace* place = parts_.network.find_pod(facts_.uid)) facts_.pod_ip = place->ip;
  runtime_->begin(pod_);
  containers_.adopt(pod_, facts_);
}

/// What the containers see of ConfigMaps, Secrets and tokens, also while they run.
awaitable<void> PodWorker::prepare_files() {
  if (gone_ || ending_ || is_being_deleted(pod_->body())) co_return;
  if (co_await runtime_->refresh_files(pod_)) containers_.forget_hindrances();
}

/// Looks, plans and acts until there is nothing more to do at once.
/// One look at all containers. A crash in there names the pod.
bool PodWorker::take_step() {
  const std::string work = work_on();
  const WorkingOn here(work);
  containers_.view().must_end = gone_ || ending_ || is_being_deleted(pod_->body());
  if (containers_.view().must_end && !ending_since_) ending_since_ = parts_.clock.now();
  plan_ = plan_pod(containers_.view(), parts_.clock.wall());
  return containers_.carry_out(plan_, pod_, grace(), grace_left());
}

awaitable<void> PodWorker::advance() {
  containers_.look(pod_);
  // A container that was started may have let the next one start; one round each is plenty.
  for (std::size_t i = 0; i <= containers_.view().containers.size(); ++i) {
    if (i > 0) co_await parts_.turnstile.pass();
    if (!take_step()) break;
  }
  if (plan_.deadline_passed && !std::exchange(told_deadline_, true)) {
    parts_.events.warning(pod_, "DeadlineExceeded",
                          "Pod was active on the node longer than the specified deadline");
  }
  if (plan_.look_again) wake_ = parts_.clock.now() + (*plan_.look_again - parts_.clock.wall());
}

awaitable<void> PodWorker::report() {
  if (gone_) co_return set_over(plan_.over);
  const TimePoint settled = containers_.last_start() + runtime_->settle_time();
  const bool unsettled = parts_.clock.now() < settled && !containers_.is_hindered();
  if (unsettled && !plan_.over) {
    wake_ = std::min(wake_.value_or(settled), settled);
    co_return;
  }
  const Json before = known_status(written_, pod_->body());
  Json status = make_pod_status(containers_.view(), plan_, facts_, before,
                                array_at(pod_->body(), "spec.readinessGates"), parts_.clock.wall());
  const bool over = plan_.over;
  const std::uint64_t hash = fnv1a(to_text(status));
  if (hash != written_hash_ && !co_await write_status(std::move(status), hash)) co_return;
  set_over(over);
}

void PodWorker::set_over(bool over) {
  over_ = over;
  if (over_) changed_.notify_all();  // for wait_ended()
}

/// The stored pod may lag behind what was written; from when it does not, it is the one to ask.
void PodWorker::forget_written() {
  if (pod_->revision() >= written_revision_) written_ = nullptr;
}

awaitable<bool> PodWorker::write_status(Json status, std::uint64_t hash) {
  Json patch{{"metadata", {{"uid", facts_.uid}}}, {"status", status_patch(status)}};
  auto patched = co_await parts_.api.patch(kPods, key_, client::PatchType::kStrategic,
                                           std::move(patch), "status");
  written_ = std::move(status);
  written_hash_ = hash;
  if (patched) {
    written_revision_ = (*patched)->revision();
    forget_written();
  }
  // Gone, or another pod of that name: the informer will tell.
  if (patched || patched.failed_with(Code::kNotFound) || patched.failed_with(Code::kConflict)) {
    co_return true;
  }
  log_warn("pod status not written", {{"pod", key_}, {"cause", patched.error().message()}});
  written_ = nullptr;
  written_hash_ = 0;
  wake_ = parts_.clock.now() + 1s;
  co_return false;
}

awaitable<void> PodWorker::remove_object() {
  client::DeleteOptions now;
  now.grace_seconds = 0;
  now.uid = facts_.uid;
  auto removed = co_await parts_.api.remove(kPods, key_, std::move(now));
  if (removed) co_return;
  if (removed.failed_with(Code::kNotFound) || removed.failed_with(Code::kConflict)) {
    set_gone();
    co_return;
  }
  log_warn("pod not removed, trying again", {{"pod", key_}, {"cause", removed.error().message()}});
  wake_ = parts_.clock.now() + 1s;
}

awaitable<void> PodWorker::wait_for_news() {
  while (!news_ && (!wake_ || parts_.clock.now() < *wake_)) {
    const Alarms::Alarm alarm =
        wake_ ? parts_.alarms.set(*wake_, [this] { changed_.notify_all(); }) : Alarms::Alarm();
    co_await changed_.wait();
  }
}

/// The kernel may take a moment to see that the last process is gone.
awaitable<void> PodWorker::remove_cgroups() {
  constexpr int kTries = 50;
  Result<> removed = parts_.cgroups.remove_pod(facts_.uid);
  for (int i = 1; !removed && i < kTries; ++i) {
    co_await parts_.clock.sleep_for(100ms);
    removed = parts_.cgroups.remove_pod(facts_.uid);
  }
  if (removed) co_return;
  log_warn("control group not removed", {{"pod", key_}, {"cause", removed.error().message()}});
}

void PodWorker::release_address() {
  parts_.network.remove_pod(facts_.uid);
  parts_.hosts.remove(facts_.uid);
}

void PodWorker::tell_left_behind(const Result<>& removed) const {
  if (removed) return;
  log_warn("files of a pod not removed", {{"pod", key_}, {"cause", removed.error().message()}});
}

}  // namespace trainyard::node
