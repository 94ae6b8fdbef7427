#include "jobs/explain.h"

#include "jobs/engine/form/status.h"
#include "jobs/engine/plan/restart.h"
#include "jobs/engine/world/rehearsal.h"
#include "object/values/status.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>

namespace trainyard::jobs {
namespace {

/// Something that happens to one replica or to the job.
struct Event {
  std::string name;
  std::string pod;  // TYPE-INDEX of whom it happens to; empty: to the job
  std::function<void(Rehearsal&)> happen;
};

std::int64_t restarts_of(const Json& status) {
  if (const Json* count = find(status, "backoffCount")) return count->to_number<std::int64_t>();
  std::int64_t sum = 0;
  for (const Json& task : array_at(status, "tasks")) sum += int_at(task, "restartCount");
  return sum;
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

std::string short_name(const Json& pod) {
  return fmt::format("{}-{}", label_of(pod, "replica-type"), label_of(pod, "replica-index"));
}

/// What is left of the job's pods when it is over.
std::string after_the_end(const Rehearsal& after, const Outcome& outcome) {
  std::size_t running = 0;
  for (const auto& [name, pod] : after.pods()) running += has_ended(pod) ? 0 : 1;
  if (after.pods().empty()) return "all pods are deleted, and with them their logs";
  if (running > 0) {
    return fmt::format("{} that still run{} are left alone ({})", running, running == 1 ? "s" : "",
                       after.kind().why_kept());
  }
  if (!outcome.stopped.empty()) return fmt::format("stopped: {}", joined(outcome.stopped));
  return "the pods are kept";
}

std::string in_words(const Event& event, const Rehearsal& after, const Outcome& outcome) {
  if (is_final(outcome.phase)) {
    return fmt::format("the job is {}; {}", outcome.phase, after_the_end(after, outcome));
  }
  if (outcome.phase == "Paused") {
    return fmt::format("the job is Paused; stopped: {}; nothing is counted, and the deadline's {}",
                       joined(outcome.stopped),
                       after.form().limits.pause_resets_clock ? "clock begins anew when it goes on"
                                                              : "clock stands still");
  }
  const std::string counted = outcome.restarts == 0
                                  ? "not counted as a restart"
                                  : fmt::format("counts as {} restart{}", outcome.restarts,
                                                outcome.restarts == 1 ? "" : "s");
  if (outcome.replaced.size() > 1) {
    return fmt::format("all {} pods are started anew together, once the old ones are gone; {}",
                       outcome.replaced.size(), counted);
  }
  if (!outcome.replaced.empty()) {
    return fmt::format("{} is replaced{}; {}", outcome.replaced.front(),
                       after.pods().size() > 1 ? ", and the others go on" : "", counted);
  }
  if (!outcome.again.empty()) {
    const auto limit = after.form().limits.in_place;
    return fmt::format("{} stays, and its node starts the container again{}", outcome.again.front(),
                       limit ? fmt::format("; the job fails at restart {}", *limit)
                             : "; there is no limit to that");
  }
  const Json status = after.status();
  const bool failing = condition_is(status, "ReplicaFailure", true);
  return fmt::format("{} is not replaced; the job goes on{}", event.pod,
                     failing ? " with the condition ReplicaFailure" : "");
}

Outcome rehearse(const JobKind& kind, const Json& job, const Event& event) {
  Rehearsal world(kind, job);
  std::map<std::string, Json> before = world.pods();
  const std::int64_t restarts = restarts_of(world.status());
  event.happen(world);
  world.settle();
  Outcome outcome;
  outcome.event = event.name;
  const Json status = world.status();
  outcome.phase = string_at(status, "phase");
  outcome.restarts = restarts_of(status) - restarts;
  for (const auto& [name, pod] : before) {
    const auto now = world.pods().find(name);
    if (now == world.pods().end()) {
      outcome.stopped.push_back(short_name(pod));
    } else if (uid_of(now->second) != uid_of(pod)) {
      outcome.replaced.push_back(short_name(pod));
    } else if (now->second.as_object().at("status") != pod.as_object().at("status") &&
               !has_ended(now->second)) {
      outcome.again.push_back(short_name(pod));
    }
  }
  outcome.then = in_words(event, world, outcome);
  return outcome;
}

/// The same job when its restarts are used up.
Json without_restarts(const JobForm& form, Json job) {
  if (form.limits.backoff) make_path(job, "spec.runPolicy.backoffLimit") = 0;
  Json* specs = find(job, "spec.replicaSpecs");
  if (form.limits.backoff || specs == nullptr) return job;
  for (Json& spec : specs->get_array()) make_path(spec, "restartPolicy.limit") = 0;
  return job;
}

std::vector<Event> events_of_replica(const Rehearsal& world, const Replica& replica,
                                     const std::string& who) {
  const std::string pod = world.pod_name(replica);
  const std::string short_pod =
      fmt::format("{}-{}", world.form().groups[replica.group].type, replica.index);
  const auto ends = [&](const char* how, std::int64_t code, const char* reason) {
    return Event{fmt::format("{} {}", who, how), short_pod,
                 [pod, code, reason](Rehearsal& job) { job.end_pod(pod, code, reason); }};
  };
  return {ends("exits with 0", 0, "Completed"),
          ends("exits with an error (code 1)", 1, "Error"),
          ends("is killed (SIGKILL, code 137)", 137, "Error"),
          ends("runs out of memory (OOM, code 137)", 137, "OOMKilled"),
          ends("asks for a restart (code 138)", 138, "Error"),
          Event{fmt::format("{} is lost with its node", who), short_pod,
                [pod](Rehearsal& job) { job.lose_pod(pod); }}};
}

std::vector<Event> events_of_job(const Rehearsal& world) {
  std::vector<Event> events;
  if (const auto deadline = world.form().limits.deadline) {
    events.push_back({fmt::format("the deadline passes ({} s)", deadline->count()), "",
                      [span = *deadline](Rehearsal& job) { job.pass_time(span); }});
  }
  events.push_back({"the job is paused", "", [](Rehearsal& job) { job.set_paused(true); }});
  return events;
}

/// The replicas that stand for all: rank 0, and one other of each group.
std::vector<std::pair<Replica, std::string>> examples_of(const JobForm& form) {
  std::vector<std::pair<Replica, std::string>> found;
  std::vector<bool> covered(form.groups.size(), false);
  for (const Replica& replica : replicas_of(form)) {
    const std::string& type = form.groups[replica.group].type;
    if (replica.rank == 0 && form.ends.has_master) {
      found.emplace_back(replica, fmt::format("the master ({}-{})", type, replica.index));
    } else if (!covered[replica.group]) {
      covered[replica.group] = true;
      found.emplace_back(replica, form.ends.has_master && replica.group == form.first_group
                                      ? fmt::format("another {}", type)
                                      : fmt::format("a {}", type));
    }
  }
  return found;
}

}  // namespace

std::string why_not_explainable(const JobKind& kind, const Json& job) {
  const std::vector<ReplicaSpec> specs = kind.replica_specs(job);
  if (specs.empty()) {
    return fmt::format("{}: Required value: a job needs at least one group", kind.specs_field());
  }
  for (const ReplicaSpec& group : specs) {
    const JsonArray& containers = array_at(*group.spec, "template.spec.containers");
    const bool good = std::all_of(containers.begin(), containers.end(),
                                  [](const Json& one) { return one.is_object(); });
    if (containers.empty() || !good) {
      return group.path +
             ".template.spec.containers: Required value: must have at least one container";
    }
  }
  const std::int64_t total = kind.read(job).total_replicas();
  constexpr std::int64_t kMost = 9999;
  if (total < 1 || total > kMost) {
    return fmt::format("{}: Invalid value: {}: a job has 1 to 9999 replicas", kind.specs_field(),
                       total);
  }
  return {};
}

std::vector<Outcome> explain_job(const JobKind& kind, const Json& written) {
  Json job = written;
  // What would happen if it were not held.
  if (Json* pause = find(job, kind.pause_field())) *pause = false;
  const Rehearsal world(kind, job);
  const Json spent = without_restarts(world.form(), job);
  std::vector<Outcome> outcomes;
  for (const auto& [replica, who] : examples_of(world.form())) {
    for (const Event& event : events_of_replica(world, replica, who)) {
      outcomes.push_back(rehearse(kind, job, event));
      Outcome last = rehearse(kind, spent, event);
      if (last.then == outcomes.back().then) continue;
      last.event += ", with no restart left";
      outcomes.push_back(std::move(last));
    }
  }
  for (const Event& event : events_of_job(world)) outcomes.push_back(rehearse(kind, job, event));
  return outcomes;
}

Json to_json(const Outcome& outcome) {
  const auto list = [](const std::vector<std::string>& words) {
    JsonArray array;
    for (const std::string& word : words) array.emplace_back(word);
    return array;
  };
  return {{"event", outcome.event},           {"then", outcome.then},
          {"jobPhase", outcome.phase},        {"replaced", list(outcome.replaced)},
          {"stopped", list(outcome.stopped)}, {"restartsCounted", outcome.restarts}};
}

}  // namespace trainyard::jobs
