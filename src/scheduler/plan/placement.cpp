#include "scheduler/plan/placement.h"

#include "scheduler/plan/gang_placer.h"
#include "scheduler/plan/lone_order.h"
#include "scheduler/plan/reason.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace trainyard::scheduler {
namespace {

constexpr const char* kGated = "Scheduling is blocked due to non-empty scheduling gates";

/// A gang's turn.
struct Turn {
  GangKey key;
  const Cluster::Gang* gang = nullptr;
  std::int64_t priority = 0;
  std::string created;

  auto rank() const { return std::tie(created, key); }
};

bool goes_before(const Turn& a, const Turn& b) {
  if (a.priority != b.priority) return a.priority > b.priority;
  return a.rank() < b.rank();
}

Turn make_turn(const GangKey& key, const Cluster::Gang& gang) {
  Turn turn{key, &gang, gang.pending.begin()->second->priority,
            gang.pending.begin()->second->created};
  for (const auto& [name, pod] : gang.pending) {
    turn.priority = std::max(turn.priority, pod->priority);
    turn.created = std::min(turn.created, pod->created);
  }
  if (gang.group) {
    turn.created = gang.group->created;
    turn.priority = gang.group->priority.value_or(turn.priority);
  }
  return turn;
}

/// Gives each pod GPUs of its own, the first that are free: as many as it asks for, or none.
class GpuShares {
 public:
  explicit GpuShares(const Board& board) : board_(board) {}

  std::vector<int> give(const PodView& pod, Board::Index node) {
    const std::int64_t wanted = amount_of(pod.needs->requests, kGpu);
    std::vector<int> given;
    if (wanted == 0) return given;
    std::set<int>& taken = taken_on(node);
    for (int gpu = 0; std::ssize(given) < wanted && gpu < board_.all(node, kGpu); ++gpu) {
      if (!taken.contains(gpu)) given.push_back(gpu);
    }
    if (std::ssize(given) < wanted) return {};
    taken.insert(given.begin(), given.end());
    return given;
  }

 private:
  std::set<int>& taken_on(Board::Index node) {
    const auto [entry, added] = taken_.try_emplace(node);
    if (added) {
      for (const PodView* pod : board_.cluster().nodes().at(board_.node(node).name).pods) {
        entry->second.insert(pod->gpus.begin(), pod->gpus.end());
      }
    }
    return entry->second;
  }

  const Board& board_;
  std::map<Board::Index, std::set<int>> taken_;
};

class Planner {
 public:
  Planner(const Cluster& cluster, Rules rules)
      : cluster_(cluster), board_(cluster, rules), orders_(board_), gpus_(board_) {}

  SchedulePlan run() {
    number_gpus();
    std::vector<Turn> turns;
    turns.reserve(cluster_.waiting().size());
    for (const GangKey& key : cluster_.waiting()) {
      turns.push_back(make_turn(key, *cluster_.find_gang(key)));
    }
    std::sort(turns.begin(), turns.end(), goes_before);
    for (const Turn& turn : turns) consider(turn);
    return std::move(plan_);
  }

 private:
  struct Words {
    std::string summary;
    std::string advice;
  };

  /// Before any GPU is given to others.
  void number_gpus() {
    std::map<Key, const PodView*> pods;  // in an order that does not depend on memory
    for (const PodView* pod : cluster_.unnumbered()) pods.emplace(pod->key, pod);
    for (const auto& [key, pod] : pods) {
      const auto node = board_.find(pod->node);
      if (!node) continue;
      std::vector<int> given = gpus_.give(*pod, *node);
      if (!given.empty()) plan_.numbered.push_back(Placement{key, pod->node, std::move(given)});
    }
  }

  void consider(const Turn& turn) {
    const Cluster::Gang& gang = *turn.gang;
    if (!turn.key.alone && !gang.group) {
      return wait(turn, Waiting::Cause::kIncomplete, "",
                  fmt::format("its PodGroup {} does not exist: create it, or remove the "
                              "annotation that names it",
                              turn.key.name));
    }
    const std::int64_t least = gang.group ? gang.group->min_members : 1;
    const auto members = std::ssize(gang.pending) + std::ssize(gang.placed);
    if (members < least) {
      return wait(
          turn, Waiting::Cause::kIncomplete, "",
          fmt::format("{} of the gang's {} pods exist; it is placed when all do", members, least));
    }
    std::vector<const PodView*> ready;
    Waiting gated{turn.key, Waiting::Cause::kGated, {}, kGated, ""};
    for (const auto& [key, pod] : gang.pending) {
      if (pod->gated) {
        gated.pods.push_back(key);
      } else {
        ready.push_back(pod);
      }
    }
    if (!gated.pods.empty()) plan_.waiting.push_back(std::move(gated));
    const std::int64_t missing = std::max<std::int64_t>(1, least - std::ssize(gang.placed));
    if (std::ssize(ready) >= missing) {
      place(turn, ready, static_cast<std::size_t>(missing));
    } else if (!ready.empty()) {
      Waiting waiting{turn.key,
                      Waiting::Cause::kIncomplete,
                      {},
                      "",
                      "waits for members of its gang that scheduling gates hold back"};
      for (const PodView* pod : ready) waiting.pods.push_back(pod->key);
      plan_.waiting.push_back(std::move(waiting));
    }
  }

  void place(const Turn& turn, const std::vector<const PodView*>& pods, std::size_t needed) {
    Misfit misfit{turn.key, pods, needed, hopeless(pods, needed), std::nullopt};
    if (misfit.left != nullptr) {
      if (const Words* words = known_words(misfit)) return tell(misfit, *words);
    }
    const std::size_t mark = board_.put_down().size();
    const GangOutcome outcome = put(pods);
    misfit.left = outcome.first_left;
    if (outcome.most >= 0) most_[outcome.first_left->needs.get()] = outcome.most;
    const bool enough = outcome.put >= needed;
    if (enough) accept(turn, mark);
    if (misfit.left == nullptr) return;
    if (enough) {  // the rest may join later, one by one
      misfit.needed = 1;
      std::set<const PodView*> placed;
      for (std::size_t i = mark; i < board_.put_down().size(); ++i) {
        placed.insert(board_.put_down()[i].pod);
      }
      std::erase_if(misfit.pods, [&](const PodView* pod) { return placed.contains(pod); });
    }
    tell(misfit, explain(misfit, enough ? board_.put_down().size() : mark));
  }

  void tell(const Misfit& misfit, const Words& words) {
    Waiting waiting{misfit.gang,
                    Waiting::Cause::kUnschedulable,
                    {},
                    words.summary,
                    fmt::format("{} {}.", gang_words(misfit.gang), words.advice)};
    for (const PodView* pod : misfit.pods) waiting.pods.push_back(pod->key);
    plan_.waiting.push_back(std::move(waiting));
  }

  GangOutcome put(const std::vector<const PodView*>& pods) {
    const PodView& first = *pods.front();
    const bool simple =
        pods.size() == 1 && !first.needs->depends_on_pods() && first.needs->unsupported.empty();
    if (!simple || board_.has_loners()) return put_gang(board_, pods);
    if (const auto node = orders_.best(*first.needs)) {
      board_.put(first, *node);
      return GangOutcome{1, nullptr, -1};
    }
    return GangOutcome{0, &first, 0};
  }

  /// A pod of a kind of which an earlier gang has found too few places: room only shrinks while a
  /// plan is made, so there is no need to look at every node again. Null: one has to look.
  const PodView* hopeless(const std::vector<const PodView*>& pods, std::size_t needed) const {
    if (board_.has_loners() || most_.empty()) return nullptr;
    std::map<const Needs*, std::size_t> counts;
    for (const PodView* pod : pods) ++counts[pod->needs.get()];
    for (const PodView* pod : pods) {
      const auto known = most_.find(pod->needs.get());
      if (known == most_.end()) continue;
      const std::size_t others = pods.size() - counts[pod->needs.get()];
      const std::int64_t must =
          static_cast<std::int64_t>(needed) - static_cast<std::int64_t>(others);
      if (must > known->second) return pod;
    }
    return nullptr;
  }

  void accept(const Turn& turn, std::size_t mark) {
    Placed placed{turn.key, {}};
    std::set<Board::Index> touched;
    for (std::size_t i = mark; i < board_.put_down().size(); ++i) {
      const Board::Put& put = board_.put_down()[i];
      placed.pods.push_back(
          Placement{put.pod->key, board_.node(put.node).name, gpus_.give(*put.pod, put.node)});
      touched.insert(put.node);
    }
    for (const Board::Index node : touched) orders_.update(node);
    plan_.placed.push_back(std::move(placed));
  }

  /// Equal gangs that wait for the same get the same words, as long as nothing is put down.
  using Kind = std::tuple<const Needs*, std::string, std::size_t, std::size_t>;
  static Kind kind_of(const Misfit& misfit) {
    return {misfit.left->needs.get(), misfit.gang.ns, misfit.pods.size(), misfit.needed};
  }
  const Words* known_words(const Misfit& misfit) const {
    const auto found = explained_.find(kind_of(misfit));
    const bool valid = found != explained_.end() && explained_at_ == board_.put_down().size();
    return valid ? &found->second : nullptr;
  }
  /// Takes what does not stay off the board.
  const Words& explain(Misfit& misfit, std::size_t staying) {
    if (explained_at_ != staying) explained_.clear();
    explained_at_ = staying;
    Words& words = explained_[kind_of(misfit)];
    words.summary = explainer_.summarize(board_, misfit);
    board_.take_up_to(staying);
    words.advice = explainer_.advise(board_, misfit);
    return words;
  }

  void wait(const Turn& turn, Waiting::Cause cause, std::string summary, std::string advice) {
    Waiting waiting{turn.key, cause, {}, std::move(summary), std::move(advice)};
    for (const auto& [key, pod] : turn.gang->pending) waiting.pods.push_back(key);
    plan_.waiting.push_back(std::move(waiting));
  }

  const Cluster& cluster_;
  Board board_;
  LoneOrders orders_;
  GpuShares gpus_;
  Explainer explainer_;
  std::map<const Needs*, std::int64_t> most_;  // places that were found for a kind of pod
  std::map<Kind, Words> explained_;
  std::size_t explained_at_ = 0;  // with so many pods on the board
  SchedulePlan plan_;
};

}  // namespace

SchedulePlan plan_placements(const Cluster& cluster, Rules rules) {
  return Planner(cluster, rules).run();
}

}  // namespace trainyard::scheduler
