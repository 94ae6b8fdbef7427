#include "cli/server/machine_commands.h"

#include "cli/command/print.h"
#include "cli/help_pages.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace trainyard::cli {
namespace {

const CLI::App* find_app(const CLI::App& all, const std::vector<std::string>& words) {
  const CLI::App* here = &all;
  for (const std::string& word : words) here = here->get_subcommand(word);
  return here;
}

}  // namespace

void MachineCommands::add(const AddCommand& add_command, CLI::App& all) {
  add_doctor(add_command);
  add_demo(add_command);
  add_audit(add_command);
  add_backup(add_command);
  add_help(add_command, all);
}

void MachineCommands::add_doctor(const AddCommand& add_command) {
  CLI::App* sub = add_command("doctor", "See whether this machine has what jobs need.",
                              [this] { return doctor(flags_); });
  sub->add_option("-o,--output", flags_.output, "json or yaml")
      ->check(CLI::IsMember({"json", "yaml"}));
  sub->footer(
      "Looks and changes nothing. What is missing is named with the command that mends it. The\n"
      "exit code is 0 unless something is missing without which no job runs.\n\n"
      "Examples:\n"
      "  trainyard doctor\n"
      "  trainyard doctor -o json");
}

void MachineCommands::add_demo(const AddCommand& add_command) {
  CLI::App* sub =
      add_command("demo", "Train a small model here, and watch it; nothing of it stays.",
                  [this] { return demo(flags_, demo_); });
  sub->add_option("-n,--replicas", demo_.replicas, "how many processes")
      ->check(CLI::Range(1, 16))
      ->capture_default_str();
  sub->add_option("--steps", demo_.steps, "how long to train")
      ->check(CLI::Range(1, 1'000'000))
      ->capture_default_str();
  sub->add_flag("--plain", demo_.plain, "Python alone, also where PyTorch is there");
  sub->footer(
      "Processes that know of each other learn together to tell two spirals apart: with PyTorch\n"
      "where it is installed, else with Python alone. Where no server runs, one is started for\n"
      "it, in a folder of its own. Ctrl-C ends it.");
}

void MachineCommands::add_audit(const AddCommand& add_command) {
  CLI::App* sub = add_command("audit", "See who did what: the server's audit log.",
                              [this] { return audit(flags_, audit_); });
  sub->add_option("--user", audit_.user, "only of this user, or of who acted as them");
  sub->add_option("--verb", audit_.verb, "only this, such as delete, exec or login");
  sub->add_option("--since", audit_.since, "only of the last 30m, 1h or 2d");
  sub->add_flag("-f,--follow", audit_.follow, "go on with what comes");
  sub->add_option("-o,--output", flags_.output, "json: the lines as they are kept, an object each")
      ->check(CLI::IsMember({"json"}));
  sub->footer(
      "Reads DATA_DIR/audit.log and the full ones before it, which only who runs the server may:\n"
      "requests that change something, open a session (exec, attach, logins) or read Secrets, and\n"
      "those that were refused. What the server's own controllers do is not in it.\n\n"
      "Examples:\n"
      "  trainyard audit --since 1h\n"
      "  trainyard audit --user ann -n vision --verb delete\n"
      "  trainyard audit -f -o json | jq -r 'select(.code == 403) | .user'");
}

void MachineCommands::add_backup(const AddCommand& add_command) {
  CLI::App* save = add_command("backup", "Save all that the server knows to a file.",
                               [this] { return backup(flags_, store_, backup_); });
  save->add_option("file", backup_.file, "where to; it must not be there yet")->required();
  save->add_flag("--logs", backup_.logs, "with the logs of deleted pods");
  save->add_flag("--volumes", backup_.volumes, "with the files of volumes in the data folder");
  save->add_flag("--dry-run", backup_.dry_run, "only say how large it would be");
  save->footer(
      "The server may run meanwhile. The file holds all objects, people and keys: whoever has it\n"
      "can act as the administrator. Folders of yours (data create --path), what jobs write\n"
      "elsewhere and running processes are not in it. `tar -t -f FILE` lists what is.\n\n"
      "Examples:\n"
      "  trainyard backup /backup/trainyard-$(date +%F)\n"
      "  trainyard backup --volumes --logs /backup/all");
  CLI::App* bring_back = add_command("restore", "Bring back what a backup holds.",
                                     [this] { return restore(flags_, store_, backup_.file); });
  bring_back->add_option("file", backup_.file, "what `trainyard backup` has made")->required();
  bring_back->footer(
      "Into a data folder that is empty, and while no server runs on it. The file is checked as a\n"
      "whole before anything is changed. Jobs that ran when the backup was made are started again\n"
      "or fail, as their restart policy says.\n\n"
      "Examples:\n"
      "  trainyard down --all && mv ~/.trainyard ~/.trainyard.old\n"
      "  trainyard restore /backup/trainyard-2026-11-17\n"
      "  trainyard restore --data-dir /tmp/look /backup/trainyard-2026-11-17");
}

void MachineCommands::add_help(const AddCommand& add_command, CLI::App& all) {
  CLI::App* sub =
      add_command("help", "Show the help of a command.", [this, &all] { return print_help(all); });
  sub->add_option("command", words_, "which, such as `data cp`; none: of the program");
  CLI::Option* man = sub->add_flag("--man", man_, "as a man page, with all that is below it");
  CLI::Option* markdown = sub->add_flag("--markdown", markdown_, "as Markdown, likewise");
  CLI::Option* output =
      sub->add_option("-o,--output", flags_.output, "json: likewise, for programs")
          ->check(CLI::IsMember({"json", "yaml"}));
  man->excludes(markdown)->excludes(output);
  markdown->excludes(output);
  sub->footer(
      "Examples:\n"
      "  trainyard help submit\n"
      "  trainyard help --man | man -l -\n"
      "  trainyard help --markdown > commands.md");
}

Result<int> MachineCommands::print_help(const CLI::App& all) {
  const HelpPage everything = read_help(all);
  TRY(const HelpPage* page, find_page(everything, words_));
  if (man_) {
    fmt::print("{}", to_man(*page, TRAINYARD_VERSION));
  } else if (markdown_) {
    fmt::print("{}", to_markdown(*page));
  } else if (!print_value(flags_, to_json(*page))) {
    const std::size_t last = page->command.rfind(' ');
    fmt::print("{}", find_app(all, words_)
                         ->help(last == std::string::npos ? "" : page->command.substr(0, last)));
  }
  return 0;
}

}  // namespace trainyard::cli
