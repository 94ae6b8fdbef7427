#include "node/linux/tcp_traffic.h"

#include "base/files/unique_fd.h"

#include <gtest/gtest.h>

#include <arpa/inet.h>
#include <string>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

namespace trainyard::node {
namespace {

std::uint64_t inode_of(const UniqueFd& socket) {
  struct stat status{};
  EXPECT_EQ(::fstat(socket.get(), &status), 0);
  return status.st_ino;
}

TEST(TcpTraffic, IsCountedForEachConnection) {
  const UniqueFd listener(::socket(AF_INET, SOCK_STREAM, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  auto* generic = reinterpret_cast<sockaddr*>(&address);
  socklen_t size = sizeof address;
  ASSERT_EQ(::bind(listener.get(), generic, size), 0);
  ASSERT_EQ(::listen(listener.get(), 1), 0);
  ASSERT_EQ(::getsockname(listener.get(), generic, &size), 0);
  const UniqueFd sender(::socket(AF_INET, SOCK_STREAM, 0));
  ASSERT_EQ(::connect(sender.get(), generic, size), 0);
  const UniqueFd receiver(::accept(listener.get(), nullptr, nullptr));
  const std::string words(5000, 'x');
  ASSERT_EQ(::send(sender.get(), words.data(), words.size(), 0), 5000);
  std::string heard(5000, ' ');
  ASSERT_EQ(::recv(receiver.get(), heard.data(), heard.size(), MSG_WAITALL), 5000);

  const auto traffic = read_tcp_traffic();
  if (!traffic) GTEST_SKIP() << traffic.error().message();
  ASSERT_TRUE(traffic->contains(inode_of(sender)) && traffic->contains(inode_of(receiver)));
  EXPECT_GE(traffic->at(inode_of(sender)).sent_bytes, 5000);
  EXPECT_LE(traffic->at(inode_of(sender)).sent_bytes, 5001);  // the kernel counts the SYN
  EXPECT_EQ(traffic->at(inode_of(sender)).received_bytes, 0);
  EXPECT_EQ(traffic->at(inode_of(receiver)).received_bytes, 5000);
  EXPECT_FALSE(traffic->contains(inode_of(listener)));
}

}  // namespace
}  // namespace trainyard::node
