#pragma once

#include <functional>
#include <utility>
#include <vector>

namespace trainyard::server {

/// What one write under way takes for itself, so that no other write takes it, too: a part of a
/// quota, ports of the node. It is given back when this goes, which is when the write is visible
/// and counts by itself, or has failed (Store::Write::keep).
class Hold {
 public:
  Hold() = default;
  ~Hold() {
    for (const auto& give_back : taken_) give_back();
  }
  Hold(const Hold&) = delete;
  Hold& operator=(const Hold&) = delete;

  /// `give_back` may run after whoever keeps the books has gone: it shares what it changes.
  void add(std::function<void()> give_back) { taken_.push_back(std::move(give_back)); }

 private:
  std::vector<std::function<void()>> taken_;
};

}  // namespace trainyard::server
