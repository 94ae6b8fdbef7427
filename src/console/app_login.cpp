#include "console/app_login.h"

#include "object/json.h"

#include <fmt/format.h>

namespace trainyard::console {
namespace {

std::string write_subject(const AppAddress& app, const Visitor& visitor) {
  return to_text(Json{{"app", app.path()},
                      {"name", visitor.name},
                      {"uid", visitor.uid},
                      {"groups", JsonArray(visitor.groups.begin(), visitor.groups.end())},
                      {"secret", visitor.secret_uid}});
}

Visitor read_visitor(const Json& subject) {
  Visitor visitor;
  visitor.name = string_at(subject, "name");
  visitor.uid = string_at(subject, "uid");
  visitor.secret_uid = string_at(subject, "secret");
  for (const Json& group : array_at(subject, "groups")) {
    if (group.is_string()) visitor.groups.push_back(to_string(group.get_string()));
  }
  return visitor;
}

std::optional<Json> subject_of(const Sessions& sessions, std::string_view session) {
  const auto text = sessions.subject_of(session);
  if (!text) return std::nullopt;
  auto subject = parse_json(*text);
  if (!subject) return std::nullopt;
  return *std::move(subject);
}

}  // namespace

/// A key of its own: the console's cookies are none here, and none of these is one there.
AppLogin::AppLogin(Clock& clock, const std::string& session_key)
    : sessions_(clock, sign(session_key, "apps")) {}

std::string AppLogin::make_link_secret(const AppAddress& app, const Visitor& visitor) {
  return sessions_.make_link_secret(write_subject(app, visitor));
}

std::optional<AppLogin::Entry> AppLogin::redeem(std::string_view secret) {
  const auto session = sessions_.redeem(secret);
  if (!session) return std::nullopt;
  const auto subject = subject_of(sessions_, *session);
  const auto app = subject ? parse_app_target(string_at(*subject, "app")) : std::nullopt;
  if (!app) return std::nullopt;
  // Strict: no other site's page makes the browser send it.
  return Entry{*app, fmt::format("{}={}; Path={}; HttpOnly; SameSite=Strict; Max-Age=604800",
                                 kCookie, *session, app->path())};
}

std::optional<Visitor> AppLogin::visitor_of(std::string_view cookie, const AppAddress& app) const {
  const auto subject = subject_of(sessions_, cookie);
  if (!subject || string_at(*subject, "app") != app.path()) return std::nullopt;
  return read_visitor(*subject);
}

}  // namespace trainyard::console
