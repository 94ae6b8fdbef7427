#include "object/table/kind_cells.h"

#include "base/words/text.h"
#include "object/table/computed_cells.h"
#include "object/values/metadata.h"
#include "object/values/names.h"
#include "object/values/quantity.h"
#include "object/values/status.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <vector>

namespace trainyard {
namespace {

constexpr const char* kNone = "<none>";

std::string first_three(std::vector<std::string> parts) {
  constexpr std::size_t kMost = 3;
  if (parts.empty()) return "<unset>";
  if (parts.size() <= kMost) return join(parts, ",");
  const std::size_t more = parts.size() - kMost;
  parts.resize(kMost);
  return fmt::format("{} + {} more...", join(parts, ","), more);
}

/// The first of the fields that says anything.
std::string_view first_of(const Json& object, std::initializer_list<std::string_view> fields) {
  for (const std::string_view field : fields) {
    if (const auto text = string_at(object, field); !text.empty()) return text;
  }
  return {};
}

std::vector<std::string> texts_of(const JsonArray& array) {
  std::vector<std::string> texts;
  for (const Json& element : array) {
    if (element.is_string()) texts.push_back(to_string(element.get_string()));
  }
  return texts;
}

}  // namespace

std::string node_status_text(const Json& node) {
  std::string word = "Unknown";
  if (const Json* ready = find_condition(node, "Ready")) {
    word = string_at(*ready, "status") == "True" ? "Ready" : "NotReady";
  }
  return bool_at(node, "spec.unschedulable") ? word + ",SchedulingDisabled" : word;
}

std::string node_roles_text(const Json& node) {
  constexpr std::string_view kPrefix = "node-role.kubernetes.io/";
  std::set<std::string> roles;
  for (const auto& label : object_at(node, "metadata.labels")) {
    const std::string_view name(label.key().data(), label.key().size());
    if (name.starts_with(kPrefix) && name.size() > kPrefix.size()) {
      roles.emplace(name.substr(kPrefix.size()));
    }
  }
  if (const auto role = label_of(node, "kubernetes.io/role"); !role.empty()) roles.emplace(role);
  return roles.empty() ? kNone : join({roles.begin(), roles.end()}, ",");
}

std::string node_address_text(const Json& node, std::string_view type) {
  for (const Json& address : array_at(node, "status.addresses")) {
    if (string_at(address, "type") == type) return std::string(string_at(address, "address"));
  }
  return kNone;
}

std::string service_ports_text(const Json& service) {
  std::vector<std::string> ports;
  for (const Json& port : array_at(service, "spec.ports")) {
    const std::int64_t node_port = int_at(port, "nodePort");
    ports.push_back(fmt::format("{}{}/{}", int_at(port, "port"),
                                node_port == 0 ? "" : fmt::format(":{}", node_port),
                                string_at(port, "protocol", "TCP")));
  }
  return ports.empty() ? kNone : join(ports, ",");
}

std::string service_external_text(const Json& service) {
  const std::string_view type = string_at(service, "spec.type", "ClusterIP");
  if (type == "ExternalName") return std::string(string_at(service, "spec.externalName"));
  std::vector<std::string> addresses;
  if (type == "LoadBalancer") {
    std::set<std::string> given;
    for (const Json& ingress : array_at(service, "status.loadBalancer.ingress")) {
      if (const auto address = first_of(ingress, {"ip", "hostname"}); !address.empty()) {
        given.emplace(address);
      }
    }
    addresses.assign(given.begin(), given.end());
  }
  const std::vector<std::string> external = texts_of(array_at(service, "spec.externalIPs"));
  addresses.insert(addresses.end(), external.begin(), external.end());
  if (addresses.empty()) return type == "LoadBalancer" ? "<pending>" : kNone;
  return join(addresses, ",");
}

std::string endpoints_text(const Json& endpoints) {
  constexpr std::size_t kMost = 3;
  std::vector<std::string> shown;
  std::size_t count = 0;
  const auto add = [&](std::string address) {
    if (count++ < kMost) shown.push_back(std::move(address));
  };
  const JsonArray& subsets = array_at(endpoints, "subsets");
  for (const Json& subset : subsets) {
    const JsonArray& addresses = array_at(subset, "addresses");
    const JsonArray& ports = array_at(subset, "ports");
    for (const Json& port : ports) {
      for (const Json& address : addresses) {
        const std::string_view ip = string_at(address, "ip");
        const bool v6 = ip.find(':') != std::string_view::npos;
        add(fmt::format("{}{}{}:{}", v6 ? "[" : "", ip, v6 ? "]" : "", int_at(port, "port")));
      }
    }
    if (!ports.empty()) continue;
    for (const Json& address : addresses) add(std::string(string_at(address, "ip")));
  }
  if (subsets.empty()) return kNone;
  if (count <= kMost) return join(shown, ",");
  return fmt::format("{} + {} more...", join(shown, ","), count - kMost);
}

std::string slice_ports_text(const Json& slice) {
  std::vector<std::string> ports;
  for (const Json& port : array_at(slice, "ports")) {
    const bool any = find(port, "port") == nullptr;
    ports.push_back(any ? "*" : std::to_string(int_at(port, "port")));
  }
  return first_three(ports);
}

std::string slice_endpoints_text(const Json& slice) {
  std::vector<std::string> addresses;
  for (const Json& endpoint : array_at(slice, "endpoints")) {
    for (const std::string& address : texts_of(array_at(endpoint, "addresses"))) {
      addresses.push_back(address);
    }
  }
  return first_three(addresses);
}

std::string event_object_text(const Json& event) {
  const std::string kind = lower(first_of(event, {"involvedObject.kind", "regarding.kind"}));
  const std::string_view name = first_of(event, {"involvedObject.name", "regarding.name"});
  return name.empty() ? kind : fmt::format("{}/{}", kind, name);
}

std::string event_source_text(const Json& event) {
  const std::string_view component =
      first_of(event, {"source.component", "deprecatedSource.component", "reportingComponent",
                       "reportingController"});
  const std::string_view instance =
      first_of(event, {"source.host", "deprecatedSource.host", "reportingInstance"});
  return instance.empty() ? std::string(component) : fmt::format("{}, {}", component, instance);
}

std::string event_message_text(const Json& event) {
  std::string_view text = first_of(event, {"message", "note"});
  constexpr std::string_view kBlank = " \t\r\n";
  text.remove_prefix(std::min(text.find_first_not_of(kBlank), text.size()));
  return std::string(text.substr(0, text.find_last_not_of(kBlank) + 1));
}

std::string event_first_text(const Json& event, WallTime now) {
  return age_text(first_of(event, {"firstTimestamp", "deprecatedFirstTimestamp", "eventTime"}),
                  now);
}

std::string event_last_text(const Json& event, WallTime now) {
  const std::string_view last =
      first_of(event, {"series.lastObservedTime", "lastTimestamp", "deprecatedLastTimestamp"});
  return last.empty() ? event_first_text(event, now) : age_text(last, now);
}

std::int64_t event_count(const Json& event) {
  for (const char* field : {"series.count", "count", "deprecatedCount"}) {
    if (const std::int64_t count = int_at(event, field); count != 0) return count;
  }
  return 1;
}

std::string job_status_text(const Json& job) {
  if (has_condition(job, "Complete")) return "Complete";
  if (has_condition(job, "Failed")) return "Failed";
  if (is_being_deleted(job)) return "Terminating";
  if (has_condition(job, "Suspended")) return "Suspended";
  return has_condition(job, "FailureTarget") ? "FailureTarget" : "Running";
}

std::string job_completions_text(const Json& job) {
  const std::int64_t succeeded = int_at(job, "status.succeeded");
  if (const Json* wanted = find(job, "spec.completions"); wanted != nullptr) {
    return fmt::format("{}/{}", succeeded, int_at(job, "spec.completions"));
  }
  const std::int64_t parallelism = int_at(job, "spec.parallelism");
  return parallelism > 1 ? fmt::format("{}/1 of {}", succeeded, parallelism)
                         : fmt::format("{}/1", succeeded);
}

std::string job_duration_text(const Json& job, WallTime now) {
  const std::string_view start = string_at(job, "status.startTime");
  if (start.empty()) return {};
  const auto end = parse_time(string_at(job, "status.completionTime"));
  return age_text(start, end ? *end : now);
}

std::string quota_text(const Json& quota, std::string_view part) {
  std::set<std::string> names;
  for (const auto& bound : object_at(quota, "status.hard")) names.emplace(bound.key());
  const JsonObject& used = object_at(quota, "status.used");
  std::vector<std::string> bounds;
  for (const std::string& name : names) {
    if (name.starts_with("limits") != (part == "limits")) continue;
    const Json* amount = used.if_contains(name);
    bounds.push_back(fmt::format(
        "{}: {}/{}", name, amount == nullptr ? "0" : canonical_quantity(*amount).value_or("0"),
        canonical_quantity(object_at(quota, "status.hard").at(name)).value_or("0")));
  }
  return join(bounds, ", ");
}

std::string access_modes_text(const JsonArray& modes) {
  const std::vector<std::string> given = texts_of(modes);
  std::vector<std::string> shown;
  for (const auto& [mode, short_name] :
       {std::pair("ReadWriteOnce", "RWO"), std::pair("ReadOnlyMany", "ROX"),
        std::pair("ReadWriteMany", "RWX"), std::pair("ReadWriteOncePod", "RWOP")}) {
    if (std::find(given.begin(), given.end(), mode) != given.end()) shown.emplace_back(short_name);
  }
  return join(shown, ",");
}

std::string subjects_text(const Json& binding, std::string_view kind) {
  std::vector<std::string> names;
  for (const Json& subject : array_at(binding, "subjects")) {
    if (string_at(subject, "kind") != kind) continue;
    const std::string_view name = string_at(subject, "name");
    names.push_back(kind == "ServiceAccount"
                        ? fmt::format("{}/{}", string_at(subject, "namespace"), name)
                        : std::string(name));
  }
  return join(names, ", ");
}

std::string usage_text(const Json& metrics, std::string_view resource) {
  Quantity sum;
  for (const Json& container : array_at(metrics, "containers")) {
    const Json* amount = object_at(container, "usage").if_contains(resource);
    if (amount == nullptr) continue;
    sum += Quantity::parse(*amount).value_or(Quantity());
  }
  return sum.to_text();
}

}  // namespace trainyard
