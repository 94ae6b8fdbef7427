#include "shim/test_shim.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <grp.h>
#include <sched.h>
#include <signal.h>
#include <sstream>
#include <sys/file.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace trainyard::shim {
namespace {

constexpr std::size_t kStampSize = sizeof("2026-11-16T01:02:03.123456789Z") - 1;

Fd lock_folder(const std::string& dir) {
  Fd lock(::open((dir + "/lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  EXPECT_EQ(::flock(lock.get(), LOCK_EX | LOCK_NB), 0);
  return lock;
}

void give_to(const std::string& folder, uid_t user) {
  EXPECT_EQ(::chown(folder.c_str(), user, user), 0);
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    EXPECT_EQ(::lchown(entry.path().c_str(), user, user), 0);
  }
}

void become(uid_t user) {
  if (::setgroups(0, nullptr) != 0 || ::setgid(user) != 0 || ::setuid(user) != 0) ::_exit(99);
}

/// In a user namespace around the shim, its own limit can be set without touching the host's.
void limit_namespaces(uid_t user) {
  if (::unshare(CLONE_NEWUSER) != 0) ::_exit(98);
  std::string map = std::to_string(user) + " " + std::to_string(user) + " 1";
  write_text("/proc/self/setgroups", "deny");
  write_text("/proc/self/uid_map", map);
  write_text("/proc/self/gid_map", map);
  write_text("/proc/sys/user/max_user_namespaces", "0");
}

/// What the server does between fork and exec.
[[noreturn]] void exec_shim(const std::string& dir, int lock, int errors, int go) {
  ::dup2(errors, 2);
  // Out of the way of the places that they are meant for.
  lock = ::fcntl(lock, F_DUPFD_CLOEXEC, 10);
  if (go >= 0) ::dup2(::fcntl(go, F_DUPFD_CLOEXEC, 10), 4);
  ::dup2(lock, 3);
  if (go >= 0) {
    ::execl(TRAINYARD_SHIM, TRAINYARD_SHIM, "--wait", dir.c_str(), nullptr);
  } else {
    ::execl(TRAINYARD_SHIM, TRAINYARD_SHIM, dir.c_str(), nullptr);
  }
  ::_exit(99);
}

/// Some tests mount things. They get a mount namespace for it, so that nothing stays behind even if
/// they crash; its mounts are shared, as a host's are, so that a shim that leaks mounts is seen.
class OwnMounts : public testing::Environment {
 public:
  void SetUp() override {
    if (::geteuid() != 0) return;
    ASSERT_EQ(::unshare(CLONE_NEWNS), 0);
    ASSERT_EQ(::mount(nullptr, "/", nullptr, MS_PRIVATE | MS_REC, nullptr), 0);
    ASSERT_EQ(::mount(nullptr, "/", nullptr, MS_SHARED | MS_REC, nullptr), 0);
  }
};
const auto* const kOwnMounts = testing::AddGlobalTestEnvironment(new OwnMounts);

}  // namespace

ParsedLog parse_log(std::string_view log) {
  ParsedLog parsed;
  std::string last_stamp;
  while (!log.empty()) {
    std::size_t end = log.find('\n');
    std::string_view line = log.substr(0, end);
    std::string stamp(line.substr(0, std::min(line.size(), kStampSize)));
    std::string_view head = line.size() < kStampSize + 10 ? "" : line.substr(kStampSize, 10);
    bool whole = head.ends_with(" F ");
    bool known = head == " stdout F " || head == " stdout P " || head == " stderr F " ||
                 head == " stderr P ";
    if (end == log.npos || !known || stamp < last_stamp) {
      parsed.broken = std::string(line.substr(0, 200));
      return parsed;
    }
    std::string_view text = line.substr(kStampSize + head.size());
    std::string& stream = head.starts_with(" stdout") ? parsed.out : parsed.err;
    stream += text;
    if (whole) stream += '\n';
    if (!whole) ++parsed.partial_records;
    parsed.longest_text = std::max(parsed.longest_text, text.size());
    last_stamp = stamp;
    log.remove_prefix(end + 1);
  }
  return parsed;
}

TemporaryFolder::TemporaryFolder() {
  char name[] = "/tmp/shim-test-XXXXXX";
  path_ = ::mkdtemp(name);
  ::chmod(path_.c_str(), 0755);
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::string read_text(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

void write_text(const std::string& path, std::string_view text) {
  std::ofstream(path, std::ios::binary) << text;
}

bool exists(const std::string& path) {
  return ::access(path.c_str(), F_OK) == 0;
}

void make_tree(const std::string& folder) {
  for (const char* name : {"/etc", "/usr"}) ::mkdir((folder + name).c_str(), 0777);
  write_text(folder + "/etc/os-release", "another\n");
  for (const char* name : {"bin", "lib", "lib64"}) {
    (void)::symlink((std::string("usr/") + name).c_str(), (folder + "/" + name).c_str());
  }
}

bool eventually(const std::function<bool()>& condition) {
  for (int i = 0; i < 4000; ++i) {
    if (condition()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return false;
}

TestShim::TestShim() : dir_(temporary_.path() + "/dir") {
  ::mkdir(dir_.c_str(), 0755);
}

TestShim::~TestShim() {
  if (!is_locked()) return;
  ::kill(pid(), SIGKILL);
  eventually([&] { return !is_locked(); });
}

TestShim& TestShim::add(const std::string& key, const std::string& value) {
  spec_ += key + '\0' + value + '\0';
  return *this;
}

TestShim& TestShim::script(const std::string& text) {
  return add("env", "PATH=/usr/bin:/bin").add("arg", "sh").add("arg", "-c").add("arg", text);
}

TestShim& TestShim::forbid_namespaces() {
  namespaces_forbidden_ = true;
  return *this;
}

TestShim& TestShim::overlay() {
  return add("root", "overlay:" + folder("upper") + ":" + folder("work") + ":" + folder("merged"));
}

std::string TestShim::why_not_as(uid_t user) {
  TestShim probe;
  if (probe.script("true").start_as(user) != 0) {
    return "an ordinary user cannot start " TRAINYARD_SHIM
           " (a folder above it is closed, or user namespaces are forbidden): " +
           probe.complaint();
  }
  probe.wait_for_exit();
  return "";
}

TestShim& TestShim::base(const std::string& key, const std::string& value) {
  base_ += key + '\0' + value + '\0';
  return add(key, value);
}

int TestShim::start() {
  return start_as(0);
}

int TestShim::start_as(uid_t user) {
  write_text(dir_ + "/spec", spec_);
  return start_with(user, false);
}

int TestShim::fill_before_start() {
  write_text(dir_ + "/spec", spec_);
  // What the start itself needs is there; the rest is not.
  write_text(dir_ + "/lock", "x");
  write_text(dir_ + "/filler", std::string(1 << 20, 'x'));
  const std::string filler = dir_ + "/filler";
  std::filesystem::resize_file(filler, std::filesystem::file_size(filler) - 4096);
  return start_with(0, false);
}

int TestShim::start_waiting(uid_t user) {
  write_text(dir_ + "/base", base_);
  const int code = start_with(user, true);
  for (int i = 0; code == 0 && i < 2000 && exists(dir_ + "/base"); ++i) ::usleep(5000);
  return code;
}

int TestShim::start_with(uid_t user, bool waiting) {
  Fd lock = lock_folder(dir_);
  Fd errors(::open((temporary_.path() + "/stderr").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
  int ends[2] = {-1, -1};
  if (waiting) EXPECT_EQ(::pipe2(ends, O_CLOEXEC), 0);
  Fd wait_end(ends[0]);
  go_ = Fd(ends[1]);
  if (user != 0) give_to(temporary_.path(), user);
  pid_t outer = ::fork();
  if (outer == 0) {
    if (user != 0) become(user);
    if (namespaces_forbidden_) limit_namespaces(user);
    exec_shim(dir_, lock.get(), errors.get(), wait_end.get());
  }
  int status = 0;
  EXPECT_EQ(::waitpid(outer, &status, 0), outer);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

void TestShim::go() {
  write_text(dir_ + "/spec", spec_);
  EXPECT_TRUE(write_all(go_.get(), "g"));
}

void TestShim::move_to(const std::string& name) {
  std::string place = temporary_.path() + "/" + name;
  EXPECT_EQ(::rename(dir_.c_str(), place.c_str()), 0);
  dir_ = place;
}

void TestShim::run() {
  EXPECT_EQ(start(), 0) << complaint();
  EXPECT_TRUE(wait_for_exit()) << "no DIR/exit";
}

bool TestShim::wait_for_exit() {
  // The file comes first, then the end of the process.
  return eventually([&] { return exists(dir_ + "/exit") && !is_locked(); });
}

void TestShim::terminate() const {
  EXPECT_EQ(::kill(pid(), SIGTERM), 0);
}

Fd TestShim::connect() const {
  std::string path = dir_ + "/control";
  EXPECT_TRUE(eventually([&] { return exists(path); }));
  Fd socket(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, path.c_str(), sizeof address.sun_path - 1);
  EXPECT_TRUE(eventually([&] {
    return ::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) ==
           0;
  }));
  return socket;
}

std::string TestShim::folder(const std::string& name) const {
  std::string path = temporary_.path() + "/" + name;
  ::mkdir(path.c_str(), 0755);
  return path;
}

pid_t TestShim::pid() const {
  return static_cast<pid_t>(std::atoi(file("pid").c_str()));
}

bool TestShim::is_locked() const {
  Fd lock(::open((dir_ + "/lock").c_str(), O_RDWR | O_CLOEXEC));
  return lock.valid() && ::flock(lock.get(), LOCK_EX | LOCK_NB) != 0;
}

std::string TestShim::exit(const std::string& key) const {
  std::istringstream lines(file("exit"));
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(key + "=")) return line.substr(key.size() + 1);
  }
  return "";
}

}  // namespace trainyard::shim
