#include "cli/completion.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>

namespace trainyard::cli {
namespace {

constexpr const char* kBash = R"sh(# source <(trainyard completion bash)
_trainyard() {
  local IFS=$'\n'
  COMPREPLY=($(trainyard __complete -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
complete -o default -F _trainyard trainyard
)sh";

constexpr const char* kZsh = R"sh(#compdef trainyard
# source <(trainyard completion zsh)
_trainyard() {
  local -a found
  found=(${(f)"$(trainyard __complete -- "${words[@]:1:$((CURRENT - 1))}" 2>/dev/null)"})
  if (( ${#found} )); then compadd -a found; else _files; fi
}
compdef _trainyard trainyard
)sh";

constexpr const char* kFish = R"sh(# trainyard completion fish | source
complete -c trainyard -a '(trainyard __complete -- (commandline -opc)[2..-1] (commandline -ct) 2>/dev/null)'
)sh";

const CLI::App* find_command(const CLI::App& app, const std::string& word) {
  for (const CLI::App* sub : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (sub->get_name() == word) return sub;
  }
  return nullptr;
}

void add_flags(const CLI::App& app, std::vector<std::string>& found) {
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_group().empty()) continue;  // hidden
    for (const std::string& name : option->get_lnames()) found.push_back("--" + name);
    for (const std::string& name : option->get_snames()) found.push_back("-" + name);
  }
}

/// The command that the words before the last one have come to.
const CLI::App* command_of(const CLI::App& app, const std::vector<std::string>& words) {
  const CLI::App* here = &app;
  for (std::size_t i = 0; i + 1 < words.size(); ++i) {
    if (const CLI::App* next = find_command(*here, words[i])) here = next;
  }
  return here;
}

}  // namespace

Result<std::string> completion_script(const std::string& shell) {
  if (shell == "bash") return std::string(kBash);
  if (shell == "zsh") return std::string(kZsh);
  if (shell == "fish") return std::string(kFish);
  return Error(Code::kInvalid,
               fmt::format("no completion for {}: bash, zsh and fish are known", shell));
}

std::vector<std::string> complete(const CLI::App& app, const std::vector<std::string>& words) {
  const CLI::App* here = command_of(app, words);
  std::vector<std::string> found;
  const std::string last = words.empty() ? "" : words.back();
  if (last.starts_with('-')) {
    add_flags(*here, found);
    if (here != &app) add_flags(app, found);
  } else {
    for (const CLI::App* sub : here->get_subcommands([](const CLI::App*) { return true; })) {
      if (!sub->get_group().empty()) found.push_back(sub->get_name());
    }
  }
  std::erase_if(found, [&](const std::string& word) { return !word.starts_with(last); });
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

bool names_a_job(const CLI::App& app, const std::vector<std::string>& words) {
  if (words.size() < 2 || words.back().starts_with('-')) return false;
  const CLI::App* here = command_of(app, words);
  const CLI::Option* before = here->get_option_no_throw(words[words.size() - 2]);
  if (before != nullptr && before->get_items_expected_max() > 0) return false;  // its value
  return here->get_option_no_throw("job") != nullptr ||
         here->get_option_no_throw("jobs") != nullptr;
}

}  // namespace trainyard::cli
