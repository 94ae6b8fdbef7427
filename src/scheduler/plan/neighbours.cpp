#include "scheduler/plan/neighbours.h"

#include "scheduler/plan/suitability.h"

#include <algorithm>
#include <limits>

namespace trainyard::scheduler {
namespace {

bool means(const PodTerm& term, const PodView& pod) {
  if (!term.selector) return false;
  const auto& namespaces = term.namespaces;
  if (!term.all_namespaces &&
      std::find(namespaces.begin(), namespaces.end(), pod.key.ns) == namespaces.end()) {
    return false;
  }
  return all_hold(*term.selector, *pod.labels);
}

std::string_view label(const NodeView& node, const std::string& key) {
  const auto found = node.labels.find(key);
  if (found == node.labels.end() || !found->value().is_string()) return {};
  return found->value().get_string();
}

/// Calls visit(pod, node) for all that run and all that the plan has put down.
template <class Visit>
void each_pod(const Board& board, Visit visit) {
  for (Board::Index i = 0; i < board.size(); ++i) {
    for (const PodView* pod : board.cluster().nodes().at(board.node(i).name).pods) visit(*pod, i);
  }
  for (const Board::Put& put : board.put_down()) visit(*put.pod, put.node);
}

}  // namespace

Neighbours::Neighbours(const Board& board, const PodView& pod) : board_(board), pod_(pod) {
  const Needs& needs = *pod.needs;
  for (const PodTerm& term : needs.near) near_.push_back(count_term(term));
  for (const PodTerm& term : needs.apart) apart_.push_back(count_term(term));
  for (const PodTerm& term : needs.preferred_near) preferred_near_.push_back(count_term(term));
  for (const PodTerm& term : needs.preferred_apart) preferred_apart_.push_back(count_term(term));
  for (const Spread& spread : needs.spreads) spreads_.push_back(count_spread(spread));
  blocked_.resize(board.size());
  block_for_others();
}

Neighbours::Domains Neighbours::make_domains(const std::string& topology) const {
  Domains domains;
  std::unordered_map<std::string_view, int> numbers;
  for (Board::Index i = 0; i < board_.size(); ++i) {
    const bool has = board_.node(i).labels.contains(topology);
    const int next = static_cast<int>(numbers.size());
    domains.of_node.push_back(
        has ? numbers.emplace(label(board_.node(i), topology), next).first->second : kNoDomain);
  }
  domains.pods.resize(numbers.size());
  domains.eligible.resize(numbers.size());
  return domains;
}

Neighbours::Domains Neighbours::count_term(const PodTerm& term) const {
  Domains domains = make_domains(term.topology);
  domains.counts_itself = means(term, pod_);
  each_pod(board_, [&](const PodView& other, Board::Index node) {
    if (!means(term, other)) return;
    ++domains.total;
    if (domains.of_node[node] != kNoDomain) {
      ++domains.pods[static_cast<std::size_t>(domains.of_node[node])];
    }
  });
  return domains;
}

Neighbours::Domains Neighbours::count_spread(const Spread& spread) const {
  Domains domains = make_domains(spread.topology);
  PodTerm counted;
  counted.selector = spread.selector;
  counted.namespaces = {pod_.key.ns};
  domains.counts_itself = means(counted, pod_);
  std::vector<bool> considered(board_.size());
  for (Board::Index i = 0; i < board_.size(); ++i) {
    const NodeView& node = board_.node(i);
    considered[i] = domains.of_node[i] != kNoDomain &&
                    (!spread.honors_affinity || matches_affinity(node, *pod_.needs)) &&
                    (!spread.honors_taints || untolerated_taint(node, *pod_.needs) == nullptr);
    if (considered[i]) domains.eligible[static_cast<std::size_t>(domains.of_node[i])] = true;
  }
  each_pod(board_, [&](const PodView& other, Board::Index node) {
    if (!considered[node] || other.being_deleted || !means(counted, other)) return;
    ++domains.pods[static_cast<std::size_t>(domains.of_node[node])];
  });
  find_fewest(domains);
  return domains;
}

void Neighbours::block(const PodView& other, Board::Index where) {
  for (const PodTerm& term : other.needs->apart) {
    if (!means(term, pod_) || !board_.node(where).labels.contains(term.topology)) continue;
    const std::string_view domain = label(board_.node(where), term.topology);
    for (Board::Index i = 0; i < board_.size(); ++i) {
      const NodeView& node = board_.node(i);
      if (node.labels.contains(term.topology) && label(node, term.topology) == domain) {
        blocked_[i] = true;
      }
    }
  }
}

/// Anti-affinity is mutual: who is there already may not want this pod beside it.
void Neighbours::block_for_others() {
  for (const Board::Put& put : board_.put_down()) {
    if (!put.pod->needs->apart.empty()) block(*put.pod, put.node);
  }
  if (board_.cluster().loners().empty()) return;
  std::unordered_map<std::string_view, Board::Index> numbers;
  for (Board::Index i = 0; i < board_.size(); ++i) numbers.emplace(board_.node(i).name, i);
  for (const PodView* other : board_.cluster().loners()) {
    const auto where = numbers.find(other->node);
    if (where != numbers.end()) block(*other, where->second);
  }
}

/// Pods that want to be near each other begin somewhere.
bool Neighbours::is_first_of_its_kind() const {
  return std::all_of(near_.begin(), near_.end(), [](const Domains& domains) {
    return domains.total == 0 && domains.counts_itself;
  });
}

std::int64_t Neighbours::pods_at(const Domains& domains, Board::Index node) {
  const int domain = domains.of_node[node];
  return domain == kNoDomain ? 0 : domains.pods[static_cast<std::size_t>(domain)];
}

void Neighbours::find_fewest(Domains& domains) {
  domains.fewest = std::numeric_limits<std::int64_t>::max();
  domains.eligible_count = 0;
  for (std::size_t i = 0; i < domains.pods.size(); ++i) {
    if (!domains.eligible[i]) continue;
    ++domains.eligible_count;
    domains.fewest = std::min(domains.fewest, domains.pods[i]);
  }
}

bool Neighbours::keeps_skew(const Spread& spread, const Domains& domains, Board::Index node) {
  if (domains.of_node[node] == kNoDomain) return false;
  const std::int64_t fewest = domains.eligible_count < spread.min_domains ? 0 : domains.fewest;
  const std::int64_t after = pods_at(domains, node) + (domains.counts_itself ? 1 : 0);
  return after - fewest <= spread.max_skew;
}

Neighbours::Verdict Neighbours::check(Board::Index node) const {
  const Needs& needs = *pod_.needs;
  for (std::size_t i = 0; i < spreads_.size(); ++i) {
    if (needs.spreads[i].required && !keeps_skew(needs.spreads[i], spreads_[i], node)) {
      return Verdict::kSpread;
    }
  }
  const bool first = is_first_of_its_kind();
  for (const Domains& domains : near_) {
    if (domains.of_node[node] == kNoDomain || (!first && pods_at(domains, node) == 0)) {
      return Verdict::kAffinity;
    }
  }
  for (const Domains& domains : apart_) {
    if (pods_at(domains, node) > 0) return Verdict::kAntiAffinity;
  }
  return blocked_[node] ? Verdict::kOthersAntiAffinity : Verdict::kWelcome;
}

std::int64_t Neighbours::preference(Board::Index node) const {
  const Needs& needs = *pod_.needs;
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < preferred_near_.size(); ++i) {
    if (pods_at(preferred_near_[i], node) > 0) sum += needs.preferred_near[i].weight;
  }
  for (std::size_t i = 0; i < preferred_apart_.size(); ++i) {
    if (pods_at(preferred_apart_[i], node) > 0) sum -= needs.preferred_apart[i].weight;
  }
  for (std::size_t i = 0; i < spreads_.size(); ++i) {
    if (!needs.spreads[i].required) sum -= pods_at(spreads_[i], node);
  }
  return sum;
}

void Neighbours::note_put(Board::Index node) {
  for (auto* list : {&near_, &apart_, &preferred_near_, &preferred_apart_, &spreads_}) {
    for (Domains& domains : *list) {
      if (!domains.counts_itself) continue;
      ++domains.total;
      if (domains.of_node[node] != kNoDomain) {
        ++domains.pods[static_cast<std::size_t>(domains.of_node[node])];
      }
    }
  }
  for (Domains& domains : spreads_) find_fewest(domains);
  // Its own anti-affinity speaks for itself: the pods put down next are counted by apart_, and
  // those of another kind look at what was put down.
}

}  // namespace trainyard::scheduler
