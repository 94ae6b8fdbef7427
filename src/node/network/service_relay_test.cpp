// The relay with real sockets: pods are played by listeners on their addresses.
#include "node/network/service_relay.h"

#include "base/test_loop.h"
#include "node/network/byte_relay.h"
#include "node/network/dial.h"
#include "node/network/network_for_tests.h"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <gtest/gtest.h>

namespace trainyard::node {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using namespace std::chrono_literals;

constexpr auto kAsTuple = asio::as_tuple(asio::use_awaitable);

/// Reads all that comes, and then says who it is and what it has read.
awaitable<void> answer_one(tcp::socket client, std::string name) {
  std::string heard;
  co_await asio::async_read(client, asio::dynamic_buffer(heard), kAsTuple);
  const std::string reply = name + " heard " + heard;
  co_await asio::async_write(client, asio::buffer(reply), kAsTuple);
}

awaitable<void> answer_all(tcp::acceptor acceptor, std::string name, TaskGroup& tasks) {
  while (true) {
    auto [failure, client] = co_await acceptor.async_accept(kAsTuple);
    if (failure) co_return;
    tasks.spawn("answer", answer_one(std::move(client), name));
  }
}

awaitable<std::string> ask(Executor loop, Clock& clock, std::string ip, std::uint16_t port,
                           std::string words) {
  auto socket = co_await dial(loop, clock, std::move(ip), port, 5s);
  if (!socket) co_return socket.error().message();
  co_await asio::async_write(*socket, asio::buffer(words), kAsTuple);
  boost::system::error_code ignored;
  socket->shutdown(tcp::socket::shutdown_send, ignored);
  std::string reply;
  const auto [ended, size] =
      co_await asio::async_read(*socket, asio::dynamic_buffer(reply), kAsTuple);
  co_return ended == asio::error::eof ? reply : "cut off: " + ended.message();
}

class ServiceRelayTest : public testing::Test {
 protected:
  void SetUp() override {
    port_ = free_port();
    tasks_.spawn("relay", relay_.run());
  }
  void TearDown() override {
    loop_.run(tasks_.stop());
    loop_.run(relay_.stop());
  }
  static std::uint16_t free_port() {
    asio::io_context context;
    const tcp::acceptor probe(context, tcp::endpoint(asio::ip::make_address("127.0.0.1"), 0));
    return probe.local_endpoint().port();
  }
  /// A ready pod of the Service, which listens on its own address.
  void add_pod(const std::string& name) {
    Json pod = place_of_pod(name);
    make_path(pod, "metadata.labels.app") = "web";
    network_.add_pod(pod);
    const auto ip = asio::ip::make_address(network_.find_pod("u-" + name)->ip);
    tasks_.spawn(
        "pod", answer_all(tcp::acceptor(loop_.executor(), tcp::endpoint(ip, port_)), name, tasks_));
  }
  void put_service() {
    Json service = place_of_service("web", "web");
    const std::int64_t number = port_;
    make_path(service, "spec.ports") =
        JsonArray{{{"port", number}, {"targetPort", number}, {"nodePort", number}}};
    network_.put_service(service);
  }
  std::string ask_once(const std::string& words = "x") {
    return loop_.run(ask(loop_.executor(), clock_, "127.0.0.1", port_, words));
  }
  /// Asks until the answer begins like that: the relay follows a moment later.
  bool answers(const std::string& wanted) {
    for (int i = 0; i < 500; ++i) {
      if (ask_once().starts_with(wanted)) return true;
      loop_.run(clock_.sleep_for(10ms));
    }
    return false;
  }

  TestLoop loop_;
  SystemClock clock_;
  Network network_;
  std::vector<std::string> told_;
  ServiceRelay relay_{
      loop_.executor(), clock_, network_, {}, [this](const Key& service, std::string message) {
        told_.push_back(service.name + ": " + message);
      }};
  TaskGroup tasks_{loop_.executor()};
  std::uint16_t port_ = 0;
};

TEST_F(ServiceRelayTest, PassesBytesBothWaysAndEndsWhenBothHaveEnded) {
  add_pod("a");
  put_service();
  ASSERT_TRUE(answers("a heard"));
  const std::string much(3'000'000, 'm');
  EXPECT_EQ(ask_once(much), "a heard " + much);
}

TEST_F(ServiceRelayTest, LeadsToWhoeverIsReady) {
  add_pod("a");
  put_service();
  ASSERT_TRUE(answers("a heard"));
  add_pod("b");
  EXPECT_TRUE(answers("b heard")) << "they take turns";
  network_.remove_pod("u-a");
  loop_.run(clock_.sleep_for(100ms));
  for (int i = 0; i < 4; ++i) EXPECT_EQ(ask_once(), "b heard x");
}

TEST_F(ServiceRelayTest, GoesOnToTheNextPodWhenOneDoesNotListen) {
  add_pod("a");
  Json silent = place_of_pod("silent");
  make_path(silent, "metadata.labels.app") = "web";
  network_.add_pod(silent);
  put_service();
  ASSERT_TRUE(answers("a heard"));
  for (int i = 0; i < 4; ++i) EXPECT_EQ(ask_once(), "a heard x");
}

TEST_F(ServiceRelayTest, StopsWithItsService) {
  add_pod("a");
  put_service();
  ASSERT_TRUE(answers("a heard"));
  network_.remove_service(Key{"demo", "web"});
  EXPECT_TRUE(answers("dial tcp 127.0.0.1")) << "refused";
}

TEST_F(ServiceRelayTest, SaysWhoHasThePortAndTakesItWhenItIsFree) {
  auto holder = std::make_unique<tcp::acceptor>(
      loop_.executor(), tcp::endpoint(asio::ip::make_address("127.0.0.1"), port_));
  add_pod("a");
  put_service();
  loop_.run_until([&] { return !told_.empty(); });
  EXPECT_TRUE(told_.front().starts_with("web: 127.0.0.1:" + std::to_string(port_) +
                                        " cannot be listened on: "))
      << told_.front();
  EXPECT_NE(told_.front().find("process " + std::to_string(::getpid())), std::string::npos);
  holder.reset();
  put_service();
  add_pod("b");  // any change makes it look again at once
  EXPECT_TRUE(answers("a heard"));
  EXPECT_EQ(told_.size(), 1U);
}

TEST_F(ServiceRelayTest, DoesNotLeadNamesToASomebodyElsesPort) {
  // On all addresses, as servers of a machine often are.
  const tcp::acceptor holder(loop_.executor(), tcp::endpoint(tcp::v4(), port_));
  Json service = place_of_service("web", "web");
  make_path(service, "spec.ports") =
      JsonArray{{{"port", std::int64_t{port_}}, {"targetPort", 8080}}};
  network_.put_service(service);
  const Network::Service& known = network_.services().at(Key{"demo", "web"});
  loop_.run_until([&] { return known.unserved; });
  EXPECT_EQ(told_.size(), 1U);
}

}  // namespace
}  // namespace trainyard::node
