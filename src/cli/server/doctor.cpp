#include "cli/server/doctor.h"

#include "cli/command/commands.h"
#include "cli/command/print.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>

namespace trainyard::cli {
namespace {

constexpr std::uint64_t kMegabyte = 1'000'000;
constexpr std::uint64_t kTooFull = 200 * kMegabyte;
constexpr std::uint64_t kTight = 5'000 * kMegabyte;

/// The first two numbers of "6.1.0-18-amd64" or "v1.33.4".
std::pair<int, int> version_of(std::string_view text) {
  if (text.starts_with('v')) text.remove_prefix(1);
  std::pair<int, int> version{0, 0};
  const char* begin = text.data();
  const char* end = begin + text.size();
  const auto major = std::from_chars(begin, end, version.first);
  if (major.ec == std::errc() && major.ptr != end && *major.ptr == '.') {
    std::from_chars(major.ptr + 1, end, version.second);
  }
  return version;
}

Check ok(const char* name, std::string finding, bool required = false) {
  return Check{name, Health::kOk, required, std::move(finding), ""};
}
Check missing(const char* name, std::string finding, std::string remedy, bool required = false) {
  return Check{name, Health::kMissing, required, std::move(finding), std::move(remedy)};
}
/// What packages of Debian bring.
Check not_installed(const char* name, std::string finding, std::vector<std::string> packages) {
  Check check = missing(name, std::move(finding),
                        fmt::format("apt-get install {}", fmt::join(packages, " ")));
  check.packages = std::move(packages);
  return check;
}
Check note(const char* name, std::string finding, std::string remedy) {
  return Check{name, Health::kNote, false, std::move(finding), std::move(remedy)};
}

Check kernel(const MachineFacts& facts) {
  if (version_of(facts.kernel) >= std::pair(5, 12)) {
    return ok("kernel", "Linux " + facts.kernel, true);
  }
  return missing("kernel", fmt::format("Linux {}: pods need 5.12 or newer", facts.kernel),
                 "upgrade to Debian 12, Ubuntu 24.04 or newer", true);
}

Check namespaces(const MachineFacts& facts) {
  if (facts.namespaces_problem.empty()) {
    return ok("namespaces",
              facts.root ? "pods have files, processes and a host name of their own"
                         : "pods have processes and a host name of their own, but share your "
                           "home; as root they would not",
              true);
  }
  std::vector<std::string> remedies = facts.namespaces_remedies;
  if (remedies.empty()) {
    remedies.emplace_back(facts.root ? "in a container, start it with --privileged"
                                     : "run the server as root: sudo trainyard up --detach");
  }
  Check check = missing("namespaces",
                        fmt::format("cannot be made, so no pod runs: {}", facts.namespaces_problem),
                        fmt::format("{}", fmt::join(remedies, "; ")), true);
  check.commands = facts.namespaces_remedies;
  return check;
}

Check cgroups(const MachineFacts& facts) {
  if (facts.cgroups == 0) {
    return note("cgroups", "none: CPU limits are not held, memory limits by each process alone",
                "mount them: mount -t cgroup2 none /sys/fs/cgroup");
  }
  if (facts.cgroups_writable) {
    return ok("cgroups", fmt::format("version {}: limits of jobs are held", facts.cgroups));
  }
  return note("cgroups",
              fmt::format("version {}, not ours to write: CPU limits are not held, memory limits "
                          "by each process alone",
                          facts.cgroups),
              facts.root ? "in a container, start it with --privileged"
                         : "systemd-run --user -p Delegate=yes trainyard up, or run it as root");
}

Check ports(const MachineFacts& facts) {
  if (facts.server) return ok("ports", "a server answers at " + facts.server->api_url, true);
  std::vector<std::string> taken;
  std::vector<std::string> flags;
  for (const PortFact& port : facts.ports) {
    if (port.free) continue;
    taken.push_back(fmt::format("{}{}", port.port,
                                port.holder.empty() ? "" : fmt::format(" ({})", port.holder)));
    flags.push_back(fmt::format("{} 127.0.0.1:PORT", port.what));
  }
  if (taken.empty()) {
    std::vector<std::string> free;
    for (const PortFact& port : facts.ports) free.push_back(std::to_string(port.port));
    return ok("ports", fmt::format("{} are free", fmt::join(free, ", ")), true);
  }
  return missing("ports", fmt::format("others listen on {}", fmt::join(taken, ", ")),
                 fmt::format("trainyard up {}", fmt::join(flags, " ")), true);
}

Check disk(const MachineFacts& facts) {
  const auto free = fmt::format("{:.1f} GB free for {}", static_cast<double>(facts.disk_free) / 1e9,
                                facts.data_dir);
  const std::string elsewhere = "free some space, or choose another disk: --data-dir FOLDER";
  if (!facts.data_problem.empty()) {
    return missing("data folder", facts.data_problem,
                   "choose one that you may write to: --data-dir FOLDER", true);
  }
  if (facts.disk_free < kTooFull) return missing("data folder", free, elsewhere, true);
  if (facts.disk_free < kTight) {
    return note("data folder", free + ": checkpoints may fill it", elsewhere);
  }
  return ok("data folder", free, true);
}

Check python(const MachineFacts& facts) {
  if (facts.python.empty()) {
    Check check =
        missing("python", "not found: training scripts need one", "apt-get install python3");
    check.packages = {"python3", "python3-venv"};
    return check;
  }
  return ok("python", fmt::format("{} ({})", facts.python_version, facts.python));
}

/// How a Python package gets where jobs look for it. Debian's Python takes none from pip.
std::string install(const MachineFacts& facts, const std::string& package) {
  if (facts.python.empty()) return "first Python: apt-get install python3 python3-venv";
  if (facts.python_in_venv) {
    return fmt::format("{} -m pip install {}", facts.python, package);
  }
  return fmt::format(
      "python3 -m venv ~/venv && ~/venv/bin/pip install {}, then start the server with "
      "PATH=~/venv/bin:$PATH",
      package);
}

Check package(const MachineFacts& facts, const char* name, const std::string& version,
              const char* what_for, const std::string& remedy) {
  if (!version.empty()) return ok(name, version);
  Check check = missing(name, fmt::format("not found: {}", what_for),
                        remedy.empty() ? install(facts, name) : remedy);
  if (remedy.empty()) check.wheels = {name};
  return check;
}

Check mpi(const MachineFacts& facts) {
  std::vector<std::string> absent;
  for (const auto& [name, path] :
       {std::pair{"mpirun", &facts.mpirun}, {"ssh", &facts.ssh}, {"sshd", &facts.sshd}}) {
    if (path->empty()) absent.emplace_back(name);
  }
  if (absent.empty()) return ok("mpi", fmt::format("{}, {}", facts.mpirun, facts.sshd));
  return not_installed("mpi", fmt::format("no {}: MPIJobs cannot run", fmt::join(absent, ", ")),
                       {"openmpi-bin", "openssh-client", "openssh-server"});
}

Check gpus(const MachineFacts& facts) {
  if (facts.gpus > 0) return ok("gpus", fmt::format("{} of NVIDIA", facts.gpus));
  if (facts.nvidia_card) {
    return missing("gpus", "a card of NVIDIA is there, but its driver is not loaded",
                   "apt-get install nvidia-driver, and restart the machine");
  }
  return note("gpus", "none: jobs train on the processor",
              "to try out how jobs get GPUs: trainyard up --fake-gpus 4");
}

Check kubectl(const MachineFacts& facts) {
  constexpr const char* kWhere = "https://kubernetes.io/docs/tasks/tools/";
  if (facts.kubectl.empty()) {
    return note("kubectl", "not found; trainyard's own commands do without it", kWhere);
  }
  if (version_of(facts.kubectl) >= std::pair(1, 30)) return ok("kubectl", facts.kubectl);
  return note("kubectl", fmt::format("{}: exec, cp and attach need 1.30 or newer", facts.kubectl),
              kWhere);
}

Check git(const MachineFacts& facts) {
  if (!facts.git.empty()) return ok("git", facts.git);
  return not_installed("git", "not found: code from repositories needs it", {"git"});
}

Check jupyter(const MachineFacts& facts) {
  constexpr const char* kSetup = "trainyard notebook setup";
  Check check = package(facts, "jupyter", facts.jupyter, "notebooks need it", kSetup);
  if (check.health != Health::kOk) check.commands = {kSetup};
  return check;
}

const char* word_for(Health health) {
  switch (health) {
    case Health::kOk:
      return "ok";
    case Health::kMissing:
      return "missing";
    case Health::kNote:
      return "note";
  }
  return "";
}

}  // namespace

std::vector<Check> examine(const MachineFacts& facts) {
  return {kernel(facts),
          namespaces(facts),
          cgroups(facts),
          ports(facts),
          disk(facts),
          python(facts),
          package(facts, "torch", facts.torch, "PyTorch jobs need it", ""),
          package(facts, "tensorboard", facts.tensorboard, "TensorBoards need it", ""),
          jupyter(facts),
          mpi(facts),
          git(facts),
          gpus(facts),
          kubectl(facts)};
}

bool can_run_jobs(const std::vector<Check>& checks) {
  return std::none_of(checks.begin(), checks.end(), [](const Check& check) {
    return check.required && check.health == Health::kMissing;
  });
}

std::string mending_command(const MachineFacts& facts, const std::vector<Check>& checks) {
  std::vector<std::string> packages;
  std::vector<std::string> wheels;
  std::vector<std::string> commands;
  for (const Check& check : checks) {
    packages.insert(packages.end(), check.packages.begin(), check.packages.end());
    wheels.insert(wheels.end(), check.wheels.begin(), check.wheels.end());
    commands.insert(commands.end(), check.commands.begin(), check.commands.end());
  }
  const bool new_venv = !wheels.empty() && !facts.python_in_venv;
  if (new_venv && std::find(packages.begin(), packages.end(), "python3-venv") == packages.end()) {
    packages.emplace_back("python3-venv");
  }
  // In this order: what is installed may be what the next step runs.
  std::vector<std::string> steps;
  if (!packages.empty()) {
    steps.push_back(fmt::format("{}apt-get install -y {}", facts.root ? "" : "sudo ",
                                fmt::join(packages, " ")));
  }
  if (new_venv) steps.emplace_back("python3 -m venv ~/venv");
  if (!wheels.empty()) {
    steps.push_back(fmt::format("{} -m pip install {}",
                                new_venv ? "~/venv/bin/python" : facts.python,
                                fmt::join(wheels, " ")));
  }
  // A server finds the Python of the shell that it is started in.
  if (new_venv) steps.emplace_back("export PATH=~/venv/bin:$PATH");
  steps.insert(steps.end(), commands.begin(), commands.end());
  return fmt::format("{}", fmt::join(steps, " && "));
}

std::string checks_text(const std::vector<Check>& checks, const std::string& mending) {
  std::string text;
  for (const Check& check : checks) {
    text += fmt::format("{:<8} {:<12} {}\n", word_for(check.health), check.name, check.finding);
    if (!check.remedy.empty()) text += fmt::format("{:<21} → {}\n", "", check.remedy);
  }
  std::vector<std::string> needed;
  for (const Check& check : checks) {
    if (check.required && check.health == Health::kMissing) needed.push_back(check.name);
  }
  text += needed.empty() ? "\nJobs can run here.\n"
                         : fmt::format("\nNo job can run before this is mended: {}.\n",
                                       fmt::join(needed, ", "));
  if (!mending.empty())
    text += fmt::format("This mends all that a command can:\n\n  {}\n", mending);
  return text;
}

Json checks_json(const std::vector<Check>& checks, const std::string& mending) {
  JsonArray all;
  for (const Check& check : checks) {
    all.push_back(JsonObject{{"name", check.name},
                             {"state", word_for(check.health)},
                             {"required", check.required},
                             {"finding", check.finding},
                             {"remedy", check.remedy}});
  }
  return JsonObject{
      {"canRunJobs", can_run_jobs(checks)}, {"checks", std::move(all)}, {"mend", mending}};
}

Result<int> doctor(const Flags& flags) {
  const MachineFacts facts = look_at_machine(flags.data_dir);
  const std::vector<Check> checks = examine(facts);
  const std::string mending = mending_command(facts, checks);
  if (!print_value(flags, checks_json(checks, mending))) {
    fmt::print("{}", checks_text(checks, mending));
  }
  return can_run_jobs(checks) ? 0 : 1;
}

}  // namespace trainyard::cli
