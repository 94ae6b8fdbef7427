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

  /// The secret of a fresh login link. What it buys is for `subject`: any text.
  std::string make_link_secret(std::string subject = "");
  /// Trades a link's secret for a session; nothing when it is unknown, used or too old.
  std::optional<std::string> redeem(std::string_view secret);
  bool is_valid(std::string_view session) const { return subject_of(session).has_value(); }
  /// Whose session it is; nothing when it is none, or has ended.
  std::optional<std::string> subject_of(std::string_view session) const;

 private:
  Clock& clock_;
  std::string key_;
  struct Link {
    TimePoint until;
    std::string subject;
  };
  std::map<std::string, Link, std::less<>> links_;  // by secret
};

}  // namespace trainyard::console
