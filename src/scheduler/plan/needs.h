#pragma once

#include "scheduler/plan/amounts.h"
#include "scheduler/plan/labels.h"

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace trainyard::scheduler {

enum class Effect : std::uint8_t { kNoSchedule, kPreferNoSchedule, kNoExecute };

struct Taint {
  std::string key;
  std::string value;
  Effect effect = Effect::kNoSchedule;
};

struct Toleration {
  std::string key;  // empty with any_value: every taint
  bool any_value = false;
  std::string value;
  std::optional<Effect> effect;                 // absent: all effects
  std::optional<std::chrono::seconds> seconds;  // how long a NoExecute taint is borne
};

bool tolerates(const Toleration& toleration, const Taint& taint);
bool tolerates(const std::vector<Toleration>& tolerations, const Taint& taint);

/// One alternative of a node affinity.
struct NodeTerm {
  Requirements labels;
  Requirements names;  // on metadata.name, the only field there is
  int weight = 0;      // of a preference
};

/// Pods, and how near to them is near: two nodes are when this label has the same value on both.
struct PodTerm {
  std::optional<Requirements> selector;  // absent: no pod
  std::vector<std::string> namespaces;
  bool all_namespaces = false;
  std::string topology;
  int weight = 0;  // of a preference
};

/// Spreads pods evenly over the values of a node label.
struct Spread {
  std::int64_t max_skew = 1;
  std::string topology;
  bool required = true;
  std::optional<Requirements> selector;
  std::int64_t min_domains = 1;
  bool honors_affinity = true;
  bool honors_taints = false;
};

/// What placing looks at in a pod. Shared by all pods that ask for the same: how well a node suits
/// one of them is found out once.
struct Needs {
  Amounts requests;
  Requirements node_selector;
  std::vector<NodeTerm> node_terms;  // one must hold
  bool has_node_terms = false;       // an affinity without terms matches nothing
  std::vector<NodeTerm> preferred_nodes;
  std::vector<Toleration> tolerations;
  std::vector<PodTerm> near;
  std::vector<PodTerm> apart;
  std::vector<PodTerm> preferred_near;
  std::vector<PodTerm> preferred_apart;
  std::vector<Spread> spreads;
  std::vector<std::string> unsupported;  // fields that would have to be honoured and cannot be

  bool depends_on_pods() const {
    return !near.empty() || !apart.empty() || !preferred_near.empty() || !preferred_apart.empty() ||
           !spreads.empty();
  }
};
using NeedsPtr = std::shared_ptr<const Needs>;

}  // namespace trainyard::scheduler
