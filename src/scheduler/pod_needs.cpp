#include "scheduler/pod_needs.h"

#include "object/values/metadata.h"

#include <fmt/format.h>

#include <algorithm>

namespace trainyard::scheduler {
namespace {

std::optional<Effect> read_effect(std::string_view word) {
  if (word == "NoSchedule") return Effect::kNoSchedule;
  if (word == "PreferNoSchedule") return Effect::kPreferNoSchedule;
  if (word == "NoExecute") return Effect::kNoExecute;
  return std::nullopt;
}

std::vector<Toleration> read_tolerations(const JsonArray& list) {
  std::vector<Toleration> tolerations;
  for (const Json& entry : list) {
    Toleration one;
    one.key = string_at(entry, "key");
    one.any_value = string_at(entry, "operator") == "Exists";
    one.value = string_at(entry, "value");
    one.effect = read_effect(string_at(entry, "effect"));
    if (find(entry, "tolerationSeconds") != nullptr) {
      one.seconds = std::chrono::seconds(int_at(entry, "tolerationSeconds"));
    }
    tolerations.push_back(std::move(one));
  }
  return tolerations;
}

NodeTerm read_node_term(const Json& term) {
  NodeTerm read;
  read.labels = read_expressions(array_at(term, "matchExpressions"));
  read.names = read_expressions(array_at(term, "matchFields"));
  return read;
}

std::optional<Requirements> read_selector(const Json& holder) {
  const Json* selector = find(holder, "labelSelector");
  if (selector == nullptr || !selector->is_object()) return std::nullopt;
  Requirements requirements = read_label_map(object_at(*selector, "matchLabels"));
  for (Requirement& one : read_expressions(array_at(*selector, "matchExpressions"))) {
    requirements.push_back(std::move(one));
  }
  return requirements;
}

/// matchLabelKeys and mismatchLabelKeys: the pod's own values, added to the selector.
void add_own_labels(std::optional<Requirements>& selector, const Json& holder, const Json& pod) {
  if (!selector) return;
  using Operator = Requirement::Operator;
  for (const auto& [list, op] : {std::make_pair("matchLabelKeys", Operator::kIn),
                                 std::make_pair("mismatchLabelKeys", Operator::kNotIn)}) {
    for (const Json& key : array_at(holder, list)) {
      if (!key.is_string()) continue;
      const std::string name = to_string(key.get_string());
      if (!object_at(pod, "metadata.labels").contains(name)) continue;
      selector->push_back(Requirement{name, op, {std::string(label_of(pod, name))}});
    }
  }
}

PodTerm read_pod_term(const Json& term, const Json& pod, Needs& needs) {
  PodTerm read;
  read.selector = read_selector(term);
  add_own_labels(read.selector, term, pod);
  read.topology = string_at(term, "topologyKey");
  for (const Json& ns : array_at(term, "namespaces")) {
    if (ns.is_string()) read.namespaces.push_back(to_string(ns.get_string()));
  }
  const Json* selector = find(term, "namespaceSelector");
  if (selector != nullptr && selector->is_object()) {
    read.all_namespaces = selector->get_object().empty();
    if (!read.all_namespaces) {
      needs.unsupported.emplace_back("a namespaceSelector in its pod affinity");
    }
  } else if (read.namespaces.empty()) {
    read.namespaces.emplace_back(namespace_of(pod));
  }
  return read;
}

void read_pod_affinity(const Json& pod, const char* kind, Needs& needs,
                       std::vector<PodTerm>& required, std::vector<PodTerm>& preferred) {
  const std::string path = fmt::format("spec.affinity.{}.", kind);
  for (const Json& term : array_at(pod, path + "requiredDuringSchedulingIgnoredDuringExecution")) {
    required.push_back(read_pod_term(term, pod, needs));
  }
  for (const Json& entry :
       array_at(pod, path + "preferredDuringSchedulingIgnoredDuringExecution")) {
    const Json* term = find(entry, "podAffinityTerm");
    if (term == nullptr) continue;
    Needs ignored;  // what a preference asks for in vain hinders nothing
    PodTerm read = read_pod_term(*term, pod, ignored);
    read.weight = static_cast<int>(int_at(entry, "weight"));
    preferred.push_back(std::move(read));
  }
}

void read_node_affinity(const Json& pod, Needs& needs) {
  const std::string path = "spec.affinity.nodeAffinity.";
  const Json* required = find(pod, path + "requiredDuringSchedulingIgnoredDuringExecution");
  if (required != nullptr && required->is_object()) {
    needs.has_node_terms = true;
    for (const Json& term : array_at(*required, "nodeSelectorTerms")) {
      needs.node_terms.push_back(read_node_term(term));
    }
  }
  for (const Json& entry :
       array_at(pod, path + "preferredDuringSchedulingIgnoredDuringExecution")) {
    const Json* preference = find(entry, "preference");
    if (preference == nullptr) continue;
    NodeTerm read = read_node_term(*preference);
    read.weight = static_cast<int>(int_at(entry, "weight"));
    needs.preferred_nodes.push_back(std::move(read));
  }
}

void read_spreads(const Json& pod, Needs& needs) {
  for (const Json& entry : array_at(pod, "spec.topologySpreadConstraints")) {
    Spread spread;
    spread.max_skew = int_at(entry, "maxSkew", 1);
    spread.topology = string_at(entry, "topologyKey");
    spread.required = string_at(entry, "whenUnsatisfiable") != "ScheduleAnyway";
    spread.selector = read_selector(entry);
    add_own_labels(spread.selector, entry, pod);
    spread.min_domains = int_at(entry, "minDomains", 1);
    spread.honors_affinity = string_at(entry, "nodeAffinityPolicy") != "Ignore";
    spread.honors_taints = string_at(entry, "nodeTaintsPolicy") == "Honor";
    needs.spreads.push_back(std::move(spread));
  }
}

void add(Amounts& sum, const Amounts& more) {
  for (ResourceId id = 0; id < more.size(); ++id) {
    set_amount(sum, id, amount_of(sum, id) + more[id]);
  }
}

void raise(Amounts& most, const Amounts& other) {
  for (ResourceId id = 0; id < other.size(); ++id) {
    set_amount(most, id, std::max(amount_of(most, id), other[id]));
  }
}

}  // namespace

Needs read_rules(const Json& pod) {
  Needs needs;
  needs.node_selector = read_label_map(object_at(pod, "spec.nodeSelector"));
  needs.tolerations = read_tolerations(array_at(pod, "spec.tolerations"));
  read_node_affinity(pod, needs);
  read_pod_affinity(pod, "podAffinity", needs, needs.near, needs.preferred_near);
  read_pod_affinity(pod, "podAntiAffinity", needs, needs.apart, needs.preferred_apart);
  read_spreads(pod, needs);
  if (!array_at(pod, "spec.resourceClaims").empty()) {
    needs.unsupported.emplace_back("spec.resourceClaims");
  }
  return needs;
}

Amounts read_amounts(const JsonObject& amounts, ResourceNames& resources) {
  Amounts read;
  for (const auto& amount : amounts) {
    const auto quantity = Quantity::parse(amount.value());
    if (!quantity) continue;
    const ResourceId id = resources.id(std::string(amount.key()));
    set_amount(read, id, to_amount(id, *quantity));
  }
  return read;
}

Amounts read_requests(const Json& pod, ResourceNames& resources) {
  Amounts total;
  for (const Json& container : array_at(pod, "spec.containers")) {
    add(total, read_amounts(object_at(container, "resources.requests"), resources));
  }
  Amounts beside;  // init containers that run on, so far
  Amounts most;
  for (const Json& container : array_at(pod, "spec.initContainers")) {
    Amounts asks = read_amounts(object_at(container, "resources.requests"), resources);
    if (string_at(container, "restartPolicy") == "Always") {
      add(beside, asks);
      asks = beside;
    } else {
      add(asks, beside);
    }
    raise(most, asks);
  }
  add(total, beside);
  raise(total, most);
  // What is asked for the pod as a whole counts instead of what its containers ask for.
  const Amounts whole = read_amounts(object_at(pod, "spec.resources.requests"), resources);
  for (ResourceId id = 0; id < whole.size(); ++id) {
    if (whole[id] > 0) set_amount(total, id, whole[id]);
  }
  add(total, read_amounts(object_at(pod, "spec.overhead"), resources));
  set_amount(total, kPodCount, 1);
  return total;
}

}  // namespace trainyard::scheduler
