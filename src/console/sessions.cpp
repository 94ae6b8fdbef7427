#include "console/sessions.h"

namespace trainyard::console {
namespace {

using namespace std::chrono_literals;
constexpr auto kLinkLife = 10min;
constexpr auto kSessionLife = 7 * 24h;
constexpr std::size_t kSecretBytes = 24;

}  // namespace

std::string Sessions::make_link_secret(std::string subject) {
  const TimePoint now = clock_.now();
  std::erase_if(links_, [&](const auto& link) { return link.second.until <= now; });
  std::string secret = random_hex(kSecretBytes);
  links_[secret] = Link{now + kLinkLife, std::move(subject)};
  return secret;
}

std::optional<std::string> Sessions::redeem(std::string_view secret) {
  const auto link = links_.find(secret);
  if (link == links_.end()) return std::nullopt;
  const Link found = std::move(link->second);
  links_.erase(link);
  if (clock_.now() >= found.until) return std::nullopt;
  // until ~ subject ~ random ~ signature: no character that a cookie would have to escape
  const std::string claim = format_time(clock_.wall() + kSessionLife) + "~" +
                            base64url_encode(found.subject) + "~" + random_hex(kSecretBytes);
  return claim + "~" + sign(key_, claim);
}

std::optional<std::string> Sessions::subject_of(std::string_view session) const {
  const std::size_t end = session.rfind('~');
  if (end == std::string_view::npos) return std::nullopt;
  const std::string_view claim = session.substr(0, end);
  if (!equal_secrets(session.substr(end + 1), sign(key_, claim))) return std::nullopt;
  const std::size_t first = claim.find('~');
  const auto until = parse_time(claim.substr(0, first));
  if (!until || clock_.wall() >= *until || first == std::string_view::npos) return std::nullopt;
  const std::string_view rest = claim.substr(first + 1);
  return base64url_decode(rest.substr(0, rest.find('~')));
}

}  // namespace trainyard::console
