#include "cli/arena/nodes/node_view.h"

#include "cli/arena/elastic_table.h"
#include "cli/arena/keyed_sort.h"
#include "cli/arena/pod_role.h"
#include "object/values/status.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

namespace trainyard::cli::arena {
namespace {

using Row = std::vector<std::string>;

struct Totals {
  std::int64_t total = 0;
  std::int64_t allocated = 0;
  std::int64_t unhealthy = 0;
};

Totals sum(const std::vector<NodeUse>& uses, bool only_ready = false) {
  Totals sums;
  for (const NodeUse& use : uses) {
    if (only_ready && !node_is_ready(use.body())) continue;
    sums.total += use.total();
    sums.allocated += use.allocated();
    sums.unhealthy += use.unhealthy();
  }
  return sums;
}

/// 1/3 (33%): the part is cut off.
std::string share(std::int64_t part, std::int64_t whole) {
  return fmt::format("{}/{} ({}%)", part, whole, whole == 0 ? 0 : part * 100 / whole);
}

/// 1/3 (33.3%).
std::string exact_share(std::int64_t part, std::int64_t whole) {
  const double percent =
      whole == 0 ? 0 : static_cast<double>(part) * 100 / static_cast<double>(whole);
  return fmt::format("{}/{} ({:.1f}%)", part, whole, percent);
}

using ShareText = std::string (*)(std::int64_t, std::int64_t);

void add_totals(ElasticTable& table, const std::vector<NodeUse>& uses, ShareText text) {
  const Totals all = sum(uses);
  const Totals active = sum(uses, true);
  table.line("Allocated/Total GPUs In Cluster:").line(text(all.allocated, all.total));
  if (active.total != all.total) {
    table.line("Allocated/Total GPUs(Active) In Cluster:")
        .line(text(active.allocated, active.total));
  }
  if (all.unhealthy > 0) {
    table.line("Unhealthy/Total GPUs In Cluster:").line(text(all.unhealthy, all.total));
  }
}

bool some_share(const std::vector<NodeUse>& uses) {
  return std::any_of(uses.begin(), uses.end(),
                     [](const NodeUse& use) { return gpu_mode(use.body()) == GpuMode::kShare; });
}

std::string rule_below(bool unhealthy, bool shared) {
  if (shared) return std::string(unhealthy ? 107 : 96, '-');
  return std::string(unhealthy ? 99 : 89, '-');
}

std::string wide_status(const Json& node) {
  std::string status = node_is_ready(node) ? "Ready" : "NotReady";
  return bool_at(node, "spec.unschedulable") ? status + ",SchedulingDisabled" : status;
}

Row node_row(const NodeUse& use, std::string status) {
  return {std::string(name_of(use.body())), node_address(use.body()),
          node_roles(use.body()),           std::move(status),
          std::to_string(use.total()),      std::to_string(use.allocated())};
}

const Row kHeading{"NAME", "IPADDRESS", "ROLE", "STATUS", "GPU(Total)", "GPU(Allocated)"};

Json instance_json(const Json& pod) {
  return JsonObject{{"name", name_of(pod)},
                    {"namespace", namespace_of(pod)},
                    {"status", phase_of_pod(pod)},
                    {"requestGPUs", pod_gpus(pod)}};
}

Json node_json(const NodeUse& use) {
  JsonArray instances;
  for (const ObjectPtr& pod : use.gpu_pods) instances.push_back(instance_json(pod->body()));
  return JsonObject{{"name", name_of(use.body())},
                    {"ip", node_address(use.body())},
                    {"status", wide_status(use.body())},
                    {"role", node_roles(use.body())},
                    {"type", gpu_mode_name(gpu_mode(use.body()))},
                    {"description", ""},
                    {"totalGPUs", use.total()},
                    {"allocatedGPUs", use.allocated()},
                    {"unhealthyGPUs", use.unhealthy()},
                    {"instances", std::move(instances)},
                    {"gpuMetrics", JsonArray()}};
}

}  // namespace

std::int64_t NodeUse::allocated() const {
  std::int64_t gpus = 0;
  for (const ObjectPtr& pod : gpu_pods) gpus += pod_gpus(pod->body());
  return gpus;
}

std::int64_t NodeUse::unhealthy() const {
  return std::max<std::int64_t>(0, total() - usable_gpus(body()));
}

std::vector<NodeUse> node_uses(const std::vector<ObjectPtr>& nodes,
                               const std::vector<ObjectPtr>& pods) {
  std::map<std::string, std::vector<ObjectPtr>, std::less<>> by_node;
  for (const ObjectPtr& pod : pods) {
    const std::string_view node = string_at(pod->body(), "spec.nodeName");
    if (node.empty() || has_ended(pod->body()) || pod_gpus(pod->body()) == 0) continue;
    by_node[std::string(node)].push_back(pod);
  }
  std::vector<NodeUse> uses;
  for (const ObjectPtr& node : nodes) {
    uses.push_back({node, {}});
    const auto found = by_node.find(name_of(node->body()));
    if (found == by_node.end()) continue;
    uses.back().gpu_pods = std::move(found->second);
    std::sort(uses.back().gpu_pods.begin(), uses.back().gpu_pods.end(),
              [](const ObjectPtr& a, const ObjectPtr& b) {
                return key_of(a->body()) < key_of(b->body());
              });
  }
  return uses;
}

Result<std::vector<NodeUse>> choose_nodes(std::vector<NodeUse> uses,
                                          const std::vector<std::string>& names,
                                          std::optional<GpuMode> mode) {
  for (const std::string& name : names) {
    const bool there = std::any_of(uses.begin(), uses.end(),
                                   [&](const NodeUse& use) { return name_of(use.body()) == name; });
    if (!there) {
      return Error(Code::kNotFound,
                   fmt::format("there is no node {}: `arena top node` shows all", name));
    }
  }
  const std::set<std::string, std::less<>> wanted(names.begin(), names.end());
  std::erase_if(uses, [&](const NodeUse& use) {
    const bool named = wanted.empty() || wanted.contains(name_of(use.body()));
    return !named || (mode && gpu_mode(use.body()) != *mode);
  });
  return uses;
}

Result<std::optional<GpuMode>> parse_gpu_mode(const std::string& word) {
  if (word.empty()) return std::optional<GpuMode>();
  for (const GpuMode mode :
       {GpuMode::kNone, GpuMode::kExclusive, GpuMode::kTopology, GpuMode::kShare}) {
    const std::string name = gpu_mode_name(mode);
    if (word == name || word == name.substr(0, 1)) return std::optional(mode);
  }
  return Error(Code::kInvalid,
               fmt::format("unknown GPU mode \"{}\": it is one of n (none), e (exclusive), t "
                           "(topology) and s (share)",
                           word));
}

std::string node_table(const std::vector<NodeUse>& uses, bool totals) {
  const bool unhealthy = sum(uses).unhealthy > 0;
  const bool shared = some_share(uses);
  ElasticTable table;
  Row heading = kHeading;
  if (unhealthy) heading.emplace_back("GPU(Unhealthy)");
  if (shared) heading.emplace_back("GPU(Shareable)");
  table.row(std::move(heading));
  for (const NodeUse& use : uses) {
    Row row = node_row(use, node_is_ready(use.body()) ? "ready" : "notReady");
    if (unhealthy) row.push_back(std::to_string(use.unhealthy()));
    if (shared) row.emplace_back(gpu_mode(use.body()) == GpuMode::kShare ? "Yes" : "No");
    table.row(std::move(row));
  }
  if (totals) {
    table.line(rule_below(unhealthy, shared));
    add_totals(table, uses, share);
  }
  return table.text();
}

std::string wide_node_table(std::vector<NodeUse> uses, bool totals) {
  sort_by(uses, [](const NodeUse& use) { return gpu_mode(use.body()); });
  std::set<GpuMode> modes;
  for (const NodeUse& use : uses) {
    if (const GpuMode mode = gpu_mode(use.body()); mode != GpuMode::kNone) modes.insert(mode);
  }
  const bool several = modes.size() > 1;
  const bool unhealthy = sum(uses).unhealthy > 0;
  ElasticTable table;
  Row heading = kHeading;
  if (several) heading.emplace_back("GPU(Mode)");
  if (unhealthy) heading.emplace_back("UNHEALTHY");
  table.row(std::move(heading));
  for (const NodeUse& use : uses) {
    Row row = node_row(use, wide_status(use.body()));
    if (several) row.push_back(gpu_mode_name(gpu_mode(use.body())));
    if (unhealthy) row.push_back(std::to_string(use.unhealthy()));
    table.row(std::move(row));
  }
  if (totals) {
    table.line(std::string(99, '-'));
    add_totals(table, uses, exact_share);
  }
  return table.text();
}

std::string node_details(const std::vector<NodeUse>& uses) {
  ElasticTable table;
  table.line();
  for (const NodeUse& use : uses) {
    const std::string name(name_of(use.body()));
    table.line()
        .row({"NAME:", name})
        .row({"IPADDRESS:", node_address(use.body())})
        .row({"ROLE:", node_roles(use.body())})
        .line();
    if (!use.gpu_pods.empty()) {
      table.row({"NAMESPACE", "NAME", "GPU REQUESTS"});
      for (const ObjectPtr& pod : use.gpu_pods) {
        table.row({std::string(namespace_of(pod->body())), std::string(name_of(pod->body())),
                   std::to_string(pod_gpus(pod->body()))});
      }
      table.line();
    }
    const std::int64_t percent = use.total() == 0 ? 0 : use.allocated() * 100 / use.total();
    table.row({fmt::format("Total GPUs In Node {}:", name), std::to_string(use.total())})
        .row({fmt::format("Allocated GPUs In Node {}:", name),
              fmt::format("{} ({}%)", use.allocated(), percent)})
        .line(rule_below(false, false));
  }
  const Totals all = sum(uses);
  table.line().line().row({"Allocated/Total GPUs In Cluster:", share(all.allocated, all.total)});
  return table.text();
}

Json nodes_json(const std::vector<NodeUse>& uses) {
  JsonObject out{{"normalNodes", JsonArray()},
                 {"gpuExclusiveNodes", JsonArray()},
                 {"gpuTopologyNodes", JsonArray()},
                 {"gpuShareNodes", JsonArray()}};
  for (const NodeUse& use : uses) {
    const GpuMode mode = gpu_mode(use.body());
    const char* list = mode == GpuMode::kNone        ? "normalNodes"
                       : mode == GpuMode::kExclusive ? "gpuExclusiveNodes"
                       : mode == GpuMode::kTopology  ? "gpuTopologyNodes"
                                                     : "gpuShareNodes";
    out[list].get_array().push_back(node_json(use));
  }
  return out;
}

}  // namespace trainyard::cli::arena
