#include "base/words/text.h"
#include "jobs/engine/form/names.h"
#include "jobs/engine/plan/progress.h"
#include "object/values/status.h"

#include <numeric>

namespace trainyard::jobs {
namespace {

Json container_status(const Json& container) {
  JsonObject entry{{"name", string_at(container, "name")}};
  if (find(container, "state.terminated") != nullptr) {
    entry["state"] = "Terminated";
    entry["exitCode"] = int_at(container, "state.terminated.exitCode");
  } else {
    entry["state"] = find(container, "state.running") != nullptr ? "Running" : "Waiting";
  }
  return entry;
}

JsonArray container_statuses(const Json& pod) {
  JsonArray containers;
  for (const Json& container : array_at(pod, "status.initContainerStatuses")) {
    // Of those that only prepare, nobody wants to hear unless they failed.
    if (int_at(container, "state.terminated.exitCode") != 0) {
      containers.push_back(container_status(container));
    }
  }
  for (const Json& container : array_at(pod, "status.containerStatuses")) {
    containers.push_back(container_status(container));
  }
  return containers;
}

/// Of a replica without a pod: the last pod's uid and, where no other will come, how it ended.
Json status_of_gone(const Draft& draft, const Observed& one) {
  const bool finished = is_final(string_at(draft.status, "phase"));
  JsonObject entry{{"name", one.name}, {"phase", finished ? "Deleted" : word_for(one.phase)}};
  const Json* memory = remembered(draft.before, one.name);
  if (memory == nullptr) return entry;
  const Json* uid = find(*memory, "uid");
  if (uid != nullptr) entry["uid"] = *uid;
  if (draft.form.paused && uid != nullptr && one.phase == PodPhase::kCreating)
    entry["phase"] = "Deleted";
  entry["restarts"] = one.restarts;
  const Json* containers = find(*memory, "containers");
  if (!one.has_ended() || one.succeeds || entry["phase"] == "Creating") return entry;
  entry["endedAs"] = word_for(phase_of(one.ended_as));
  if (containers != nullptr) entry["containers"] = *containers;
  return entry;
}

Json replica_status(const Draft& draft, const Observed& one) {
  if (one.pod == nullptr) return status_of_gone(draft, one);
  const Json& pod = one.pod->body();
  return {{"name", one.name},
          {"uid", uid_of(pod)},
          {"phase", word_for(one.phase)},
          {"restarts", one.restarts},
          {"containers", container_statuses(pod)}};
}

}  // namespace

void write_status(Draft& draft) {
  JsonObject counts{{"creating", 0}, {"pending", 0}, {"running", 0}, {"succeeded", 0},
                    {"failed", 0},   {"unknown", 0}, {"deleted", 0}};
  JsonArray tasks;
  for (std::size_t group = 0; group < draft.form.groups.size(); ++group) {
    JsonArray replicas;
    for (const Observed& one : draft.observed) {
      if (one.replica.group != group) continue;
      Json entry = replica_status(draft, one);
      const std::string count = lower(string_at(entry, "phase"));
      counts[count] = counts[count].to_number<std::int64_t>() + 1;
      replicas.push_back(std::move(entry));
    }
    tasks.push_back({{"type", draft.form.groups[group].type},
                     {"restartCount", draft.restarts[group]},
                     {"replicas", std::move(replicas)}});
  }
  JsonObject& status = draft.status.get_object();
  status["tasks"] = std::move(tasks);
  status["aggregate"] = std::move(counts);
  if (draft.form.limits.backoff) {
    status["backoffCount"] =
        draft.restarts_together()
            ? draft.rounds
            : std::accumulate(draft.restarts.begin(), draft.restarts.end(), std::int64_t{0});
  }
  status["observedGeneration"] = int_at(draft.job, "metadata.generation", 1);
  draft.kind.report(draft);
}

}  // namespace trainyard::jobs
