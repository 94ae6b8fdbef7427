#pragma once

#include "base/async.h"
#include "object/values/metadata.h"

#include <cstdint>
#include <map>
#include <memory>
#include <string>

namespace trainyard::store {

class Collection;

/// Lets objects that nobody has looked at for a while give up their trees: of ten thousand pods
/// only those that something happens to need more than their text.
class Resting {
 public:
  using Collections = std::map<std::string, std::unique_ptr<Collection>>;
  /// `collections` may grow, and must live longer.
  Resting(const Executor& loop, const Collections& collections);
  ~Resting();

  /// Something has been written, so trees have been made: all are asked, twice, a moment later, and
  /// at once when many have been made meanwhile. In a server where nothing happens nothing is done.
  void soon();

 private:
  struct Timer;
  void wait();
  void ask_some();
  void end_round();
  void ask_all_now();

  const Collections& collections_;
  std::shared_ptr<Timer> timer_;  // its handlers know by it whether this still lives
  int rounds_ = 0;                // still to be made
  std::uint64_t trees_at_last_round_ = 0;
  bool is_asking_all_ = false;
  bool under_way_ = false;
  std::string collection_;  // where the round is; empty: at its begin
  Key after_;
};

}  // namespace trainyard::store
