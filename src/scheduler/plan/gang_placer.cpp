#include "scheduler/plan/gang_placer.h"

#include "scheduler/plan/neighbours.h"
#include "scheduler/plan/suitability.h"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>

namespace trainyard::scheduler {
namespace {

struct Candidate {
  Board::Index node = 0;
  std::int64_t preference = 0;
  bool wastes = false;
  // These change while the gang is put down.
  std::int64_t fits = 0;
  double room = 0;
  bool used = false;  // by the gang already

  /// What counts before room does: smaller is better.
  auto rank() const { return std::make_tuple(-preference, !used, wastes); }
};

/// The best first: of equal rank the one that takes most, then the fullest.
bool takes_more(const Candidate& a, const Candidate& b) {
  return std::make_tuple(a.rank(), -a.fits, a.room, a.node) <
         std::make_tuple(b.rank(), -b.fits, b.room, b.node);
}

/// Of equal rank the one that has least room left.
bool is_fuller(const Candidate& a, const Candidate& b) {
  return std::make_tuple(a.rank(), a.fits, a.room, a.node) <
         std::make_tuple(b.rank(), b.fits, b.room, b.node);
}

struct ClassWork {
  PodClass pods;
  std::vector<Candidate> candidates;  // nodes that suit and have room for one at least
  std::int64_t most = 0;

  auto urgency() const {
    const Amounts& requests = pods.needs().requests;
    return std::make_tuple(candidates.size(), -amount_of(requests, kGpu),
                           -amount_of(requests, kMemory), pods.pods.front()->key);
  }
};

class GangPlacer {
 public:
  explicit GangPlacer(Board& board) : board_(board), used_(board.size()) {}

  GangOutcome run(const std::vector<const PodView*>& pods) {
    std::vector<ClassWork> work;
    for (PodClass& one : classify(board_, pods)) work.push_back(look(std::move(one)));
    // The kind with the fewest places goes first, else the others may take them; then the largest.
    std::sort(work.begin(), work.end(),
              [](const ClassWork& a, const ClassWork& b) { return a.urgency() < b.urgency(); });
    GangOutcome outcome;
    for (ClassWork& one : work) {
      const std::size_t put = place(one);
      outcome.put += put;
      if (put < one.pods.pods.size() && outcome.first_left == nullptr) {
        outcome.first_left = one.pods.pods[put];
        const bool alone_decides = !one.pods.needs().depends_on_pods() && !board_.has_loners();
        if (alone_decides) outcome.most = one.most;
      }
    }
    return outcome;
  }

 private:
  ClassWork look(PodClass pods) const {
    ClassWork work;
    const Needs& needs = pods.needs();
    if (needs.unsupported.empty()) {
      for (Board::Index i = 0; i < board_.size(); ++i) {
        const std::int64_t fits = board_.fits(i, needs);
        if (fits <= 0 || check_node(board_.node(i), needs).refusal != Refusal::kNone) continue;
        Candidate candidate;
        candidate.node = i;
        candidate.preference = preference(board_.node(i), needs);
        candidate.wastes = board_.wastes(i, needs);
        candidate.fits = fits;
        work.most += fits;
        work.candidates.push_back(candidate);
      }
    }
    work.pods = std::move(pods);
    return work;
  }

  std::size_t place(ClassWork& work) {
    std::optional<Neighbours> neighbours;
    if (work.pods.needs().depends_on_pods() || board_.has_loners()) {
      neighbours.emplace(board_, *work.pods.pods.front());
    }
    if (work.pods.needs().depends_on_pods()) return place_singly(work, *neighbours);
    for (Candidate& candidate : work.candidates) refresh(candidate, work.pods.needs());
    std::erase_if(work.candidates, [&](const Candidate& candidate) {
      return candidate.fits == 0 ||
             (neighbours && neighbours->check(candidate.node) != Neighbours::Verdict::kWelcome);
    });
    return place_in_bulk(work);
  }

  void refresh(Candidate& candidate, const Needs& needs) const {
    candidate.fits = board_.fits(candidate.node, needs);
    candidate.room = board_.roominess(candidate.node);
    candidate.used = used_[candidate.node];
  }

  void put(const PodView& pod, Board::Index node) {
    board_.put(pod, node);
    used_[node] = true;
  }

  /// Fills whole nodes, the roomiest first, so that few are needed; what is left goes where it
  /// leaves least room.
  std::size_t place_in_bulk(ClassWork& work) {
    const auto& pods = work.pods.pods;
    auto& heap = work.candidates;  // few of very many nodes are needed: sorting all would be waste
    const auto is_worse = [](const Candidate& a, const Candidate& b) { return takes_more(b, a); };
    std::make_heap(heap.begin(), heap.end(), is_worse);
    std::size_t next = 0;
    while (next < pods.size() && !heap.empty()) {
      const auto left = static_cast<std::int64_t>(pods.size() - next);
      Candidate chosen = heap.front();
      if (chosen.fits >= left) {
        for (const Candidate& other : heap) {
          if (other.rank() == chosen.rank() && other.fits >= left && is_fuller(other, chosen)) {
            chosen = other;
          }
        }
      } else {
        std::pop_heap(heap.begin(), heap.end(), is_worse);
        heap.pop_back();
      }
      const std::int64_t here = std::min(chosen.fits, left);
      for (std::int64_t i = 0; i < here; ++i) put(*pods[next++], chosen.node);
    }
    return next;
  }

  /// Where pods look at each other, each may change what the next one is allowed.
  std::size_t place_singly(ClassWork& work, Neighbours& neighbours) {
    std::size_t next = 0;
    for (const PodView* pod : work.pods.pods) {
      std::optional<Candidate> best;
      for (const Candidate& listed : work.candidates) {
        Candidate candidate = listed;
        refresh(candidate, work.pods.needs());
        if (candidate.fits == 0 ||
            neighbours.check(candidate.node) != Neighbours::Verdict::kWelcome) {
          continue;
        }
        candidate.preference += neighbours.preference(candidate.node);
        if (!best || is_fuller(candidate, *best)) best = candidate;
      }
      if (!best) break;
      put(*pod, best->node);
      neighbours.note_put(best->node);
      ++next;
    }
    return next;
  }

  Board& board_;
  std::vector<bool> used_;
};

}  // namespace

std::vector<PodClass> classify(const Board& board, const std::vector<const PodView*>& pods) {
  const bool by_labels = board.has_loners() ||
                         std::any_of(pods.begin(), pods.end(),
                                     [](const PodView* pod) { return !pod->needs->apart.empty(); });
  std::map<std::pair<const Needs*, std::string>, std::size_t> numbers;
  std::vector<PodClass> classes;
  for (const PodView* pod : pods) {
    std::string labels;
    if (by_labels) labels = to_text(*pod->labels);
    const auto [entry, added] =
        numbers.emplace(std::make_pair(pod->needs.get(), std::move(labels)), classes.size());
    if (added) classes.emplace_back();
    classes[entry->second].pods.push_back(pod);
  }
  return classes;
}

GangOutcome put_gang(Board& board, const std::vector<const PodView*>& pods) {
  return GangPlacer(board).run(pods);
}

}  // namespace trainyard::scheduler
