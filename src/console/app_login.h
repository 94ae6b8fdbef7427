#pragma once

#include "console/app_address.h"
#include "console/sessions.h"

#include <optional>
#include <string>
#include <vector>

namespace trainyard::console {

/// Who wants to use an app, as the API server knows them.
struct Visitor {
  std::string name;
  std::string uid;
  std::vector<std::string> groups;
  /// Of people whom `trainyard user add` let in: the uid of their Secret. When it is gone, they
  /// are.
  std::string secret_uid;
};

/// Login links and cookies of apps. Each is for one visitor and one app.
class AppLogin {
 public:
  static constexpr std::string_view kCookie = "trainyard_app";

  AppLogin(Clock& clock, const std::string& session_key);

  /// The secret of a fresh login link.
  std::string make_link_secret(const AppAddress& app, const Visitor& visitor);

  struct Entry {
    AppAddress app;
    std::string set_cookie;  // the header's value
  };
  /// Nothing when the secret is unknown, used or too old.
  std::optional<Entry> redeem(std::string_view secret);
  /// Who holds that cookie of that app.
  std::optional<Visitor> visitor_of(std::string_view cookie, const AppAddress& app) const;

 private:
  Sessions sessions_;
};

}  // namespace trainyard::console
