#pragma once

#include "base/clock.h"
#include "base/notifier.h"
#include "base/result.h"
#include "console/visitor.h"

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace trainyard::console {

/// What somebody has logged in to, until it ends: a week later, or when they log out.
struct LoginSession {
  LoginSession(const Executor& loop, Visitor who, std::string where)
      : visitor(std::move(who)), place(std::move(where)), over(loop) {}

  Visitor visitor;
  std::string place;  // an app's path; of the console empty
  WallTime until;
  std::string cookie_hash;  // SHA-256, as of the secret
  std::string secret_hash;
  bool ended = false;
  Notifier over;  // tells when it has ended
};
using LoginSessionPtr = std::shared_ptr<LoginSession>;

/// Who is logged in. A login link works once and soon; what it buys is a session, which the server
/// knows by two halves: a cookie, which browsers send along to every port of this machine, and a
/// secret, which only pages of one origin have. Of both, hashes are kept, in a file that outlives
/// the server. What is not in the file is no session: where it is lost or damaged, everybody has to
/// log in anew, and nobody is in who should not be.
class Sessions {
 public:
  /// `file` is written on the executor `disk`; where it is empty, sessions end with the server.
  Sessions(Executor loop, Clock& clock, Executor disk, std::filesystem::path file);
  /// At the start; what cannot be read is logged, and as if it was not there.
  void load();

  /// The secret of a fresh login link, for that visitor and that place.
  std::string make_link_secret(Visitor visitor, std::string place = "");

  struct Login {
    std::string cookie;
    std::string secret;
    LoginSessionPtr session;
  };
  /// Trades a link's secret for a session; nothing when it is unknown, used or too old.
  awaitable<std::optional<Login>> redeem(std::string link);

  /// Whose cookie it is; null when nobody's, or their session has ended.
  LoginSessionPtr find(std::string_view cookie) const;
  static bool has_secret(const LoginSession& session, std::string_view secret);

  /// Ends a session, or all of one person. Returns when that is on disk.
  awaitable<void> end(LoginSessionPtr session);
  awaitable<void> end_all_of(std::string person);

  static constexpr std::size_t kMostOfOnePerson = 64;

 private:
  struct Link {
    TimePoint until;
    Visitor visitor;
    std::string place;
  };

  void forget(const std::function<bool(const LoginSession&)>& which);
  void make_room(const std::string& person);
  awaitable<void> save();
  std::string text() const;
  void read(const Json& kept);

  Executor loop_;
  Clock& clock_;
  Executor disk_;
  std::filesystem::path file_;
  std::map<std::string, Link> links_;                // by the hash of their secret
  std::map<std::string, LoginSessionPtr> sessions_;  // by the hash of their cookie
};

/// Does the work, and gives it up when the session ends meanwhile.
awaitable<void> until_ended(LoginSessionPtr session, awaitable<void> work);

}  // namespace trainyard::console
