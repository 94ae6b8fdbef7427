#include "node/linux/kernel_wait.h"

#include "base/files/test_folder.h"
#include "node/linux/process_states.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace trainyard::node {
namespace {

struct Seen {
  const char* what;
  KernelWait wait;
  WaitKind kind;
  const char* words;
};

KernelWait in_call(long call, std::string target = "", std::string peer = "",
                   bool is_fifo = false) {
  KernelWait wait;
  wait.state = 'S';
  wait.call = call;
  wait.target = std::move(target);
  wait.peer = std::move(peer);
  wait.is_fifo = is_fifo;
  return wait;
}

KernelWait in_state(char state, std::string place = "", std::string target = "") {
  KernelWait wait;
  wait.state = state;
  wait.place = std::move(place);
  wait.target = std::move(target);
  return wait;
}

TEST(KernelWait, IsToldInWords) {
  const Seen all[] = {
      {"computes", in_state('R'), WaitKind::kRuns, "runs on the CPU"},
      {"stopped", in_state('T'), WaitKind::kIsStopped, "is stopped (SIGSTOP)"},
      {"recv", in_call(SYS_recvfrom, "socket:[7]", "127.64.0.3:29500"), WaitKind::kSocket,
       "waits in recv on a socket to 127.64.0.3:29500"},
      {"read of a socket", in_call(SYS_read, "socket:[7]"), WaitKind::kSocket,
       "waits in read on a socket"},
      {"pipe", in_call(SYS_read, "pipe:[7]"), WaitKind::kPipe, "is blocked reading a pipe"},
      {"full pipe", in_call(SYS_write, "pipe:[7]"), WaitKind::kPipe,
       "is blocked writing to a pipe, which is full"},
      {"FIFO", in_call(SYS_read, "/data/x", "", true), WaitKind::kPipe,
       "is blocked reading the FIFO /data/x"},
      {"file", in_call(SYS_pread64, "/data/x"), WaitKind::kFile, "is blocked reading /data/x"},
      {"poll", in_call(SYS_ppoll, "pipe:[7]"), WaitKind::kPoll, "waits in poll on a pipe"},
      {"epoll", in_call(SYS_epoll_pwait), WaitKind::kPoll, "waits in epoll"},
      {"sleep", in_call(SYS_clock_nanosleep), WaitKind::kSleeps, "sleeps"},
      {"lock", in_call(SYS_futex), WaitKind::kLock, "waits for another thread (futex)"},
      {"child", in_call(SYS_wait4), WaitKind::kChild, "waits for a child process"},
      {"NFS", in_state('D', "rpc_wait_bit_killable", "/mnt/x"), WaitKind::kDisk,
       "is blocked in the kernel, uninterruptibly, with /mnt/x (in rpc_wait_bit_killable)"},
      {"only the place", in_state('S', "futex_do_wait"), WaitKind::kLock,
       "waits for another thread (futex)"},
      {"an unknown place", in_state('S', "dance"), WaitKind::kOther, "waits in the kernel (dance)"},
      {"nothing", in_state('S'), WaitKind::kOther, "waits"},
  };
  for (const Seen& seen : all) {
    EXPECT_EQ(kind_of(seen.wait), seen.kind) << seen.what;
    EXPECT_EQ(words_for(seen.wait), seen.words) << seen.what;
  }
}

TEST(KernelWait, FindsTheOtherEndOfAConnection) {
  const char* table =
      "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout "
      "inode\n"
      "   0: 0100007F:733C 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 "
      "11 1 0 100 0 0 10 0\n"
      "   1: 0300407F:B000 0200407F:733C 01 00000000:00000000 00:00000000 00000000     0        0 "
      "12 1 0 20 4 30 10 -1\n";
  EXPECT_EQ(peer_in(table, "12"), "127.64.0.2:29500");
  EXPECT_EQ(peer_in(table, "11"), "");  // it listens
  EXPECT_EQ(peer_in(table, "13"), "");
  EXPECT_EQ(peer_in("x\n\n1: 2:3", "1"), "");
  const char* mapped =
      "   1: 0000000000000000FFFF00000100007F:B000 0000000000000000FFFF00000100007F:733C 01 "
      "00000000:00000000 00:00000000 00000000     0        0 12 1 0 20 4 30 10 -1\n";
  EXPECT_EQ(peer_in(mapped, "12"), "127.0.0.1:29500");
}

/// A child that reads a FIFO which nobody writes to.
TEST(KernelWait, SeesAProcessThatIsBlocked) {
  const TestFolder folder;
  const std::string fifo = folder.path() / "fifo";
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  const int end = ::open(fifo.c_str(), O_RDWR);
  ASSERT_GE(end, 0);
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    char byte = 0;
    (void)!::read(end, &byte, 1);
    ::_exit(0);
  }
  ProcessState state;
  for (int i = 0; i < 1000 && state.state != 'S'; ++i) {
    ::usleep(5000);
    state = read_process_state("/proc", child);
  }
  const KernelWait wait = look_at_wait("/proc", child, state.state, true);
  EXPECT_EQ(kind_of(wait), WaitKind::kPipe);
  if (wait.call) {
    EXPECT_EQ(words_for(wait), "is blocked reading the FIFO " + fifo);
  }
  EXPECT_TRUE(read_process_states("/proc").contains(child));
  ASSERT_EQ(::write(end, "x", 1), 1);
  ::waitpid(child, nullptr,
            0);  // -1 where SIGCHLD is ignored, as the server does: it is gone then, too
  ::close(end);
}

}  // namespace
}  // namespace trainyard::node
