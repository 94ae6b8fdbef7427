#include "shim/process/control.h"

#include <gtest/gtest.h>

#include <fcntl.h>
#include <sys/socket.h>

namespace trainyard::shim {
namespace {

using namespace std::string_literals;

TEST(ParseRequest, ReadsACommand) {
  Request request;
  ASSERT_FALSE(parse_request("exec\0arg\0sh\0arg\0-c\0arg\0\0tty\0001\0"s, request));
  EXPECT_EQ(request.kind, Request::Kind::kExec);
  EXPECT_EQ(request.args, (std::vector<std::string>{"sh", "-c", ""}));
  EXPECT_TRUE(request.tty);
}

TEST(ParseRequest, AttachNeedsNoCommand) {
  Request request;
  ASSERT_FALSE(parse_request("attach\0"s, request));
  EXPECT_EQ(request.kind, Request::Kind::kAttach);
}

TEST(ParseRequest, RefusesWhatItDoesNotUnderstand) {
  for (const std::string& bytes : {""s, "exec"s, "dance\0"s, "exec\0arg\0sh"s, "exec\0"s,
                                   "exec\0arg\0\0"s, "exec\0arg\0sh\0cwd\0/\0"s}) {
    Request request;
    EXPECT_TRUE(parse_request(bytes, request)) << bytes;
  }
}

TEST(Packets, CarryBytesAndDescriptors) {
  int ends[2];
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends), 0);
  Fd near(ends[0]);
  Fd far(ends[1]);
  Packet packet;
  EXPECT_EQ(receive_packet(far.get(), packet), Received::kNothingYet);
  Fd null(::open("/dev/null", O_RDONLY));
  send_packet(near.get(), "hello", null.get());
  Packet second;
  ASSERT_EQ(receive_packet(far.get(), second), Received::kPacket);
  EXPECT_EQ(second.bytes, "hello");
  ASSERT_EQ(second.fds.size(), 1U);
  EXPECT_EQ(::fcntl(second.fds[0].get(), F_GETFD), FD_CLOEXEC);
  near.reset();
  Packet last;
  EXPECT_EQ(receive_packet(far.get(), last), Received::kHangUp);
}

}  // namespace
}  // namespace trainyard::shim
