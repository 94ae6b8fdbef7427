#include "scheduler/plan/advice.h"
#include "scheduler/plan/gang_placer.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

namespace trainyard::scheduler {
namespace {

/// A gang that runs on the nodes in question.
struct Holder {
  GangKey gang;
  std::int64_t amount = 0;  // of what is short
  std::vector<Board::Put> pods;
};

bool would_fit(Board board, const Misfit& misfit) {
  return put_gang(board, misfit.pods).put >= misfit.needed;
}

class RoomAdvice {
 public:
  RoomAdvice(const Board& board, const Misfit& misfit, const std::vector<Board::Index>& suitable,
             int& trials)
      : board_(board), misfit_(misfit), suitable_(suitable), trials_(trials) {
    short_ = find_short();
    for (std::size_t i = 0; i < std::min(misfit.needed, misfit.pods.size()); ++i) {
      wanted_ += amount_of(misfit.pods[i]->needs->requests, short_);
    }
    each_ = amount_of(misfit.left->needs->requests, short_);
    for (const Board::Index node : suitable) {
      free_ += std::max<std::int64_t>(0, board.free(node, short_));
      all_ += board.all(node, short_);
    }
  }

  std::string run() {
    Board empty = board_;
    empty.release_all();
    --trials_;
    const bool never = !would_fit(std::move(empty), misfit_);
    find_holders();
    if (never) {
      return fmt::format("could never fit: needs {}, {}: {}", amount_words(wanted_),
                         capacity_words(), never_advice());
    }
    return fmt::format("needs {}, {}{}: {}", amount_words(wanted_), free_words(), holder_words(),
                       waiting_advice());
  }

 private:
  /// The resource of which the fewest pods' worth is free.
  ResourceId find_short() const {
    const Needs& needs = *misfit_.left->needs;
    ResourceId scarcest = kPodCount;
    std::int64_t fewest = std::int64_t{1} << 60;
    for (ResourceId id = 0; id < needs.requests.size(); ++id) {
      if (needs.requests[id] <= 0 || !board_.counts(id)) continue;
      std::int64_t fits = 0;
      for (const Board::Index node : suitable_) {
        fits += std::max<std::int64_t>(0, board_.free(node, id)) / needs.requests[id];
      }
      if (fits < fewest) {
        fewest = fits;
        scarcest = id;
      }
    }
    return scarcest;
  }

  std::string amount_words(std::int64_t amount) const {
    const std::string& name = board_.cluster().resources().name(short_);
    const std::string text = amount_text(short_, amount);
    if (short_ == kPodCount) return fmt::format("{} place{}", text, amount == 1 ? "" : "s");
    if (short_ == kCpu || short_ == kMemory) return fmt::format("{} of {}", text, name);
    return fmt::format("{} × {}", text, name);
  }

  /// Whether it is the size of one pod, not the gang's, that no node has.
  bool one_pod_is_too_large(bool when_empty) const {
    return std::all_of(suitable_.begin(), suitable_.end(), [&](Board::Index node) {
      return (when_empty ? board_.all(node, short_) : board_.free(node, short_)) < each_;
    });
  }

  Board::Index roomiest(bool when_empty) const {
    return *std::max_element(suitable_.begin(), suitable_.end(),
                             [&](Board::Index a, Board::Index b) {
                               return when_empty ? board_.all(a, short_) < board_.all(b, short_)
                                                 : board_.free(a, short_) < board_.free(b, short_);
                             });
  }

  std::string capacity_words() const {
    if (suitable_.size() == 1) {
      return fmt::format("{} has {}", name(suitable_[0]), text(board_.all(suitable_[0], short_)));
    }
    const std::string nodes = fmt::format("the {} nodes that suit it", suitable_.size());
    if (one_pod_is_too_large(true)) {
      return fmt::format("{} of them for one pod, and of {} none has more than {}", text(each_),
                         nodes, text(board_.all(roomiest(true), short_)));
    }
    return fmt::format("{} have {}", nodes, text(all_));
  }

  std::string free_words() const {
    if (suitable_.size() == 1) {
      const Board::Index node = suitable_[0];
      return fmt::format("{} has {} free of {}", name(node), text(free_),
                         text(board_.all(node, short_)));
    }
    if (one_pod_is_too_large(false)) {
      const Board::Index best = roomiest(false);
      return fmt::format("{} for one pod, and the node with most, {}, has {} free of {}",
                         text(each_), name(best),
                         text(std::max<std::int64_t>(0, board_.free(best, short_))),
                         text(board_.all(best, short_)));
    }
    return fmt::format("the {} nodes that suit it have {} free of {}", suitable_.size(),
                       text(free_), text(all_));
  }

  void find_holders() {
    if (trials_ <= 0) return;
    std::map<GangKey, Holder> found;
    const auto note = [&](const PodView& pod, Board::Index node) {
      const std::int64_t amount = amount_of(pod.needs->requests, short_);
      if (amount == 0) return;
      Holder& holder = found[gang_of(pod)];
      holder.amount += amount;
      holder.pods.push_back(Board::Put{&pod, node});
    };
    for (const Board::Index node : suitable_) {
      for (const PodView* pod : board_.cluster().nodes().at(name(node)).pods) note(*pod, node);
    }
    for (const Board::Put& put : board_.put_down()) {
      if (std::binary_search(suitable_.begin(), suitable_.end(), put.node))
        note(*put.pod, put.node);
    }
    for (auto& [gang, holder] : found) {
      holder.gang = gang;
      holders_.push_back(std::move(holder));
    }
    std::sort(holders_.begin(), holders_.end(), [](const Holder& a, const Holder& b) {
      return std::make_pair(-a.amount, a.gang) < std::make_pair(-b.amount, b.gang);
    });
  }

  /// What runs in other namespaces is not everybody's business.
  bool may_be_named(const Holder& holder) const { return holder.gang.ns == misfit_.gang.ns; }

  /// " (job a holds 2, others hold 1)".
  std::string holder_words() const {
    constexpr std::size_t kMostNamed = 3;
    std::vector<std::string> parts;
    std::int64_t others = 0;
    for (const Holder& holder : holders_) {
      if (parts.size() < kMostNamed && may_be_named(holder)) {
        parts.push_back(fmt::format("{} holds {}", gang_words(holder.gang), text(holder.amount)));
      } else {
        others += holder.amount;
      }
    }
    if (others > 0) parts.push_back(fmt::format("others hold {}", text(others)));
    return parts.empty() ? "" : fmt::format(" ({})", fmt::join(parts, ", "));
  }

  bool fits_without(const std::vector<const Holder*>& gone) {
    if (--trials_ < 0) return false;
    Board board = board_;
    for (const Holder* holder : gone) {
      for (const Board::Put& pod : holder->pods) board.release(pod);
    }
    return would_fit(std::move(board), misfit_);
  }

  /// The smallest holder whose end is enough; else the largest ones together.
  std::vector<const Holder*> find_way() {
    constexpr int kMostTried = 8;
    int tried = 0;
    for (auto holder = holders_.rbegin(); holder != holders_.rend() && tried < kMostTried;
         ++holder) {
      const bool may_be_enough = holder->amount + free_ >= wanted_;
      if (!may_be_enough) continue;
      ++tried;
      if (fits_without({&*holder})) return {&*holder};
    }
    std::vector<const Holder*> way;
    for (const Holder& holder : holders_) {
      way.push_back(&holder);
      if (way.size() > kMostTried) return {};
      if (fits_without(way)) return way;
    }
    return {};
  }

  std::string waiting_advice() {
    std::vector<std::string> names;
    bool others = false;
    for (const Holder* holder : find_way()) {
      if (may_be_named(*holder)) {
        names.push_back(gang_words(holder->gang));
      } else {
        others = true;
      }
    }
    if (others || names.empty()) names.emplace_back("others to end");
    std::string advice = fmt::format("waits for {}", fmt::join(names, " and "));
    const std::string flag = flag_for(amount_held() + wanted_);
    if (!flag.empty()) advice += ", or " + flag;
    return advice;
  }

  std::int64_t amount_held() const { return all_ - free_; }

  std::string never_advice() const {
    const std::string flag = flag_for(wanted_);
    // Real ones will not come: most who ask for them here have a job for a cluster in hand.
    if (short_ == kGpu && all_ == 0 && !flag.empty()) {
      return fmt::format(
          "to train on the processor, take {} out of its resources and use gloo in place of nccl; "
          "to try out how jobs get GPUs, {}",
          board_.cluster().resources().name(kGpu), flag);
    }
    const bool gang = misfit_.pods.size() > 1 && !one_pod_is_too_large(true);
    const char* less = gang ? "ask for less or use fewer replicas" : "ask for less";
    return flag.empty() ? less : fmt::format("{}, or {}", flag, less);
  }

  /// What to start the server with so that there is enough; empty when nothing of the kind helps.
  std::string flag_for(std::int64_t enough) const {
    if (short_ == kMemory) return "start with --overcommit-memory";
    if (short_ != kGpu) return {};
    const bool can_be_faked =
        board_.node(suitable_[0]).fake_gpus || board_.all(suitable_[0], kGpu) == 0;
    if (!can_be_faked) return {};
    if (board_.size() == 1) return fmt::format("start with --fake-gpus {}", enough);
    return fmt::format("give more nodes, or nodes with gpu={} at least, in --nodes", each_);
  }

  std::string text(std::int64_t amount) const { return amount_text(short_, amount); }
  const std::string& name(Board::Index node) const { return board_.node(node).name; }

  const Board& board_;
  const Misfit& misfit_;
  const std::vector<Board::Index>& suitable_;
  int& trials_;
  ResourceId short_ = kPodCount;
  std::int64_t wanted_ = 0;  // by all that must fit at once
  std::int64_t each_ = 0;    // by the pod for which no node was found
  std::int64_t free_ = 0;
  std::int64_t all_ = 0;
  std::vector<Holder> holders_;  // the largest first
};

}  // namespace

std::string advise_on_room(const Board& board, const Misfit& misfit,
                           const std::vector<Board::Index>& suitable, int& trials) {
  return RoomAdvice(board, misfit, suitable, trials).run();
}

}  // namespace trainyard::scheduler
