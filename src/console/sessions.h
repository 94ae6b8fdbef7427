#pragma once

#include "base/clock.h"
#include "base/ids.h"

#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace trainyard::console {

/// Who is logged in. A login link works once and soon; what it buys is a cookie that carries its
/// own end and a signature, so that nobody is logged out when the server starts anew.
class Sessions {
 public:
  /// `key` signs the cookies: keep it, and they stay valid.
  explicit Sessions(Clock& clock, std::string key = random_hex(32))
      : clock_(clock), key_(std::move(key)) {}

  /// The secret of a fresh login link.
  std::string make_link_secret();
  /// Trades a link's secret for a session; nothing when it is unknown, used or too old.
  std::optional<std::string> redeem(std::string_view secret);
  bool is_valid(std::string_view session) const;

 private:
  Clock& clock_;
  std::string key_;
  std::map<std::string, TimePoint, std::less<>> links_;  // secret → until
};

}  // namespace trainyard::console
