#pragma once

#include "scheduler/plan/board.h"

#include <string_view>
#include <unordered_map>
#include <vector>

namespace trainyard::scheduler {

/// What pod affinity, anti-affinity and topology spread say of each node, for pods of one kind.
/// Counts the pods that are there and those that the plan has put down; told of each further one.
class Neighbours {
 public:
  enum class Verdict : std::uint8_t {
    kWelcome,
    kAffinity,
    kAntiAffinity,
    kOthersAntiAffinity,
    kSpread
  };

  Neighbours(const Board& board, const PodView& pod);

  Verdict check(Board::Index node) const;
  std::int64_t preference(Board::Index node) const;
  /// A pod of this kind was put there.
  void note_put(Board::Index node);

 private:
  static constexpr int kNoDomain = -1;  // the node lacks the label
  /// Nodes by the value of a label, and how many of the pods meant are in each.
  struct Domains {
    std::vector<int> of_node;
    std::vector<std::int64_t> pods;
    std::vector<bool> eligible;  // of a spread: domains with a node that counts
    bool counts_itself = false;
    std::int64_t total = 0;
    std::int64_t fewest = 0;  // pods in an eligible domain
    std::int64_t eligible_count = 0;
  };

  Domains make_domains(const std::string& topology) const;
  Domains count_term(const PodTerm& term) const;
  Domains count_spread(const Spread& spread) const;
  void block_for_others();
  void block(const PodView& other, Board::Index node);
  bool is_first_of_its_kind() const;
  static std::int64_t pods_at(const Domains& domains, Board::Index node);
  static void find_fewest(Domains& domains);
  static bool keeps_skew(const Spread& spread, const Domains& domains, Board::Index node);

  const Board& board_;
  const PodView& pod_;
  std::vector<Domains> near_, apart_, preferred_near_, preferred_apart_, spreads_;
  std::vector<bool> blocked_;  // by the anti-affinity of others
};

}  // namespace trainyard::scheduler
