// What `trainyard doctor` looks at: files of the kernel, and programs that say their versions.

#include "base/files/files.h"
#include "base/files/folder_entries.h"
#include "base/port_holder.h"
#include "cli/command/run_program.h"
#include "cli/server/doctor.h"

#include <fmt/format.h>

#include <cctype>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <sys/statvfs.h>
#include <sys/utsname.h>
#include <unistd.h>

namespace trainyard::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kAskPython = R"py(
import importlib.metadata, importlib.util, json, sys
def version(module):
    if importlib.util.find_spec(module) is None: return ""
    try: return importlib.metadata.version(module)
    except Exception: return "of unknown version"
print(json.dumps({"python": "%d.%d.%d" % sys.version_info[:3], "venv": sys.prefix != sys.base_prefix,
                  "torch": version("torch"), "tensorboard": version("tensorboard"),
                  "jupyter": version("jupyterlab")}))
)py";

std::string setting(const char* file) {
  std::string text = read_file(file).value_or("");
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back())) != 0) {
    text.pop_back();
  }
  return text;
}

/// By making some, in a process that ends at once.
void look_at_namespaces(MachineFacts& facts) {
  std::vector<std::string> probe{"unshare", "--mount", "--pid", "--uts", "--ipc", "--fork"};
  if (!facts.root) probe.insert(probe.end(), {"--user", "--map-root-user"});
  probe.emplace_back("true");
  const auto tried = capture_program(probe);
  if (tried && tried->code == 0) return;
  facts.namespaces_problem = tried ? "the kernel refuses them" : tried.error().message();
  if (facts.root) return;
  if (setting("/proc/sys/kernel/unprivileged_userns_clone") == "0") {
    facts.namespaces_remedies.emplace_back("sudo sysctl kernel.unprivileged_userns_clone=1");
  }
  if (setting("/proc/sys/user/max_user_namespaces") == "0") {
    facts.namespaces_remedies.emplace_back("sudo sysctl user.max_user_namespaces=10000");
  }
  if (setting("/proc/sys/kernel/apparmor_restrict_unprivileged_userns") == "1") {
    facts.namespaces_remedies.emplace_back(
        "sudo sysctl kernel.apparmor_restrict_unprivileged_userns=0");
  }
}

/// "0::/user.slice/x" of /proc/self/cgroup.
std::string own_group() {
  const std::string text = read_file("/proc/self/cgroup").value_or("");
  const std::size_t start = text.find("0::");
  if (start == std::string::npos) return "/";
  return text.substr(start + 3, text.find('\n', start) - start - 3);
}

void look_at_cgroups(MachineFacts& facts) {
  const fs::path root = "/sys/fs/cgroup";
  if (is_there(root / "cgroup.controllers")) {
    facts.cgroups = 2;
    facts.cgroups_writable = ::access((root.string() + own_group()).c_str(), W_OK) == 0;
  } else if (is_there(root / "memory")) {
    facts.cgroups = 1;
    facts.cgroups_writable = ::access((root / "memory").c_str(), W_OK) == 0;
  }
}

void look_at_disk(const fs::path& data_dir, MachineFacts& facts) {
  facts.data_dir = data_dir.string();
  fs::path there = data_dir;
  std::error_code missing;
  while (!fs::exists(there, missing) && there.has_parent_path() && there != there.parent_path()) {
    there = there.parent_path();
  }
  std::error_code unknown;
  if (!fs::is_directory(there, unknown)) {
    facts.data_problem = fmt::format("{} is no folder", there.string());
  } else if (::access(there.c_str(), W_OK) != 0) {
    facts.data_problem = fmt::format("{} cannot be written to: {}", there.string(),
                                     std::strerror(errno));  // NOLINT(concurrency-mt-unsafe)
  }
  struct statvfs disk{};
  if (::statvfs(there.c_str(), &disk) == 0) facts.disk_free = disk.f_bavail * disk.f_frsize;
}

void look_at_python(const std::string& path, MachineFacts& facts) {
  facts.python = find_program("python3", path);
  if (facts.python.empty()) facts.python = find_program("python", path);
  if (facts.python.empty()) return;
  const auto told = capture_program({facts.python, "-c", kAskPython});
  const auto json = told ? parse_json(told->text) : Result<Json>(told.error());
  if (!json) return;
  facts.python_version = string_at(*json, "python");
  facts.python_in_venv = bool_at(*json, "venv");
  facts.torch = string_at(*json, "torch");
  facts.jupyter = string_at(*json, "jupyter");
  // Boards run the program: a package that is not on PATH does not help.
  if (!find_program("tensorboard", path).empty()) {
    facts.tensorboard = string_at(*json, "tensorboard", "found");
  }
}

void look_at_notebooks(const fs::path& data_dir, MachineFacts& facts) {
  const fs::path own = data_dir / "environments" / "notebook" / "bin" / "jupyter-lab";
  if (is_there(own)) facts.jupyter = own.string();
}

std::string kubectl_version(const std::string& path) {
  const std::string program = find_program("kubectl", path);
  if (program.empty()) return "";
  const auto told = capture_program({program, "version", "--client", "-o", "json"});
  const auto json = told ? parse_json(told->text) : Result<Json>(told.error());
  const std::string version(json ? string_at(*json, "clientVersion.gitVersion") : "");
  return version.empty() ? "of unknown version" : version;
}

void look_at_gpus(MachineFacts& facts) {
  for (const auto& card : FolderEntries("/proc/driver/nvidia/gpus")) {
    (void)card;
    ++facts.gpus;
  }
  for (const auto& device : FolderEntries("/sys/bus/pci/devices")) {
    const std::string file = device.path().string();
    facts.nvidia_card =
        facts.nvidia_card || (setting((file + "/vendor").c_str()) == "0x10de" &&
                              setting((file + "/class").c_str()).starts_with("0x03"));
  }
}

}  // namespace

MachineFacts look_at_machine(const fs::path& data_dir) {
  MachineFacts facts;
  struct utsname system{};
  if (::uname(&system) == 0) facts.kernel = system.release;
  facts.root = ::geteuid() == 0;
  facts.server = find_server(data_dir);
  for (const auto& [flag, port] : {std::pair<const char*, std::uint16_t>{"--listen", 6480},
                                   {"--console", 6481},
                                   {"--apps", 6482}}) {
    const bool free = port_is_free(port);
    facts.ports.push_back({flag, port, free, free ? "" : port_holder(port)});
  }
  look_at_namespaces(facts);
  look_at_cgroups(facts);
  look_at_disk(data_dir, facts);
  // Jobs have the server's PATH; one that is yet to be started will have ours.
  const char* ours = std::getenv("PATH");  // NOLINT(concurrency-mt-unsafe)
  std::string path = ours != nullptr ? ours : "/usr/local/bin:/usr/bin:/bin";
  if (facts.server && !facts.server->pods_path.empty()) path = facts.server->pods_path;
  look_at_python(path, facts);
  look_at_notebooks(data_dir, facts);
  facts.mpirun = find_program("mpirun", path);
  facts.ssh = find_program("ssh", path);
  facts.sshd = find_program("sshd", path + ":/usr/sbin:/usr/local/sbin");
  facts.git = find_program("git", path);
  facts.kubectl = kubectl_version(path);
  look_at_gpus(facts);
  return facts;
}

}  // namespace trainyard::cli
