#pragma once

#include "contract/usage.h"
#include "contract/usage_history.h"
#include "node/linux/gpu_meter.h"
#include "object/json/json.h"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace trainyard::node {

/// What is known of a pod whose usage is recorded, beside that. Times are milliseconds since 1970.
struct RecordedPod {
  struct Owner {
    std::string kind;
    std::string name;
    std::string uid;
    bool operator==(const Owner&) const = default;
  };

  Key key;
  std::string uid;
  Json labels;
  std::vector<Owner> owners;
  std::string node;
  std::map<std::string, double> requests;  // by resource
  std::map<std::string, double> limits;
  /// What the numbers of its series are: `main/cpu` of the container main, `gpu-0.power` of a GPU
  /// of the pod.
  std::vector<std::string> columns;
  std::int64_t begin = 0;
  std::int64_t end = 0;  // 0: it runs
};

/// As a pod's manifest says it. `gpus`: the numbers of those that it was given.
RecordedPod recorded_pod(const Json& pod, const std::vector<int>& gpus, std::int64_t begin);

/// The form in which it lies beside its series.
std::string about_text(const RecordedPod& pod);
/// What about_text() has written; an error for anything else.
Result<RecordedPod> read_about(std::string_view text);

/// What a container has used, and a GPU, by the names of their columns.
using NamedValues = std::map<std::string, float>;
void add_values(NamedValues& values, const std::string& container, const contract::Usage& usage);
void add_values(NamedValues& values, int gpu, const GpuUsage& usage);

/// The column's metric, such as `cpu`, and the container that it is of; no container: of the pod.
struct ColumnName {
  std::string_view container;
  std::string_view metric;
};
ColumnName parse_column(std::string_view column);

}  // namespace trainyard::node
