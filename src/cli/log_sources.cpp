#include "cli/log_sources.h"

#include "cli/jobs_view.h"

#include <fmt/format.h>

#include <map>

namespace trainyard::cli {
namespace {

/// type-index, as in `node-0`; shorter ones first, so that node-10 comes behind node-9.
struct ByNumber {
  bool operator()(const std::string& a, const std::string& b) const {
    return std::pair(a.size(), a) < std::pair(b.size(), b);
  }
};

std::string label(const Json& labels, const char* name) {
  const auto* object = labels.if_object();
  const Json* value = object == nullptr ? nullptr : object->if_contains(name);
  return value != nullptr && value->is_string() ? std::string(value->get_string()) : "";
}

}  // namespace

std::vector<LogSource> choose_logs(const std::vector<ObjectPtr>& pods,
                                   const std::vector<client::KeptLog>& kept,
                                   const LogsOptions& options) {
  // Of each replica what there is, the newest last.
  std::map<std::string, std::vector<LogSource>, ByNumber> found;
  for (const client::KeptLog& log : kept) {
    if (label(log.labels, kOwnerNameLabel) != options.job) continue;
    std::string replica =
        label(log.labels, "replica-type") + "-" + label(log.labels, "replica-index");
    found[replica].push_back({replica, log.pod, log.uid, false});
  }
  std::map<std::string, bool> has_pod;
  for (const ObjectPtr& pod : pods) {
    std::string replica = fmt::format("{}-{}", label_of(pod->body(), "replica-type"),
                                      label_of(pod->body(), "replica-index"));
    has_pod[replica] = true;
    found[replica].push_back(
        {replica, key_of(pod->body()), std::string(uid_of(pod->body())), options.previous});
  }
  std::vector<LogSource> chosen;
  for (const auto& [replica, sources] : found) {
    if (!options.replica.empty() && replica != options.replica) continue;
    // A pod knows itself what came before it.
    const std::size_t back = options.previous && !has_pod[replica] ? 2 : 1;
    if (sources.size() >= back) chosen.push_back(sources[sources.size() - back]);
  }
  return chosen;
}

}  // namespace trainyard::cli
