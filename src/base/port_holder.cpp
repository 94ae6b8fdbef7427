#include "base/port_holder.h"

#include "base/files/files.h"
#include "base/files/unique_fd.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstddef>
#include <filesystem>
#include <netinet/in.h>
#include <sstream>
#include <sys/socket.h>
#include <sys/un.h>

namespace trainyard {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kListening = "0A";           // TCP_LISTEN of the kernel
constexpr std::string_view kKeeper = "trainyard-keep";  // of src/shim/main.cpp

bool is_number(const std::string& text) {
  return !text.empty() &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

/// Whether one of the process's open files is one of these: "socket:[4711]".
bool holds_one_of(const fs::path& process, const std::vector<std::string>& sockets) {
  std::error_code failure;
  for (fs::directory_iterator file(process / "fd", failure), end; !failure && file != end;
       file.increment(failure)) {
    std::error_code gone;
    const std::string target = fs::read_symlink(file->path(), gone).string();
    if (!gone && std::find(sockets.begin(), sockets.end(), target) != sockets.end()) return true;
  }
  return false;
}

std::string describe(const fs::path& process) {
  std::string name = read_file(process / "comm").value_or("");
  while (name.ends_with('\n')) name.pop_back();
  if (name == kKeeper) {
    std::string words = read_file(process / "cmdline").value_or("");
    while (words.ends_with('\0')) words.pop_back();
    return fmt::format(
        "process {}, which keeps it for the server on {} as long as pods of that run (`trainyard "
        "--data-dir {} down --all` ends them)",
        process.filename().string(), words.substr(words.rfind('\0') + 1),
        words.substr(words.rfind('\0') + 1));
  }
  return fmt::format("{}, process {}", name.empty() ? "an unnamed program" : name,
                     process.filename().string());
}

}  // namespace

std::vector<std::uint64_t> listening_sockets(std::string_view table, std::uint16_t port) {
  const std::string suffix = fmt::format(":{:04X}", port);
  std::vector<std::uint64_t> inodes;
  std::istringstream lines{std::string(table)};
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string slot, local, remote, state, queues, timer, retries, user, timeout;
    std::uint64_t inode = 0;
    words >> slot >> local >> remote >> state >> queues >> timer >> retries >> user >> timeout;
    if (words >> inode && state == kListening && local.ends_with(suffix)) inodes.push_back(inode);
  }
  return inodes;
}

bool port_is_free(std::uint16_t port) {
  for (const int family : {AF_INET, AF_INET6}) {
    const UniqueFd probe(::socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (!probe.valid()) continue;  // a machine without IPv6
    const int on = 1;
    // What an ended program has left behind does not matter, nor would it to a job.
    ::setsockopt(probe.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (family == AF_INET6) {
      ::setsockopt(probe.get(), IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof on);
    }
    struct sockaddr_in6 any6{};
    any6.sin6_family = AF_INET6;
    any6.sin6_port = htons(port);
    any6.sin6_addr = in6addr_any;
    struct sockaddr_in any4{};
    any4.sin_family = AF_INET;
    any4.sin_port = htons(port);
    any4.sin_addr.s_addr = htonl(INADDR_ANY);
    const bool is6 = family == AF_INET6;
    const auto* address = is6 ? reinterpret_cast<const struct sockaddr*>(&any6)
                              : reinterpret_cast<const struct sockaddr*>(&any4);
    const socklen_t size = is6 ? sizeof any6 : sizeof any4;
    if (::bind(probe.get(), address, size) != 0 && errno == EADDRINUSE) return false;
  }
  return true;
}

std::shared_ptr<const void> claim_port(std::uint16_t port) {
  // Names without a file are the network namespace's, as ports are, and go with their process.
  struct sockaddr_un name{};
  name.sun_family = AF_UNIX;
  const std::string text = fmt::format("trainyard-port-{}", port);
  std::copy(text.begin(), text.end(), name.sun_path + 1);
  const auto size =
      static_cast<socklen_t>(offsetof(struct sockaddr_un, sun_path) + 1 + text.size());
  auto claim = std::make_shared<UniqueFd>(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  const auto* address = reinterpret_cast<const struct sockaddr*>(&name);
  if (::bind(claim->get(), address, size) != 0 && errno == EADDRINUSE) return nullptr;
  return claim;  // also where there are no sockets left: a port may be shared, a job must not wait
}

std::string port_holder(std::uint16_t port) {
  std::vector<std::string> sockets;
  for (const char* table : {"/proc/net/tcp", "/proc/net/tcp6"}) {
    for (const std::uint64_t inode : listening_sockets(read_file(table).value_or(""), port)) {
      sockets.push_back(fmt::format("socket:[{}]", inode));
    }
  }
  if (sockets.empty()) return "";
  std::error_code failure;
  for (fs::directory_iterator process("/proc", failure), end; !failure && process != end;
       process.increment(failure)) {
    const bool is_process = is_number(process->path().filename().string());
    if (is_process && holds_one_of(process->path(), sockets)) return describe(process->path());
  }
  return "";
}

}  // namespace trainyard
