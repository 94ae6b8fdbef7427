#include "console/app_login.h"

#include "base/crypto/ids.h"

#include <fmt/format.h>

namespace trainyard::console {
namespace {

constexpr std::size_t kLabelSize = 32;  // 128 bits

}  // namespace

std::string AppLogin::label_of(const AppAddress& app, const Visitor& visitor) const {
  const Json whose{{"app", app.path()},
                   {"name", visitor.name},
                   {"uid", visitor.uid},
                   {"secret", visitor.secret_uid}};
  return sign(key_, to_text(whose)).substr(0, kLabelSize);
}

std::string AppLogin::make_link_secret(const AppAddress& app, const Visitor& visitor) {
  return sessions_.make_link_secret(visitor, app.path());
}

awaitable<std::optional<AppLogin::Entry>> AppLogin::redeem(std::string secret, std::string label) {
  const auto login = co_await sessions_.redeem(std::move(secret));
  if (!login) co_return std::nullopt;
  const auto app = parse_app_target(login->session->place);
  if (!app || !equal_secrets(label_of(*app, login->session->visitor), label)) {
    co_await sessions_.end(login->session);
    co_return std::nullopt;
  }
  // Strict: no other site's page makes the browser send it. Without Domain: no other host gets it.
  Entry entry{*app,
              fmt::format("{}={}; Path={}; HttpOnly; SameSite=Strict; Max-Age=604800", kCookie,
                          login->cookie, app->path()),
              login->session->visitor};
  co_return entry;
}

LoginSessionPtr AppLogin::session_of(std::string_view cookie, const AppAddress& app,
                                     std::string_view label) const {
  LoginSessionPtr session = sessions_.find(cookie);
  if (session == nullptr || session->place != app.path() ||
      !equal_secrets(label_of(app, session->visitor), label)) {
    return nullptr;
  }
  return session;
}

}  // namespace trainyard::console
