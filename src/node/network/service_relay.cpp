#include "node/network/service_relay.h"

#include "base/port_holder.h"
#include "node/network/byte_relay.h"
#include "node/network/dial.h"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <fmt/format.h>

#include <utility>

namespace trainyard::node {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using namespace std::chrono_literals;
using boost::system::error_code;

constexpr auto kAsTuple = asio::as_tuple(asio::use_awaitable);
constexpr auto kGather = 20ms;        // for what comes together
constexpr auto kRetryPause = 5s;      // for a port that somebody else has
constexpr auto kAcceptPause = 100ms;  // when there are too many open files
constexpr auto kDialTime = 3s;
constexpr std::size_t kMostConnections = 4096;  // of one place

/// Tries the pods one after the other: one that is gone may not have been heard of yet.
awaitable<void> serve(Executor loop, Clock& clock, std::vector<RelayTarget> targets,
                      tcp::socket client) {
  for (const RelayTarget& target : targets) {
    auto pod = co_await dial(loop, clock, target.address, target.port, kDialTime);
    if (pod) co_return co_await pass_bytes(std::move(client), *std::move(pod));
  }
  reset(client);
}

std::string cannot_listen(const RelayPlace& place, error_code failure) {
  std::string why = failure.message();
  if (failure == asio::error::access_denied) {
    why += "; ports below 1024 need root, or `sysctl -w net.ipv4.ip_unprivileged_port_start=0`";
  } else if (const std::string holder = port_holder(place.port); !holder.empty()) {
    why += fmt::format(" ({} has it)", holder);
  }
  return fmt::format("{}:{} cannot be listened on: {}", place.address, place.port, why);
}

}  // namespace

struct ServiceRelay::Listener {
  explicit Listener(const Executor& loop) : acceptor(loop), tasks(loop) {}

  tcp::acceptor acceptor;
  RelayRule rule;
  std::uint64_t turn = 0;
  TaskGroup tasks;  // its connections, and who accepts them
};

ServiceRelay::ServiceRelay(Executor loop, Clock& clock, Network& network,
                           std::vector<std::string> node_addresses, Tell tell)
    : loop_(loop),
      clock_(clock),
      network_(network),
      node_addresses_(std::move(node_addresses)),
      tell_(std::move(tell)),
      changed_(loop) {
  network_.on_change([this] {
    dirty_ = true;
    changed_.notify_all();
  });
}

ServiceRelay::~ServiceRelay() = default;

awaitable<void> ServiceRelay::run() {
  using namespace asio::experimental::awaitable_operators;
  bool again = false;
  while (true) {
    if (!dirty_ && again) co_await (changed_.wait() || clock_.sleep_for(kRetryPause));
    while (!dirty_ && !again) co_await changed_.wait();
    co_await clock_.sleep_for(kGather);
    dirty_ = false;
    again = follow();
    co_await end_retired();
  }
}

awaitable<void> ServiceRelay::stop() {
  while (!listeners_.empty()) retire(listeners_.begin());
  co_await end_retired();
}

bool ServiceRelay::follow() {
  const std::map<RelayPlace, RelayRule> wanted = plan_relays(network_, node_addresses_);
  std::erase_if(told_, [&](const RelayPlace& place) { return !wanted.contains(place); });
  for (auto listener = listeners_.begin(); listener != listeners_.end();) {
    const auto rule = wanted.find(listener->first);
    const auto current = listener++;
    if (rule != wanted.end() && rule->second.service == current->second->rule.service) {
      current->second->rule = rule->second;
    } else {
      retire(current);
    }
  }
  bool again = false;
  for (const auto& [place, rule] : wanted) {
    if (listeners_.contains(place)) continue;
    const error_code failure = open(place, rule);
    if (failure) {
      // Once: to find out who has a port, all processes are looked at.
      if (told_.insert(place).second) tell_(rule.service, cannot_listen(place, failure));
      again = true;
    } else {
      told_.erase(place);
    }
  }
  tell_network(wanted);
  return again;
}

/// Names must not lead to where somebody else listens.
void ServiceRelay::tell_network(const std::map<RelayPlace, RelayRule>& wanted) {
  std::map<Key, bool> served;
  for (const auto& [place, rule] : wanted) {
    const auto known = network_.services().find(rule.service);
    if (known == network_.services().end() || known->second.address != place.address) continue;
    served.try_emplace(rule.service, true);
    if (!listeners_.contains(place)) served[rule.service] = false;
  }
  for (const auto& [service, all] : served) network_.set_served(service, all);
}

error_code ServiceRelay::open(const RelayPlace& place, const RelayRule& rule) {
  error_code failure;
  const tcp::endpoint endpoint(asio::ip::make_address(place.address, failure), place.port);
  auto listener = std::make_unique<Listener>(loop_);
  if (!failure) listener->acceptor.open(endpoint.protocol(), failure);
  // Connections of a server that was killed may still be ending.
  if (!failure) listener->acceptor.set_option(tcp::acceptor::reuse_address(true), failure);
  if (!failure) listener->acceptor.bind(endpoint, failure);
  if (!failure) listener->acceptor.listen(tcp::acceptor::max_listen_connections, failure);
  if (failure) return failure;
  listener->rule = rule;
  Listener& there = *(listeners_[place] = std::move(listener));
  there.tasks.spawn(fmt::format("relay {}:{}", place.address, place.port), accept_all(there));
  return {};
}

void ServiceRelay::retire(Listeners::iterator listener) {
  error_code ignored;
  listener->second->acceptor.close(ignored);
  retired_.push_back(std::move(listener->second));
  listeners_.erase(listener);
}

awaitable<void> ServiceRelay::end_retired() {
  while (!retired_.empty()) {
    co_await retired_.back()->tasks.stop();
    retired_.pop_back();
  }
}

awaitable<void> ServiceRelay::accept_all(Listener& listener) {
  while (listener.acceptor.is_open()) {
    auto [failure, client] = co_await listener.acceptor.async_accept(kAsTuple);
    if (failure) {
      co_await clock_.sleep_for(kAcceptPause);
      continue;
    }
    error_code unknown;
    const auto peer = client.remote_endpoint(unknown);
    if (unknown || listener.tasks.size() > kMostConnections) {
      reset(client);
      continue;
    }
    listener.tasks.spawn_contained(
        "relayed connection",
        serve(loop_, clock_, order_of(listener.rule, listener.turn++, peer.address().to_string()),
              std::move(client)));
  }
}

}  // namespace trainyard::node
