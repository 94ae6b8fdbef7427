#pragma once

#include "base/clock.h"

#include <cstddef>
#include <map>
#include <string>
#include <string_view>

namespace trainyard::console {

/// Downloads are left to the browser, which sends the session's cookie and no header of ours: each
/// gets a ticket instead, with the session's secret, for one path, once and at once.
class Tickets {
 public:
  explicit Tickets(Clock& clock) : clock_(clock) {}

  /// `holder` is the session's, `target` the path with its query.
  std::string make(std::string holder, std::string target);
  /// Whether it was made for them; it is used up, whatever the answer.
  bool redeem(std::string_view ticket, const std::string& holder, const std::string& target);

  static constexpr std::size_t kMost = 1024;

 private:
  struct Ticket {
    TimePoint until;
    std::string holder;
    std::string target;
  };
  Clock& clock_;
  std::map<std::string, Ticket> tickets_;  // by their hash
};

}  // namespace trainyard::console
