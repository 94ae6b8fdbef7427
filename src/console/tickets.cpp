#include "console/tickets.h"

#include "base/crypto/ids.h"

#include <algorithm>

namespace trainyard::console {
namespace {

using namespace std::chrono_literals;
constexpr auto kLife = 30s;
constexpr std::size_t kBytes = 24;

}  // namespace

std::string Tickets::make(std::string holder, std::string target) {
  const TimePoint now = clock_.now();
  std::erase_if(tickets_, [&](const auto& ticket) { return ticket.second.until <= now; });
  if (tickets_.size() >= kMost) {
    tickets_.erase(std::ranges::min_element(
        tickets_, {}, [](const auto& ticket) { return ticket.second.until; }));
  }
  std::string ticket = random_hex(kBytes);
  tickets_[sha256_hex(ticket)] = Ticket{now + kLife, std::move(holder), std::move(target)};
  return ticket;
}

bool Tickets::redeem(std::string_view ticket, const std::string& holder,
                     const std::string& target) {
  const auto found = tickets_.find(sha256_hex(ticket));
  if (found == tickets_.end()) return false;
  const Ticket used = std::move(found->second);
  tickets_.erase(found);
  return clock_.now() < used.until && used.holder == holder && used.target == target;
}

}  // namespace trainyard::console
