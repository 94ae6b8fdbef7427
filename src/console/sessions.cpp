#include "console/sessions.h"

namespace trainyard::console {
namespace {

using namespace std::chrono_literals;
constexpr auto kLinkLife = 10min;
constexpr auto kSessionLife = 7 * 24h;
constexpr std::size_t kSecretBytes = 24;

}  // namespace

std::string Sessions::make_link_secret() {
  const TimePoint now = clock_.now();
  std::erase_if(links_, [&](const auto& link) { return link.second <= now; });
  std::string secret = random_hex(kSecretBytes);
  links_[secret] = now + kLinkLife;
  return secret;
}

std::optional<std::string> Sessions::redeem(std::string_view secret) {
  const auto link = links_.find(secret);
  if (link == links_.end()) return std::nullopt;
  const bool fresh = clock_.now() < link->second;
  links_.erase(link);
  if (!fresh) return std::nullopt;
  // until ~ random ~ signature: no character that a cookie would have to escape
  const std::string claim =
      format_time(clock_.wall() + kSessionLife) + "~" + random_hex(kSecretBytes);
  return claim + "~" + sign(key_, claim);
}

bool Sessions::is_valid(std::string_view session) const {
  const std::size_t end = session.rfind('~');
  if (end == std::string_view::npos) return false;
  const std::string_view claim = session.substr(0, end);
  if (!equal_secrets(session.substr(end + 1), sign(key_, claim))) return false;
  const auto until = parse_time(claim.substr(0, claim.find('~')));
  return until && clock_.wall() < *until;
}

}  // namespace trainyard::console
