#pragma once

#include "console/app_address.h"
#include "console/sessions.h"

#include <optional>
#include <string>

namespace trainyard::console {

/// Names, links and cookies of apps, each for one visitor and one app.
///
/// An app's code is not ours. So that no app reaches another, nor what runs on other ports, each
/// has a name of its own for each visitor, LABEL.localhost: an origin, with a cookie that browsers
/// send there alone. The label cannot be guessed: whoever knew it could serve a page under that
/// name on another port, and cookies ignore ports. It stays the same, and with it what the app
/// keeps in the browser.
class AppLogin {
 public:
  static constexpr std::string_view kCookie = "trainyard_app";

  /// `key` makes the labels: keep it, and they stay.
  AppLogin(Sessions& sessions, std::string key) : sessions_(sessions), key_(std::move(key)) {}

  std::string label_of(const AppAddress& app, const Visitor& visitor) const;
  /// The secret of a fresh login link, to be used at that label.
  std::string make_link_secret(const AppAddress& app, const Visitor& visitor);

  struct Entry {
    AppAddress app;
    std::string set_cookie;  // the header's value
    Visitor visitor;
  };
  /// Nothing when the secret is unknown, used, too old, or of another label.
  awaitable<std::optional<Entry>> redeem(std::string secret, std::string label);
  /// The session of that cookie, if it is that app's and that label's; else null.
  LoginSessionPtr session_of(std::string_view cookie, const AppAddress& app,
                             std::string_view label) const;

 private:
  Sessions& sessions_;
  std::string key_;
};

}  // namespace trainyard::console
