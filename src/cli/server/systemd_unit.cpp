#include "cli/server/systemd_unit.h"

#include "base/files/files.h"
#include "cli/command/run_program.h"
#include "cli/command/up_words.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdlib>
#include <unistd.h>

namespace trainyard::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kUnit = "trainyard.service";

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

/// Where units of one's own go, before those of packages.
fs::path unit_folder(bool system) {
  if (system) return "/etc/systemd/system";
  const std::string config = variable("XDG_CONFIG_HOME");
  return (config.empty() ? fs::path(variable("HOME")) / ".config" : fs::path(config)) / "systemd" /
         "user";
}

Result<> systemctl(bool system, std::vector<std::string> words) {
  words.insert(words.begin(), "systemctl");
  if (!system) words.insert(words.begin() + 1, "--user");
  TRY(const int code, run_program(words));
  if (code == 0) return Ok();
  return Error(Code::kUnavailable,
               fmt::format("`{}` failed (exit code {}; why is said above): `trainyard up --detach` "
                           "starts a server without systemd",
                           fmt::join(words, " "), code));
}

Result<> check_systemd() {
  std::error_code unknown;
  if (fs::is_directory("/run/systemd/system", unknown)) return Ok();
  return Error(Code::kUnsupported,
               "systemd does not run on this machine: start the server with `trainyard up "
               "--detach`, and see that whatever starts the machine's programs does so, too");
}

/// Read by systemd before the server starts; by nobody else.
Result<std::string> write_secrets(const UpOptions& options) {
  const auto variables = secret_variables(options);
  if (variables.empty()) return std::string();
  std::string text;
  for (const auto& [name, value] : variables) text += environment_line(name, value);
  const fs::path file = options.data_dir / "up.env";
  TRY_OK(make_folders(options.data_dir, 0700));
  TRY_OK(write_file(file, text, 0600));
  return file.string();
}

}  // namespace

std::string unit_word(const std::string& word) {
  std::string out = "\"";
  for (const char c : word) {
    if (c == '"' || c == '\\') out += '\\';
    if (c == '%' || c == '$') out += c;  // doubled, they mean themselves
    out += c;
  }
  return out + "\"";
}

std::string environment_line(const std::string& name, const std::string& value) {
  std::string out = name + "=\"";
  for (const char c : value) {
    if (c == '"' || c == '\\' || c == '$' || c == '`') out += '\\';
    out += c;
  }
  return out + "\"\n";
}

std::string unit_text(const UnitOptions& options) {
  std::string command;
  for (const std::string& word : options.command) {
    const bool plain = word.find_first_of(" \t\n\"'\\%$;") == std::string::npos && !word.empty();
    command += (command.empty() ? "" : " ") + (plain ? word : unit_word(word));
  }
  std::string text =
      "[Unit]\n"
      "Description=Trainyard: distributed training jobs\n"
      "Documentation=man:trainyard(1)\n"
      "After=network.target\n\n"
      "[Service]\n"
      "Type=exec\n";
  text += fmt::format("ExecStart={}\n", command);
  if (!options.path.empty())
    text += fmt::format("Environment={}\n", unit_word("PATH=" + options.path));
  if (options.system) text += "EnvironmentFile=-/etc/default/trainyard\n";
  if (!options.secrets_file.empty())
    text += fmt::format("EnvironmentFile={}\n", options.secrets_file);
  text +=
      "# Pods outlive the server: it can be stopped, upgraded and started again while they run.\n"
      "KillMode=process\n"
      "# Limits of jobs are control groups below the server's own.\n"
      "Delegate=yes\n"
      "Restart=on-failure\n"
      "RestartSec=2\n"
      "LimitNOFILE=1048576\n";
  text += fmt::format("\n[Install]\nWantedBy={}\n",
                      options.system ? "multi-user.target" : "default.target");
  return text;
}

Result<int> install_unit(const UpOptions& options) {
  TRY_OK(check_systemd());
  if (const auto running = find_server(options.data_dir)) {
    return Error(Code::kAlreadyExists,
                 fmt::format("a server runs on {} already (process {}): `trainyard down` stops it, "
                             "its pods run on",
                             options.data_dir.string(), running->pid));
  }
  UnitOptions unit;
  unit.system = ::geteuid() == 0;
  std::error_code unknown;
  unit.command = {fs::read_symlink("/proc/self/exe", unknown).string(), "up"};
  UpOptions lasting = options;
  lasting.accept_loss = false;  // is for one start
  for (std::string& word : up_words(lasting)) unit.command.push_back(std::move(word));
  unit.path = variable("PATH");
  TRY(unit.secrets_file, write_secrets(options));
  const fs::path file = unit_folder(unit.system) / kUnit;
  TRY_OK(make_folders(file.parent_path(), 0755));
  TRY_OK(write_file(file, unit_text(unit), 0644));
  fmt::print("wrote {}\n", file.string());
  std::fflush(stdout);
  TRY_OK(systemctl(unit.system, {"daemon-reload"}));
  TRY_OK(systemctl(unit.system, {"enable", "--now", kUnit}));
  const std::string user = unit.system ? "" : "--user ";
  fmt::print(
      "the server runs, and starts with {}. `systemctl {}status trainyard` shows it, "
      "`systemctl {}disable --now trainyard` undoes this\n",
      unit.system ? "the machine" : "your first login", user, user);
  if (!unit.system) {
    fmt::print("`loginctl enable-linger` lets it run also while you are not logged in\n");
  }
  return 0;
}

}  // namespace trainyard::cli
