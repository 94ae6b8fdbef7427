#include "console/sessions.h"

#include "base/crypto/ids.h"
#include "base/elsewhere.h"
#include "base/files/files.h"
#include "base/log.h"

#include <boost/asio/experimental/awaitable_operators.hpp>

#include <algorithm>
#include <exception>
#include <utility>
#include <vector>

namespace trainyard::console {
namespace {

using namespace std::chrono_literals;
constexpr auto kLinkLife = 10min;
constexpr auto kSessionLife = 7 * 24h;
constexpr std::size_t kSecretBytes = 24;

/// What of one person's is to go, so that there is room for one more: those that began first.
template <class Map, class IsTheirs, class Until>
std::vector<std::string> oldest_of(const Map& map, const IsTheirs& is_theirs, const Until& until) {
  std::vector<std::pair<decltype(until(map.begin()->second)), std::string>> theirs;
  for (const auto& [hash, entry] : map) {
    if (is_theirs(entry)) theirs.emplace_back(until(entry), hash);
  }
  std::ranges::sort(theirs);
  std::vector<std::string> oldest;
  for (std::size_t i = 0; i + Sessions::kMostOfOnePerson <= theirs.size(); ++i) {
    oldest.push_back(std::move(theirs[i].second));
  }
  return oldest;
}

awaitable<void> wait_for_end(LoginSessionPtr session) {
  while (!session->ended) co_await session->over.wait();
}

awaitable<void> keep_failure(awaitable<void> work, std::exception_ptr* failure) {
  try {
    co_await std::move(work);
  } catch (...) {
    *failure = std::current_exception();
  }
}

}  // namespace

Sessions::Sessions(Executor loop, Clock& clock, Executor disk, std::filesystem::path file)
    : loop_(std::move(loop)), clock_(clock), disk_(std::move(disk)), file_(std::move(file)) {}

void Sessions::load() {
  if (file_.empty()) return;
  const auto text = read_file(file_);
  if (text.failed_with(Code::kNotFound)) return;
  const auto kept = text ? parse_json(*text) : Result<Json>(text.error());
  if (!kept) {
    log_warn("everybody has to log in anew",
             {{"file", file_.string()}, {"cause", kept.error().message()}});
    return;
  }
  read(*kept);
}

void Sessions::read(const Json& kept) {
  for (const Json& one : array_at(kept, "sessions")) {
    const auto until = parse_time(string_at(one, "until"));
    const std::string cookie(string_at(one, "cookie"));
    const std::string secret(string_at(one, "secret"));
    const std::size_t length = sha256_hex("").size();
    if (!until || *until <= clock_.wall() || cookie.size() != length || secret.size() != length) {
      continue;
    }
    const Json* visitor = trainyard::find(one, "visitor");
    auto session = std::make_shared<LoginSession>(
        loop_, visitor == nullptr ? Visitor() : read_visitor(*visitor),
        std::string(string_at(one, "place")));
    session->until = *until;
    session->cookie_hash = cookie;
    session->secret_hash = secret;
    sessions_[cookie] = std::move(session);
  }
}

std::string Sessions::text() const {
  JsonArray all;
  for (const auto& [cookie, session] : sessions_) {
    all.push_back({{"cookie", cookie},
                   {"secret", session->secret_hash},
                   {"until", format_time(session->until)},
                   {"place", session->place},
                   {"visitor", to_json(session->visitor)}});
  }
  return to_text(Json{{"sessions", std::move(all)}});
}

awaitable<void> Sessions::save() {
  if (file_.empty()) co_return;
  const auto saved = co_await run_elsewhere(disk_, [file = file_, text = text()]() -> Result<> {
    TRY_OK(make_folders(file.parent_path(), 0700));
    auto written = write_file(file, text, 0600);
    // On a full disk an old file would bring sessions back that have ended; to remove it takes no
    // room.
    std::error_code ignored;
    if (!written) std::filesystem::remove(file, ignored);
    return written;
  });
  if (saved) co_return;
  log_error("who is logged in will be forgotten with this process",
            {{"file", file_.string()}, {"cause", saved.error().message()}});
}

std::string Sessions::make_link_secret(Visitor visitor, std::string place) {
  const TimePoint now = clock_.now();
  std::erase_if(links_, [&](const auto& link) { return link.second.until <= now; });
  const std::vector<std::string> oldest = oldest_of(
      links_, [&](const Link& link) { return link.visitor.name == visitor.name; },
      [](const Link& link) { return link.until; });
  for (const std::string& hash : oldest) links_.erase(hash);
  std::string secret = random_hex(kSecretBytes);
  links_[sha256_hex(secret)] = Link{now + kLinkLife, std::move(visitor), std::move(place)};
  return secret;
}

awaitable<std::optional<Sessions::Login>> Sessions::redeem(std::string link) {
  const auto found = links_.find(sha256_hex(link));
  if (found == links_.end()) co_return std::nullopt;
  Link used = std::move(found->second);
  links_.erase(found);
  if (clock_.now() >= used.until) co_return std::nullopt;
  make_room(used.visitor.name);
  Login login{
      random_hex(kSecretBytes), random_hex(kSecretBytes),
      std::make_shared<LoginSession>(loop_, std::move(used.visitor), std::move(used.place))};
  login.session->until = clock_.wall() + kSessionLife;
  login.session->cookie_hash = sha256_hex(login.cookie);
  login.session->secret_hash = sha256_hex(login.secret);
  sessions_[login.session->cookie_hash] = login.session;
  co_await save();
  co_return login;
}

void Sessions::make_room(const std::string& person) {
  forget([now = clock_.wall()](const LoginSession& session) { return session.until <= now; });
  const std::vector<std::string> oldest = oldest_of(
      sessions_, [&](const LoginSessionPtr& session) { return session->visitor.name == person; },
      [](const LoginSessionPtr& session) { return session->until; });
  forget([&](const LoginSession& session) {
    return std::ranges::find(oldest, session.cookie_hash) != oldest.end();
  });
}

LoginSessionPtr Sessions::find(std::string_view cookie) const {
  // Found by its hash, so that the time that it takes tells nothing of the cookie.
  const auto found = sessions_.find(sha256_hex(cookie));
  if (found == sessions_.end() || clock_.wall() >= found->second->until) return nullptr;
  return found->second;
}

bool Sessions::has_secret(const LoginSession& session, std::string_view secret) {
  return equal_secrets(sha256_hex(secret), session.secret_hash);
}

void Sessions::forget(const std::function<bool(const LoginSession&)>& which) {
  std::erase_if(sessions_, [&](const auto& entry) {
    const LoginSessionPtr& session = entry.second;
    if (!which(*session)) return false;
    session->ended = true;
    session->over.notify_all();
    return true;
  });
}

awaitable<void> Sessions::end(LoginSessionPtr session) {
  forget([&](const LoginSession& one) { return one.cookie_hash == session->cookie_hash; });
  co_await save();
}

awaitable<void> Sessions::end_all_of(std::string person) {
  forget([&](const LoginSession& one) { return one.visitor.name == person; });
  co_await save();
}

awaitable<void> until_ended(LoginSessionPtr session, awaitable<void> work) {
  using namespace boost::asio::experimental::awaitable_operators;
  // Asio goes on waiting for the other when one of two throws.
  std::exception_ptr failure;
  co_await (keep_failure(std::move(work), &failure) || wait_for_end(session));
  if (failure && !session->ended) std::rethrow_exception(failure);
}

}  // namespace trainyard::console
