#include "scheduler/teller.h"

#include "base/log.h"
#include "client/watching/parallel.h"
#include "object/values/status.h"

#include <fmt/format.h>

#include <algorithm>

namespace trainyard::scheduler {

using namespace std::chrono_literals;

namespace {

constexpr int kWorkers = 4;
constexpr std::size_t kAtOnce = 16;
constexpr std::size_t kMostMessages = 20'000;
/// Every gang is incomplete for a moment while its job makes it: no reason to say anything.
constexpr std::chrono::milliseconds kPatience = 2s;
/// Between two words on the same gang, and more where many pods have to be told.
constexpr std::chrono::milliseconds kPause = 5s;
constexpr std::chrono::milliseconds kPausePerPod = 10ms;

Key queue_key(const GangKey& gang) {
  return Key{gang.ns, (gang.alone ? "pod/" : "group/") + gang.name};
}

GangKey gang_key(const Key& key) {
  const std::size_t slash = key.name.find('/');
  return GangKey{key.ns, key.name.substr(slash + 1), key.name.substr(0, slash) == "pod"};
}

const char* reason_word(Waiting::Cause cause) {
  return cause == Waiting::Cause::kGated ? "SchedulingGated" : "Unschedulable";
}

/// The object's conditions with this one in the place of the one of its type.
JsonArray with_condition(const Json& object, Json condition) {
  JsonArray conditions;
  for (const Json& other : array_at(object, "status.conditions")) {
    if (string_at(other, "type") != string_at(condition, "type")) conditions.push_back(other);
  }
  conditions.push_back(std::move(condition));
  return conditions;
}

/// A patch of this very state of the object: whoever changed it in between wins.
Json patch_of(const Json& object, JsonObject status) {
  return {{"metadata",
           {{"uid", uid_of(object)},
            {"resourceVersion", string_at(object, "metadata.resourceVersion")}}},
          {"status", std::move(status)}};
}

bool same_words(const Waiting& a, const Waiting& b) {
  return a.cause == b.cause && a.pods == b.pods && a.summary == b.summary && a.advice == b.advice;
}

}  // namespace

Teller::Teller(Executor loop, client::Api& api, Clock& clock, const client::Informer& pods,
               const client::Informer& groups)
    : api_(api),
      clock_(clock),
      pods_(pods),
      groups_(groups),
      events_(api, clock, "default-scheduler"),
      controller_("scheduler's words", loop, clock, *this),
      more_messages_(loop),
      tasks_(loop) {}

void Teller::start() {
  controller_.start(kWorkers);
  for (int i = 0; i < kWorkers; ++i) tasks_.spawn("events of placements", write_messages());
}

awaitable<void> Teller::stop() {
  co_await tasks_.stop();
  co_await controller_.stop();
}

void Teller::set_waiting(std::vector<Waiting> waiting) {
  std::map<GangKey, Entry> before = std::move(waiting_);
  waiting_.clear();
  for (Waiting& one : waiting) {
    // Pods that gates hold back are told apart from the rest of their gang, but not of it.
    GangKey gang = one.gang;
    if (one.cause == Waiting::Cause::kGated && !gang.alone) gang.name += "/gated";
    const auto old = before.find(gang);
    Entry& entry = waiting_[gang];
    if (old != before.end()) entry = std::move(old->second);
    if (old != before.end() && same_words(entry.waiting, one)) continue;
    std::chrono::nanoseconds pause = 0ns;
    if (entry.told) {
      const auto between = kPause + kPausePerPod * std::ssize(one.pods);
      pause = std::max<std::chrono::nanoseconds>(0ns, entry.told_at + between - clock_.now());
    } else if (one.cause == Waiting::Cause::kIncomplete) {
      pause = kPatience;
    }
    entry.waiting = std::move(one);
    controller_.add_after(queue_key(gang), pause);
  }
}

void Teller::tell_placed(const Placed& placed) {
  for (const Placement& placement : placed.pods) {
    const auto pod = pods_.objects().find(placement.pod);
    if (pod == pods_.objects().end()) continue;
    if (messages_.size() >= kMostMessages) {
      log_warn("too many events of placements at once, some are not written");
      break;
    }
    messages_.push_back(Message{
        pod->second, fmt::format("Successfully assigned {} to {}", placement.pod, placement.node)});
  }
  more_messages_.notify_all();
  if (!placed.gang.alone) {
    placed_[placed.gang] += placed.pods.size();
    controller_.add(queue_key(placed.gang));
  }
}

awaitable<void> Teller::write_messages() {
  while (true) {
    if (messages_.empty()) {
      co_await more_messages_.wait();
      continue;
    }
    Message message = std::move(messages_.front());
    messages_.pop_front();
    (void)co_await run_contained(
        "an event", events_.normal(std::move(message.about), "Scheduled", std::move(message.text)));
  }
}

awaitable<Result<client::Requeue>> Teller::reconcile(Key key) {
  const GangKey gang = gang_key(key);
  if (const auto placed = placed_.find(gang); placed != placed_.end()) {
    const std::size_t pods = placed->second;
    Json condition{{"type", "Scheduled"},
                   {"status", "True"},
                   {"reason", "Scheduled"},
                   {"message", fmt::format("{} pods were placed together", pods)}};
    if (!waiting_.contains(gang)) {
      CO_TRY_OK(co_await tell_group(gang, std::move(condition), "Running"));
    }
    placed_.erase(gang);
  }
  CO_TRY_OK(co_await tell_waiting(gang));
  co_return client::Requeue();
}

awaitable<Result<>> Teller::tell_waiting(GangKey gang) {
  const auto found = waiting_.find(gang);
  if (found == waiting_.end()) co_return Ok();
  const Waiting waiting = found->second.waiting;
  const Waiting::Cause cause = waiting.cause;
  const std::string text = waiting.text();
  found->second.told = true;
  found->second.told_at = clock_.now();
  CO_TRY_OK(co_await client::run_parallel(
      waiting.pods.size(), kAtOnce,
      // One event for all of a gang: a thousand pods would say the same.
      [this, &waiting, cause, &text](std::size_t i) {
        const bool event = i == 0 && cause == Waiting::Cause::kUnschedulable;
        return tell_pod(waiting.pods[i], cause, text, event);
      }));
  if (waiting.cause == Waiting::Cause::kGated || gang.alone) co_return Ok();
  const bool incomplete = waiting.cause == Waiting::Cause::kIncomplete;
  Json condition{{"type", "Unschedulable"},
                 {"status", "True"},
                 {"reason", incomplete ? "NotEnoughTasks" : "NotEnoughResources"},
                 {"message", text}};
  co_return co_await tell_group(gang, std::move(condition), "Pending");
}

awaitable<Result<>> Teller::tell_pod(Key key, Waiting::Cause cause, std::string text,
                                     bool with_event) {
  const auto found = pods_.objects().find(key);
  if (found == pods_.objects().end()) co_return Ok();
  const ObjectPtr pod = found->second;
  const Json& body = pod->body();
  if (!string_at(body, "spec.nodeName").empty() || is_being_deleted(body)) co_return Ok();
  const Json* before = find_condition(body, "PodScheduled");
  if (before != nullptr && string_at(*before, "message") == text &&
      string_at(*before, "reason") == reason_word(cause)) {
    co_return Ok();
  }
  std::string since = format_time(clock_.wall());
  if (before != nullptr && string_at(*before, "status") == "False") {
    since = string_at(*before, "lastTransitionTime", since);
  }
  Json condition{{"type", "PodScheduled"},
                 {"status", "False"},
                 {"reason", reason_word(cause)},
                 {"message", text},
                 {"lastTransitionTime", since}};
  Json patch =
      patch_of(body, JsonObject{{"conditions", with_condition(body, std::move(condition))}});
  auto patched =
      co_await api_.patch(kPods, key, client::PatchType::kMerge, std::move(patch), "status");
  if (patched.failed_with(Code::kNotFound)) co_return Ok();
  if (!patched) co_return std::move(patched).error();
  if (with_event) co_await events_.warning(pod, "FailedScheduling", text);
  co_return Ok();
}

awaitable<Result<>> Teller::tell_group(GangKey gang, Json condition, std::string phase) {
  const Key key{gang.ns, gang.name};
  const auto found = groups_.objects().find(key);
  if (found == groups_.objects().end()) co_return Ok();
  const Json& body = found->second->body();
  const Json* before = find_condition(body, string_at(condition, "type"));
  if (before != nullptr && string_at(*before, "message") == string_at(condition, "message") &&
      string_at(body, "status.phase") == phase) {
    co_return Ok();
  }
  condition.get_object()["lastTransitionTime"] = format_time(clock_.wall());
  JsonArray conditions;
  conditions.push_back(std::move(condition));
  Json patch = patch_of(body, JsonObject{{"phase", phase}, {"conditions", std::move(conditions)}});
  auto patched =
      co_await api_.patch(kPodGroups, key, client::PatchType::kMerge, std::move(patch), "status");
  if (!patched && !patched.failed_with(Code::kNotFound)) co_return std::move(patched).error();
  co_return Ok();
}

}  // namespace trainyard::scheduler
