#include "http/server.h"

#include "base/check.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/port_holder.h"
#include "base/task_group.h"
#include "http/connection.h"
#include "http/tls.h"

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ip/v6_only.hpp>
#include <fmt/format.h>

#include <chrono>
#include <ctime>
#include <vector>

namespace trainyard::http {

namespace asio = boost::asio;
using namespace std::chrono_literals;

namespace {

std::string format_date_field(WallTime now) {
  const std::time_t time = std::chrono::system_clock::to_time_t(now);
  std::tm fields{};
  gmtime_r(&time, &fields);
  char text[48];
  // The program never leaves the C locale, so %a and %b are the English names HTTP wants.
  const std::size_t size =
      std::strftime(text, sizeof(text), "Date: %a, %d %b %Y %H:%M:%S GMT\r\n", &fields);
  return std::string(text, size);
}

Result<asio::ip::address> parse_address(const std::string& text) {
  if (text == "localhost") return asio::ip::address(asio::ip::address_v4::loopback());
  ErrorCode failure;
  const asio::ip::address address = asio::ip::make_address(text, failure);
  if (failure) return Error(Code::kInvalid, "not an IP address to listen on: " + text);
  return address;
}

void bind_acceptor(tcp::acceptor& acceptor, const tcp::endpoint& endpoint, ErrorCode& failure) {
  acceptor.open(endpoint.protocol(), failure);
  // A restart must not wait for the old connections' TIME_WAIT to pass.
  if (!failure) acceptor.set_option(asio::socket_base::reuse_address(true), failure);
  if (!failure && endpoint.address().is_v6()) {
    acceptor.set_option(asio::ip::v6_only(false), failure);
  }
  if (!failure) acceptor.bind(endpoint, failure);
}

void set_up_socket(tcp::socket& socket) {
  ErrorCode ignored;  // hints: a connection without them works too
  socket.set_option(tcp::no_delay(true), ignored);
  // A watch writes nothing for hours; only probes find out that the client's machine has gone.
  socket.set_option(asio::socket_base::keep_alive(true), ignored);
}

}  // namespace

struct Server::Impl {
  Impl(const Executor& executor, Clock& its_clock, ServerOptions options, Handler& handler)
      : context(executor, std::move(options), handler), acceptor(executor), clock(its_clock) {}

  awaitable<void> accept_loop();
  awaitable<void> tick_loop();
  /// A copy, and shared: cancelling one may end it, and others, under the caller's loop.
  std::vector<std::shared_ptr<Connection>> connections() const;

  ServerContext context;
  tcp::acceptor acceptor;
  Clock& clock;
  std::uint16_t port = 0;
  bool stopping = false;
};

std::vector<std::shared_ptr<Connection>> Server::Impl::connections() const {
  std::vector<std::shared_ptr<Connection>> all;
  all.reserve(context.connections.size());
  for (Connection* connection : context.connections) all.push_back(connection->shared_from_this());
  return all;
}

awaitable<void> Server::Impl::accept_loop() {
  while (!stopping) {
    auto [failure, socket] = co_await acceptor.async_accept(kAsTuple);
    if (stopping) co_return;
    if (failure) {
      // Mostly no free file descriptors, which passes as connections end. Trying again at once
      // would only burn the processor.
      log_warn("cannot accept a connection", {{"cause", failure.message()}});
      co_await clock.sleep_for(100ms);
      continue;
    }
    set_up_socket(socket);
    auto connection = std::make_shared<Connection>(context, std::move(socket));
    context.tasks.spawn_contained("http connection", Connection::run(std::move(connection)));
  }
}

awaitable<void> Server::Impl::tick_loop() {
  while (!stopping) {
    context.date_field = format_date_field(clock.wall());
    for (const auto& connection : connections()) connection->check_deadline();
    co_await clock.sleep_for(1s);
    ++context.second;
  }
}

Server::Server(Executor executor, Clock& clock, ServerOptions options, Handler& handler)
    : impl_(std::make_unique<Impl>(executor, clock, std::move(options), handler)) {}

Server::~Server() {
  CHECK(impl_->context.tasks.size() == 0);
}

Result<> Server::listen() {
  const ServerOptions& options = impl_->context.options;
  if (options.tls) {
    TRY(impl_->context.tls, make_server_tls(*options.tls, options.client_ca_pem));
  }
  TRY(const asio::ip::address address, parse_address(options.address));
  const tcp::endpoint endpoint(address, options.port);
  tcp::acceptor& acceptor = impl_->acceptor;
  ErrorCode failure;
  if (options.listening >= 0) {
    acceptor.assign(endpoint.protocol(), options.listening, failure);
  } else {
    bind_acceptor(acceptor, endpoint, failure);
  }
  if (!failure) acceptor.listen(asio::socket_base::max_listen_connections, failure);
  if (failure) {
    ErrorCode ignored;
    acceptor.close(ignored);
    std::string message =
        fmt::format("cannot listen on {}:{}: {}", options.address, options.port, failure.message());
    if (failure == asio::error::address_in_use) {
      const std::string holder = port_holder(options.port);
      message += fmt::format(" by {}", holder.empty() ? "a process of another user" : holder);
    }
    const bool no_such_place = failure == boost::system::errc::address_not_available ||
                               failure == asio::error::address_family_not_supported;
    return Error(no_such_place ? Code::kUnsupported : Code::kUnavailable, std::move(message));
  }
  impl_->port = acceptor.local_endpoint(failure).port();
  return Ok();
}

void Server::start() {
  CHECK(impl_->acceptor.is_open());
  // The first Date is needed before the loop gets its first turn.
  impl_->context.date_field = format_date_field(impl_->clock.wall());
  impl_->context.tasks.spawn("http tick", impl_->tick_loop());
  impl_->context.tasks.spawn("http accept", impl_->accept_loop());
}

awaitable<void> Server::stop() {
  impl_->stopping = true;
  ErrorCode ignored;
  impl_->acceptor.close(ignored);
  for (const auto& connection : impl_->connections()) connection->cancel();
  co_await impl_->context.tasks.stop();
}

int Server::listener() const {
  return impl_->acceptor.native_handle();
}

std::uint16_t Server::port() const {
  return impl_->port;
}

}  // namespace trainyard::http
