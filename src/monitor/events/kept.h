#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace trainyard::monitor {

/// Some of a long row of things, evenly spread over it, and always the last: when there are too
/// many, every other goes, and from then on fewer come in.
template <class Thing>
class Kept {
 public:
  explicit Kept(std::size_t most) : most_(most) {}

  void add(Thing thing) {
    if (has_extra_) things_.pop_back();  // the last one was only there because it was the last
    if (things_.size() >= most_) {
      std::vector<Thing> fewer;
      for (std::size_t i = 0; i < things_.size(); i += 2) fewer.push_back(std::move(things_[i]));
      things_ = std::move(fewer);
      every_ *= 2;
    }
    has_extra_ = seen_ % every_ != 0;
    ++seen_;
    things_.push_back(std::move(thing));
  }
  const std::vector<Thing>& things() const { return things_; }
  std::uint64_t seen() const { return seen_; }
  template <class Unwanted>
  void drop(Unwanted unwanted) {
    std::erase_if(things_, unwanted);
    has_extra_ = false;
  }

 private:
  std::size_t most_;
  std::vector<Thing> things_;
  std::uint64_t seen_ = 0;
  std::uint64_t every_ = 1;
  bool has_extra_ = false;
};

}  // namespace trainyard::monitor
