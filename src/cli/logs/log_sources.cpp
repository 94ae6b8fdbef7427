#include "cli/logs/log_sources.h"

#include "cli/command/job_facts.h"

#include <fmt/format.h>

#include <map>

namespace trainyard::cli {
namespace {

struct ByNumber {
  bool operator()(const std::string& a, const std::string& b) const { return replica_before(a, b); }
};

std::string replica_name(const Json& labels, const Key& pod) {
  std::string replica = replica_of(labels);
  return replica.empty() ? pod.name : replica;
}

std::vector<LogSource> every_attempt(std::vector<LogSource> sources) {
  if (sources.size() < 2) return sources;
  std::size_t number = 0;
  for (LogSource& source : sources) {
    source.replica += fmt::format("#{}", ++number);
    source.previous = false;
  }
  return sources;
}

}  // namespace

Error unreadable(const LogSource& source, const Error& why) {
  const std::string where = source.node.empty() ? "" : fmt::format(" on node {}", source.node);
  return Error(why.code(), fmt::format("the log of {}{} cannot be read: {}", source.pod.name, where,
                                       why.message()));
}

bool is_wanted_replica(const std::string& replica, const std::string& wanted) {
  if (wanted.empty() || replica == wanted) return true;
  return replica.starts_with(wanted + "-") &&
         replica.find_first_not_of("0123456789", wanted.size() + 1) == std::string::npos;
}

std::vector<LogSource> choose_logs(const std::vector<ObjectPtr>& pods,
                                   const std::vector<client::KeptLog>& kept, const std::string& job,
                                   const LogsOptions& options) {
  // Of each replica what there is, the newest last.
  std::map<std::string, std::vector<LogSource>, ByNumber> found;
  for (const client::KeptLog& log : kept) {
    if (!belongs_to(log.labels, job)) continue;
    const std::string replica = replica_name(log.labels, log.pod);
    found[replica].push_back({replica, log.pod, log.uid, false});
  }
  std::map<std::string, bool> has_pod;
  for (const ObjectPtr& pod : pods) {
    const Json& body = pod->body();
    const Json* labels = find(body, "metadata.labels");
    const std::string replica = replica_name(labels == nullptr ? Json() : *labels, key_of(body));
    has_pod[replica] = true;
    found[replica].push_back({replica, key_of(body), std::string(uid_of(body)), options.previous});
  }
  std::vector<LogSource> chosen;
  for (const auto& [replica, sources] : found) {
    if (!is_wanted_replica(replica, options.replica)) continue;
    if (options.all) {
      const std::vector<LogSource> all = every_attempt(sources);
      chosen.insert(chosen.end(), all.begin(), all.end());
      continue;
    }
    // A pod knows itself what came before it.
    const std::size_t back = options.previous && !has_pod[replica] ? 2 : 1;
    if (sources.size() >= back) chosen.push_back(sources[sources.size() - back]);
  }
  return chosen;
}

}  // namespace trainyard::cli
