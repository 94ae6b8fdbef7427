#include "node/usage/recorded_pod.h"

#include "object/values/metadata.h"
#include "object/values/quantity.h"

#include <fmt/format.h>

namespace trainyard::node {
namespace {

// More would be no pod; each has a column a metric.
constexpr std::size_t kMostContainers = 64;
constexpr std::size_t kMostColumns = 1024;
constexpr std::int64_t kLatest = 7'258'118'400'000;  // 2200, in milliseconds: within every clock

constexpr const char* kContainerMetrics[] = {"cpu",         "memory",   "networkReceived",
                                             "networkSent", "diskRead", "diskWritten",
                                             "diskCalls",   "threads"};
constexpr const char* kGpuMetrics[] = {"utilization", "temperature", "power",
                                       "memoryShare", "memoryUsed",  "smClock"};

std::vector<std::string> columns_of(const Json& pod, const std::vector<int>& gpus) {
  std::vector<std::string> columns;
  std::size_t containers = 0;
  for (const char* list : {"spec.containers", "spec.initContainers"}) {
    for (const Json& container : array_at(pod, list)) {
      if (++containers > kMostContainers) break;
      for (const char* metric : kContainerMetrics) {
        columns.push_back(fmt::format("{}/{}", string_at(container, "name"), metric));
      }
    }
  }
  for (const int gpu : gpus) {
    for (const char* metric : kGpuMetrics) columns.push_back(fmt::format("gpu-{}.{}", gpu, metric));
  }
  return columns;
}

/// What the pod's containers ask for, or may have, together.
std::map<std::string, double> amounts_of(const Json& pod, const char* which) {
  std::map<std::string, double> sum;
  for (const Json& container : array_at(pod, "spec.containers")) {
    for (const auto& entry : object_at(container, which)) {
      const auto amount = Quantity::parse(entry.value());
      if (amount) sum[std::string(entry.key())] += amount->as_double();
    }
  }
  return sum;
}

Json amounts_json(const std::map<std::string, double>& amounts) {
  JsonObject json;
  for (const auto& [resource, amount] : amounts) json[resource] = amount;
  return json;
}

std::map<std::string, double> read_amounts(const Json& about, const char* which) {
  std::map<std::string, double> amounts;
  for (const auto& entry : object_at(about, which)) {
    if (entry.value().is_number()) {
      amounts[std::string(entry.key())] = entry.value().to_number<double>();
    }
  }
  return amounts;
}

}  // namespace

RecordedPod recorded_pod(const Json& pod, const std::vector<int>& gpus, std::int64_t begin) {
  RecordedPod recorded;
  recorded.key = key_of(pod);
  recorded.uid = uid_of(pod);
  recorded.labels = object_at(pod, "metadata.labels");
  for (const Json& owner : array_at(pod, "metadata.ownerReferences")) {
    recorded.owners.push_back({std::string(string_at(owner, "kind")),
                               std::string(string_at(owner, "name")),
                               std::string(string_at(owner, "uid"))});
  }
  recorded.node = string_at(pod, "spec.nodeName");
  recorded.requests = amounts_of(pod, "resources.requests");
  recorded.limits = amounts_of(pod, "resources.limits");
  recorded.columns = columns_of(pod, gpus);
  recorded.begin = begin;
  return recorded;
}

std::string about_text(const RecordedPod& pod) {
  JsonArray owners;
  for (const RecordedPod::Owner& owner : pod.owners) {
    owners.push_back({{"kind", owner.kind}, {"name", owner.name}, {"uid", owner.uid}});
  }
  JsonArray columns;
  for (const std::string& column : pod.columns) columns.emplace_back(column);
  return to_text(Json{{"namespace", pod.key.ns},
                      {"name", pod.key.name},
                      {"uid", pod.uid},
                      {"labels", pod.labels},
                      {"owners", std::move(owners)},
                      {"node", pod.node},
                      {"requests", amounts_json(pod.requests)},
                      {"limits", amounts_json(pod.limits)},
                      {"columns", std::move(columns)},
                      {"begin", pod.begin},
                      {"end", pod.end}});
}

Result<RecordedPod> read_about(std::string_view text) {
  TRY(const Json about, parse_json(text));
  RecordedPod pod;
  pod.key = {std::string(string_at(about, "namespace")), std::string(string_at(about, "name"))};
  pod.uid = string_at(about, "uid");
  pod.labels = object_at(about, "labels");
  for (const Json& owner : array_at(about, "owners")) {
    pod.owners.push_back({std::string(string_at(owner, "kind")),
                          std::string(string_at(owner, "name")),
                          std::string(string_at(owner, "uid"))});
  }
  pod.node = string_at(about, "node");
  pod.requests = read_amounts(about, "requests");
  pod.limits = read_amounts(about, "limits");
  for (const Json& column : array_at(about, "columns")) {
    if (!column.is_string() || pod.columns.size() >= kMostColumns) break;
    pod.columns.push_back(to_string(column.get_string()));
  }
  pod.begin = int_at(about, "begin");
  pod.end = int_at(about, "end");
  const auto is_time = [](std::int64_t time) { return time >= 0 && time <= kLatest; };
  if (pod.uid.empty() || pod.key.name.empty() || pod.columns.empty() || !is_time(pod.begin) ||
      !is_time(pod.end)) {
    return Error(Code::kInvalid, "it does not say which pod's usage it describes");
  }
  return pod;
}

void add_values(NamedValues& values, const std::string& container, const contract::Usage& usage) {
  const auto put = [&](const char* metric, double value) {
    values[fmt::format("{}/{}", container, metric)] = static_cast<float>(value);
  };
  put("cpu", static_cast<double>(usage.cpu_nanos) / 1e9);
  put("memory", static_cast<double>(usage.memory_bytes));
  put("networkReceived", static_cast<double>(usage.network_received));
  put("networkSent", static_cast<double>(usage.network_sent));
  put("diskRead", static_cast<double>(usage.disk_read));
  put("diskWritten", static_cast<double>(usage.disk_written));
  put("diskCalls", static_cast<double>(usage.disk_calls));
  put("threads", static_cast<double>(usage.threads));
}

void add_values(NamedValues& values, int gpu, const GpuUsage& usage) {
  const float all[] = {usage.utilization,  usage.temperature, usage.power,
                       usage.memory_share, usage.memory_used, usage.sm_clock};
  for (std::size_t i = 0; i < std::size(all); ++i) {
    values[fmt::format("gpu-{}.{}", gpu, kGpuMetrics[i])] = all[i];
  }
}

ColumnName parse_column(std::string_view column) {
  const std::size_t slash = column.find('/');
  if (slash == std::string_view::npos) return {"", column};
  return {column.substr(0, slash), column.substr(slash + 1)};
}

}  // namespace trainyard::node
