#include "jobs/hooks/job_hooks.h"

#include "base/log.h"
#include "jobs/hooks/end_notice.h"

#include <fmt/format.h>

namespace trainyard::jobs {
namespace {

constexpr int kWorkers = 8;  // one slow webhook must not hold up the others

std::string annotation(const Json& job, const char* name) {
  const Json* all = find(job, "metadata.annotations");
  const auto* object = all == nullptr ? nullptr : all->if_object();
  const Json* value = object == nullptr ? nullptr : object->if_contains(name);
  return value != nullptr && value->is_string() ? std::string(value->get_string()) : "";
}

}  // namespace

JobHooks::JobHooks(Executor loop, client::Api& api, Clock& clock, HookOptions options)
    : loop_(loop),
      api_(api),
      clock_(clock),
      options_(std::move(options)),
      events_(api, clock, "job-hooks"),
      added_(loop),
      tasks_(loop) {}

void JobHooks::start() {
  for (int i = 0; i < kWorkers; ++i) tasks_.spawn("job hooks", work());
}

awaitable<void> JobHooks::stop() {
  return tasks_.stop();
}

/// A job's own address that is none is told at once: at its end it would be too late.
std::vector<WebhookTarget> JobHooks::targets_of(const ObjectPtr& job) {
  const std::string own = annotation(job->body(), kWebhookAnnotation);
  if (own.empty()) return {};
  const auto target = parse_webhook(own);
  if (target) return {*target};
  if (bad_.insert(std::string(uid_of(job->body()))).second) {
    tasks_.spawn_contained("event",
                           events_.warning(job, "WebhookRefused",
                                           fmt::format("annotation {}: {}", kWebhookAnnotation,
                                                       target.error().message())));
  }
  return {};
}

bool JobHooks::is_news(const Json& job) const {
  if (options_.webhooks.empty() && options_.command.empty()) return false;
  const auto ended = end_time(job);
  return !ended || *ended >= options_.since;
}

void JobHooks::look(const Resource& resource, const ObjectPtr& job, bool deleted) {
  const Json& body = job->body();
  const std::string uid(uid_of(body));
  std::vector<WebhookTarget> webhooks = targets_of(job);
  const bool everybodys = is_news(body);
  const bool wanted = everybodys || !webhooks.empty();
  if (wanted && !end_of(body).empty() && annotation(body, kToldAnnotation).empty() &&
      known_.insert(uid).second) {
    if (everybodys) {
      webhooks.insert(webhooks.end(), options_.webhooks.begin(), options_.webhooks.end());
    }
    enqueue(Notice{resource, Kept(job), std::move(webhooks)});
  }
  if (!deleted) return;
  known_.erase(uid);
  bad_.erase(uid);
}

void JobHooks::enqueue(Notice notice) {
  if (waiting_.size() >= kMostWaiting) {
    log_warn("job's end not told: too many wait",
             {{"job", std::string(name_of(notice.job->body()))}});
    return;
  }
  waiting_.push_back(std::move(notice));
  added_.notify_all();
}

awaitable<void> JobHooks::work() {
  while (true) {
    while (waiting_.empty()) co_await added_.wait();
    Notice notice = std::move(waiting_.front());
    waiting_.pop_front();
    (void)co_await run_contained("telling of a job's end", tell(std::move(notice)));
  }
}

awaitable<void> JobHooks::tell(Notice notice) {
  const ObjectPtr job = notice.job.get();
  const Json told = end_notice(job->body());
  for (const WebhookTarget& target : notice.webhooks) {
    auto outcome = co_await post_notice(loop_, clock_, options_.limits, target, told);
    co_await note_outcome(job, target.origin, std::move(outcome));
  }
  if (!options_.command.empty() && is_news(job->body())) {
    auto outcome =
        co_await run_hook_command(clock_, options_.limits, options_.command, options_.log, told);
    co_await note_outcome(job, "the command of --on-job-end", std::move(outcome));
  }
  co_await note_told(notice.resource, job);
}

awaitable<void> JobHooks::note_outcome(ObjectPtr job, std::string whom, Result<> outcome) {
  if (outcome) {
    co_await events_.normal(job, "EndTold", fmt::format("told {} that it has ended", whom));
    co_return;
  }
  log_warn("job's end not told",
           {{"job", key_of(job->body()).name}, {"cause", outcome.error().message()}});
  co_await events_.warning(
      job, "EndNotTold",
      fmt::format("{} could not be told that it has ended: {}", whom, outcome.error().message()));
}

/// A job that is deleted needs no note.
awaitable<void> JobHooks::note_told(Resource resource, ObjectPtr job) {
  Json patch{{"metadata",
              {{"uid", uid_of(job->body())},
               {"annotations", {{kToldAnnotation, format_time(clock_.wall())}}}}}};
  const auto noted = co_await api_.patch(std::move(resource), key_of(job->body()),
                                         client::PatchType::kMerge, std::move(patch), "");
  if (!noted && !noted.failed_with(Code::kNotFound) && !noted.failed_with(Code::kConflict)) {
    log_warn("a job's end may be told again", {{"cause", noted.error().message()}});
  }
}

}  // namespace trainyard::jobs
