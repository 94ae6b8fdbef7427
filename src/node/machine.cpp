#include "node/machine.h"

#include "base/files/files.h"

#include <algorithm>
#include <sched.h>
#include <sys/statvfs.h>
#include <sys/sysinfo.h>
#include <sys/utsname.h>
#include <unistd.h>

namespace trainyard::node {
namespace {

std::int64_t count_cpus() {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  if (::sched_getaffinity(0, sizeof allowed, &allowed) == 0) return CPU_COUNT(&allowed);
  return ::sysconf(_SC_NPROCESSORS_ONLN);
}

std::int64_t total_memory() {
  struct sysinfo info{};
  ::sysinfo(&info);
  const auto bytes = static_cast<std::int64_t>(info.totalram) * info.mem_unit;
  return bytes / 1024 * 1024;  // in whole Ki, as nodes write it
}

std::int64_t total_disk(const std::filesystem::path& folder) {
  struct statvfs disk{};
  if (::statvfs(folder.c_str(), &disk) != 0) return 0;
  const auto bytes =
      static_cast<std::int64_t>(disk.f_blocks) * static_cast<std::int64_t>(disk.f_frsize);
  return bytes / 1024 * 1024;
}

std::string kubernetes_architecture(std::string_view machine) {
  if (machine == "x86_64") return "amd64";
  if (machine == "aarch64") return "arm64";
  return std::string(machine);
}

std::string first_line(const char* file) {
  const std::string text = read_file(file).value_or("");
  return text.substr(0, text.find('\n'));
}

/// PRETTY_NAME="Debian GNU/Linux 12 (bookworm)" without the quotes.
std::string pretty_name() {
  const std::string text = read_file("/etc/os-release").value_or("");
  constexpr std::string_view kKey = "PRETTY_NAME=";
  const std::size_t start = text.find(kKey);
  if (start == std::string::npos) return "Linux";
  std::string value = text.substr(start + kKey.size());
  value.resize(std::min(value.size(), value.find('\n')));
  std::erase(value, '"');
  return value;
}

}  // namespace

Machine look_at_machine(const std::filesystem::path& data_dir) {
  struct utsname system{};
  ::uname(&system);
  char host[256] = "";
  ::gethostname(host, sizeof host - 1);
  Machine machine;
  machine.cpus = count_cpus();
  machine.memory_bytes = total_memory();
  machine.disk_bytes = total_disk(data_dir);
  machine.host = host;
  machine.architecture = kubernetes_architecture(system.machine);
  machine.kernel = system.release;
  machine.os_image = pretty_name();
  machine.boot_id = first_line("/proc/sys/kernel/random/boot_id");
  machine.machine_id = first_line("/etc/machine-id");
  return machine;
}

}  // namespace trainyard::node
