#include "node/hosts.h"

#include "base/files.h"
#include "base/ids.h"
#include "base/log.h"
#include "base/unique_fd.h"

#include <fmt/format.h>

#include <cerrno>
#include <fcntl.h>
#include <unistd.h>
#include <utility>

namespace trainyard::node {
namespace {

std::string names_of(const Json& pod) {
  const std::string_view name = name_of(pod);
  const std::string_view hostname = string_at(pod, "spec.hostname", name);
  const std::string_view subdomain = string_at(pod, "spec.subdomain");
  std::string names(hostname);
  if (hostname != name) names += fmt::format(" {}", name);
  if (!subdomain.empty()) {
    const std::string full = fmt::format("{}.{}", hostname, subdomain);
    names +=
        fmt::format(" {0} {0}.{1} {0}.{1}.svc {0}.{1}.svc.cluster.local", full, namespace_of(pod));
  }
  return names;
}

/// In place: the file is mounted into containers, and a new file under the old name would not be.
Result<> overwrite(const std::filesystem::path& path, const std::string& text) {
  const UniqueFd fd(::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0644));
  if (!fd.valid()) return io_error("writing", path, errno);
  if (::pwrite(fd.get(), text.data(), text.size(), 0) != static_cast<ssize_t>(text.size()) ||
      ::ftruncate(fd.get(), static_cast<off_t>(text.size())) != 0) {
    return io_error("writing", path, errno);
  }
  return Ok();
}

}  // namespace

std::string Hosts::free_address(const std::string& uid) const {
  // The search begins at a place of the pod's own, so that after a restart a new pod does not take
  // the address of one that has not been heard of yet.
  constexpr std::uint64_t kAddresses = 256 * 254;
  const std::uint64_t start = fnv1a(uid);
  for (std::uint64_t i = 0; i < kAddresses; ++i) {
    const std::uint64_t number = (start % kAddresses + i) % kAddresses;
    std::string ip = fmt::format("127.64.{}.{}", number / 254, number % 254 + 1);
    if (!taken_.contains(ip)) return ip;
  }
  return "127.0.0.1";  // 65,000 pods share one machine: then they share an address too
}

Result<std::string> Hosts::add(const Json& pod) {
  const std::string uid(uid_of(pod));
  Entry entry;
  entry.ns = namespace_of(pod);
  entry.ip = string_at(pod, "status.podIP");
  entry.names = names_of(pod);
  if (entry.ip.empty()) entry.ip = free_address(uid);
  remove(uid);
  const std::string ip = entry.ip;
  const std::string ns = entry.ns;
  taken_.insert(ip);
  entries_[uid] = std::move(entry);
  TRY_OK(make_folders(paths_.pod(uid), 0755));
  TRY_OK(overwrite(paths_.hosts(uid), render(ns)));
  set_changed(ns);
  return ip;
}

void Hosts::remove(const std::string& uid) {
  const auto found = entries_.find(uid);
  if (found == entries_.end()) return;
  const std::string ns = found->second.ns;
  taken_.erase(taken_.find(found->second.ip));
  entries_.erase(found);
  set_changed(ns);
}

void Hosts::set_changed(const std::string& ns) {
  changed_.insert(ns);
  if (listener_) listener_();
}

void Hosts::write_changed() {
  for (const std::string& ns : std::exchange(changed_, {})) {
    if (auto written = write_all(ns); !written) {
      log_warn("hosts files not updated", {{"cause", written.error().message()}});
    }
  }
}

std::string Hosts::render(const std::string& ns) const {
  std::string text = "127.0.0.1 localhost\n::1 localhost ip6-localhost ip6-loopback\n";
  for (const auto& [uid, entry] : entries_) {
    if (entry.ns == ns) text += fmt::format("{} {}\n", entry.ip, entry.names);
  }
  return text;
}

Result<> Hosts::write_all(const std::string& ns) const {
  const std::string text = render(ns);
  for (const auto& [uid, entry] : entries_) {
    if (entry.ns == ns) TRY_OK(overwrite(paths_.hosts(uid), text));
  }
  return Ok();
}

}  // namespace trainyard::node
