// Commands beside the container's main process, and its own input, through DIR/control.
#include "shim/process/control.h"
#include "shim/test_shim.h"

#include <gtest/gtest.h>

#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

namespace trainyard::shim {
namespace {

void ask(const Fd& connection, std::string_view bytes, std::vector<int> fds) {
  iovec part{const_cast<char*>(bytes.data()), bytes.size()};
  alignas(cmsghdr) char control[CMSG_SPACE(3 * sizeof(int))] = {};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  if (!fds.empty()) {
    message.msg_control = control;
    message.msg_controllen = CMSG_SPACE(fds.size() * sizeof(int));
    cmsghdr* header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(fds.size() * sizeof(int));
    std::memcpy(CMSG_DATA(header), fds.data(), fds.size() * sizeof(int));
  }
  EXPECT_GT(::sendmsg(connection.get(), &message, MSG_NOSIGNAL), 0);
}

/// The shim's answer; empty when it hung up.
Packet answer(const Fd& connection) {
  Packet packet;
  pollfd polled{connection.get(), POLLIN, 0};
  EXPECT_EQ(::poll(&polled, 1, 20'000), 1) << "no answer";
  if (receive_packet(connection.get(), packet) != Received::kPacket) packet.bytes.clear();
  return packet;
}

std::string read_all(int fd) {
  std::string text;
  char buffer[4096];
  for (ssize_t count = 0; (count = ::read(fd, buffer, sizeof buffer)) > 0;) {
    text.append(buffer, static_cast<std::size_t>(count));
  }
  return text;
}

/// One exec of `sh -c script` with pipes.
struct Command {
  Command(const TestShim& shim, const std::string& script) : connection(shim.connect()) {
    int in_ends[2];
    int out_ends[2];
    EXPECT_EQ(::pipe2(in_ends, O_CLOEXEC), 0);
    EXPECT_EQ(::pipe2(out_ends, O_CLOEXEC), 0);
    in = Fd(in_ends[1]);
    out = Fd(out_ends[0]);
    Fd child_in(in_ends[0]);
    Fd child_out(out_ends[1]);
    std::string request = std::string("exec") + '\0' + "arg" + '\0' + "sh" + '\0' + "arg" + '\0' +
                          "-c" + '\0' + "arg" + '\0' + script + '\0';
    ask(connection, request, {child_in.get(), child_out.get(), child_out.get()});
  }
  std::string report() { return answer(connection).bytes; }

  Fd connection;
  Fd in;
  Fd out;
};

class ShimSession : public testing::Test {
 protected:
  void SetUp() override {
    if (::geteuid() != 0) GTEST_SKIP() << "needs root";
  }
  void start(TestShim& shim) {
    ASSERT_EQ(shim.start(), 0) << shim.complaint();
    ASSERT_TRUE(eventually([&] { return exists(shim.dir() + "/started"); }));
  }
};

TEST_F(ShimSession, CommandRunsBesideTheMainProcess) {
  TestShim shim;
  shim.script("exec sleep 600").overlay().add("hostname", "box").add("env", "COLOUR=red");
  shim.add("cwd", "/usr");
  start(shim);
  Command command(shim, "hostname; pwd; echo $COLOUR; cat /proc/1/comm; cat; exit 7");
  ASSERT_EQ(::write(command.in.get(), "typed", 5), 5);
  command.in.reset();
  EXPECT_EQ(read_all(command.out.get()), "box\n/usr\nred\ntrainyard-shim\ntyped");
  EXPECT_TRUE(command.report().starts_with("code=7\nsignal=0\n"));
  EXPECT_TRUE(shim.is_locked()) << "the container goes on";
}

TEST_F(ShimSession, CommandHasTheContainersUserAndNoMoreRights) {
  TestShim shim;
  shim.script("exec sleep 600").add("uid", "12345").add("gid", "12346");
  start(shim);
  Command command(shim,
                  "id -u; id -g; grep -E '^(CapEff|NoNewPrivs)' /proc/self/status; "
                  "echo again > /dev/stdout");
  EXPECT_EQ(read_all(command.out.get()),
            "12345\n12346\nCapEff:\t0000000000000000\nNoNewPrivs:\t1\nagain\n");
}

TEST_F(ShimSession, WhatCannotBeRunIsSaidInWords) {
  TestShim shim;
  shim.script("exec sleep 600");
  start(shim);
  Fd connection = shim.connect();
  Fd null(::open("/dev/null", O_RDWR));
  ask(connection, std::string("exec\0arg\0no-such-program\0", 25),
      {null.get(), null.get(), null.get()});
  std::string report = answer(connection).bytes;
  EXPECT_TRUE(report.starts_with("code=127\n")) << report;
  EXPECT_NE(report.find("\"no-such-program\": executable file not found"), report.npos) << report;
  EXPECT_NE(report.find("reason=StartError"), report.npos) << report;
}

TEST_F(ShimSession, HangingUpEndsTheCommandAndWhatItForked) {
  TestShim shim;
  shim.script("exec sleep 600");
  start(shim);
  Command command(shim, "set -m; sleep 601 & (sleep 602 & sleep 603) & echo up; sleep 604");
  char byte = 0;
  ASSERT_EQ(::read(command.out.get(), &byte, 1), 1);
  command.connection.reset();
  // Every holder of the pipe is gone when it ends.
  read_all(command.out.get());
  Command after(shim, "cat /proc/[0-9]*/cmdline | tr '\\0' ' '");
  std::string running = read_all(after.out.get());
  EXPECT_EQ(running.find("sleep 60"), running.find("sleep 600")) << running;
  EXPECT_EQ(running.find("sleep 604"), running.npos) << running;
}

TEST_F(ShimSession, CommandEndsWithTheContainer) {
  TestShim shim;
  shim.script("read line").add("stdin", "1");
  start(shim);
  Command command(shim, "echo up; exec sleep 600");
  char byte = 0;
  ASSERT_EQ(::read(command.out.get(), &byte, 1), 1);
  shim.terminate();
  EXPECT_TRUE(command.report().starts_with("code=137\nsignal=9\n"));
  EXPECT_TRUE(shim.wait_for_exit());
}

TEST_F(ShimSession, AttachedInputReachesTheMainProcess) {
  TestShim shim;
  shim.script("while read line; do echo \"got $line\"; done; echo end").add("stdin", "once");
  start(shim);
  Fd connection = shim.connect();
  ask(connection, std::string("attach\0", 7), {});
  Packet input = answer(connection);
  EXPECT_EQ(input.bytes, "first=1\n");
  ASSERT_EQ(input.fds.size(), 1U);
  ASSERT_EQ(::write(input.fds[0].get(), "one\ntwo\n", 8), 8);
  ASSERT_TRUE(eventually([&] { return shim.log().out == "got one\ngot two\n"; }));
  // "once": the input ends with whoever was attached.
  input.fds.clear();
  connection.reset();
  EXPECT_TRUE(shim.wait_for_exit());
  EXPECT_EQ(shim.log().out, "got one\ngot two\nend\n");
}

TEST_F(ShimSession, InputThatIsNotOnceStaysOpenForTheNext) {
  TestShim shim;
  shim.script("read a; echo $a; read b; echo $b").add("stdin", "1");
  start(shim);
  for (const char* word : {"one", "two"}) {
    Fd connection = shim.connect();
    ask(connection, std::string("attach\0", 7), {});
    Packet input = answer(connection);
    EXPECT_EQ(input.bytes, word == std::string("one") ? "first=1\n" : "first=0\n");
    ASSERT_EQ(input.fds.size(), 1U);
    ASSERT_EQ(::write(input.fds[0].get(), (std::string(word) + "\n").data(), 4), 4);
    ASSERT_TRUE(eventually([&] { return shim.log().out.find(word) != std::string::npos; }));
  }
  EXPECT_TRUE(shim.wait_for_exit());
  EXPECT_EQ(shim.log().out, "one\ntwo\n");
}

TEST_F(ShimSession, TerminalOfTheMainProcess) {
  TestShim shim;
  shim.script("tty -s && echo terminal; read line; stty size").add("stdin", "1").add("tty", "1");
  start(shim);
  ASSERT_TRUE(eventually([&] { return shim.log().out == "terminal\r\n"; }));
  Fd connection = shim.connect();
  ask(connection, std::string("attach\0", 7), {});
  Packet input = answer(connection);
  ASSERT_EQ(input.fds.size(), 1U);
  winsize size{33, 99, 0, 0};
  EXPECT_EQ(::ioctl(input.fds[0].get(), TIOCSWINSZ, &size), 0);
  ASSERT_EQ(::write(input.fds[0].get(), "x\n", 2), 2);
  EXPECT_TRUE(shim.wait_for_exit());
  EXPECT_EQ(shim.log().out, "terminal\r\nx\r\n33 99\r\n");
}

TEST_F(ShimSession, SessionsWorkForAnOrdinaryUser) {
  constexpr uid_t kUser = 54321;
  if (std::string why = TestShim::why_not_as(kUser); !why.empty()) GTEST_SKIP() << why;
  TestShim shim;
  shim.script("exec sleep 600").overlay();
  ASSERT_EQ(shim.start_as(kUser), 0) << shim.complaint();
  ASSERT_TRUE(eventually([&] { return exists(shim.dir() + "/started"); }));
  Command command(shim, "id -u; cat /proc/1/comm; exit 3");
  EXPECT_EQ(read_all(command.out.get()), "54321\ntrainyard-shim\n");
  EXPECT_TRUE(command.report().starts_with("code=3\n"));
}

}  // namespace
}  // namespace trainyard::shim
