// A container in a network of its own, under the real shim: once as root, once as an ordinary user.
#include "shim/process/control.h"
#include "shim/test_shim.h"

#include <gtest/gtest.h>

#include <arpa/inet.h>
#include <cstring>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

namespace trainyard::shim {
namespace {

class ShimNetwork : public testing::TestWithParam<uid_t> {
 protected:
  void SetUp() override {
    if (::geteuid() != 0) GTEST_SKIP() << "needs root, to be two users";
    if (std::string why = TestShim::why_not_as(GetParam()); !why.empty()) GTEST_SKIP() << why;
  }
  void start() {
    shim_.add("network", "own");
    ASSERT_EQ(shim_.start_as(GetParam()), 0) << shim_.complaint();
  }

  TestShim shim_;
};

constexpr const char* kServe =
    "import socket\n"
    "s = socket.create_server(('127.0.0.1', 8080))\n"
    "print('listens', flush=True)\n"
    "while True:\n"
    "    c, _ = s.accept()\n"
    "    c.sendall(b'from inside')\n"
    "    c.close()\n";

sockaddr_in address_of(std::uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

bool connect_to(int socket, std::uint16_t port) {
  sockaddr_in address = address_of(port);
  return ::connect(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
}

/// A socket of the container's network, as the server gets it.
Fd socket_inside(const TestShim& shim) {
  Fd control = shim.connect();
  send_packet(control.get(), std::string_view("socket\0", 7));
  Packet packet;
  while (receive_packet(control.get(), packet) == Received::kNothingYet) ::usleep(1000);
  EXPECT_EQ(packet.bytes, "socket\n");
  if (packet.fds.size() != 1) return Fd();
  int flags = ::fcntl(packet.fds.front().get(), F_GETFL);
  ::fcntl(packet.fds.front().get(), F_SETFL, flags & ~O_NONBLOCK);
  return std::move(packet.fds.front());
}

TEST_P(ShimNetwork, IsReachedByTheServerAndByNobodyElse) {
  shim_.add("env", "PATH=/usr/bin:/bin").add("arg", "/usr/bin/python3").add("arg", "-c");
  shim_.add("arg", kServe);
  start();
  ASSERT_TRUE(eventually([&] { return shim_.log().out == "listens\n"; })) << shim_.exit("message");
  Fd outside(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  char answer[32] = "";
  bool answered = connect_to(outside.get(), 8080) &&
                  ::read(outside.get(), answer, sizeof answer - 1) > 0 &&
                  std::string_view(answer) == "from inside";
  EXPECT_FALSE(answered) << "it must not be found on the host's loopback";
  Fd inside = socket_inside(shim_);
  ASSERT_TRUE(inside.valid());
  ASSERT_TRUE(connect_to(inside.get(), 8080)) << std::strerror(errno);
  std::string text(sizeof answer, '\0');
  ssize_t size = ::read(inside.get(), text.data(), text.size());
  EXPECT_EQ(text.substr(0, static_cast<std::size_t>(std::max<ssize_t>(size, 0))), "from inside");
  shim_.terminate();
  EXPECT_TRUE(shim_.wait_for_exit());
}

TEST_P(ShimNetwork, SeesNoInterfaceButItsOwnLoopback) {
  shim_.script("cat /proc/net/dev | tail -n +3 | cut -d: -f1 | tr -d ' '");
  start();
  ASSERT_TRUE(shim_.wait_for_exit());
  EXPECT_EQ(shim_.log().out, "lo\n") << shim_.exit("message");
}

TEST_P(ShimNetwork, CannotReachTheHostsLoopback) {
  Fd listener(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address = address_of(0);
  socklen_t size = sizeof address;
  auto* generic = reinterpret_cast<sockaddr*>(&address);
  ASSERT_EQ(::bind(listener.get(), generic, size), 0);
  ASSERT_EQ(::listen(listener.get(), 1), 0);
  ASSERT_EQ(::getsockname(listener.get(), generic, &size), 0);
  shim_.add("env", "PATH=/usr/bin:/bin").add("arg", "/usr/bin/python3").add("arg", "-c");
  shim_.add("arg", "import socket\ntry: socket.create_connection(('127.0.0.1', " +
                       std::to_string(ntohs(address.sin_port)) +
                       "), 5)\nexcept ConnectionRefusedError: print('refused')\n");
  start();
  ASSERT_TRUE(shim_.wait_for_exit());
  EXPECT_EQ(shim_.log().out, "refused\n") << shim_.log().err;
}

INSTANTIATE_TEST_SUITE_P(Users, ShimNetwork, testing::Values(0, 1234));

}  // namespace
}  // namespace trainyard::shim
