#include "base/port_holder.h"

#include <gtest/gtest.h>

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

namespace trainyard {
namespace {

TEST(PortHolder, FindsListeningSocketsOfAPort) {
  const char* table =
      "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout "
      "inode\n"
      "   0: 0100007F:1950 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 "
      "4711 1 0000000000000000 100 0 0 10 0\n"
      "   1: 0100007F:1950 0100007F:A1B2 01 00000000:00000000 00:00000000 00000000  1000        0 "
      "4712 1 0000000000000000 20 4 30 10 -1\n"
      "   2: 00000000:1951 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 "
      "4713 1 0000000000000000 100 0 0 10 0\n";
  EXPECT_EQ(listening_sockets(table, 6480), std::vector<std::uint64_t>{4711});
  EXPECT_EQ(listening_sockets(table, 6481), std::vector<std::uint64_t>{4713});
  EXPECT_TRUE(listening_sockets(table, 80).empty());
  EXPECT_TRUE(listening_sockets("", 80).empty());
}

TEST(PortHolder, NamesTheProcess) {
  const int listener = ::socket(AF_INET, SOCK_STREAM, 0);
  ASSERT_GE(listener, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* generic = reinterpret_cast<sockaddr*>(&address);
  ASSERT_EQ(::bind(listener, generic, size), 0);
  ASSERT_EQ(::listen(listener, 1), 0);
  ASSERT_EQ(::getsockname(listener, generic, &size), 0);
  const std::string holder = port_holder(ntohs(address.sin_port));
  EXPECT_FALSE(port_is_free(ntohs(address.sin_port))) << "though on one address only";
  EXPECT_NE(holder.find("process " + std::to_string(::getpid())), std::string::npos) << holder;
  ::close(listener);
  EXPECT_EQ(port_holder(ntohs(address.sin_port)), "");
  EXPECT_TRUE(port_is_free(ntohs(address.sin_port)));
}

TEST(ClaimPort, IsOneServersUntilItLetsGo) {
  constexpr std::uint16_t kPort = 19;  // of no range that jobs have
  auto claim = claim_port(kPort);
  ASSERT_NE(claim, nullptr);
  EXPECT_EQ(claim_port(kPort), nullptr);
  EXPECT_NE(claim_port(kPort + 1), nullptr);
  claim.reset();
  EXPECT_NE(claim_port(kPort), nullptr);
}

TEST(PortIsFree, SeesListenersOfIpv6Too) {
  const int listener = ::socket(AF_INET6, SOCK_STREAM, 0);
  if (listener < 0) GTEST_SKIP() << "this machine has no IPv6";
  const int on = 1;
  ::setsockopt(listener, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof on);
  sockaddr_in6 address{};
  address.sin6_family = AF_INET6;
  address.sin6_addr = in6addr_loopback;
  socklen_t size = sizeof address;
  auto* generic = reinterpret_cast<sockaddr*>(&address);
  if (::bind(listener, generic, size) != 0) GTEST_SKIP() << "this machine has no ::1";
  ASSERT_EQ(::listen(listener, 1), 0);
  ASSERT_EQ(::getsockname(listener, generic, &size), 0);
  EXPECT_FALSE(port_is_free(ntohs(address.sin6_port)));
  ::close(listener);
  EXPECT_TRUE(port_is_free(ntohs(address.sin6_port)));
}

}  // namespace
}  // namespace trainyard
