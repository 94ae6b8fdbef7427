#include "cli/command/parse_error.h"

#include "base/words/near_words.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace trainyard::cli {
namespace {

bool is_kind(const CLI::ParseError& problem, CLI::ExitCodes code) {
  return problem.get_exit_code() == static_cast<int>(code);
}

/// The command that was found so far, with its words.
const CLI::App* innermost(const CLI::App& app, std::string& words) {
  const CLI::App* here = &app;
  words = app.get_name();
  for (auto found = here->get_subcommands(); !found.empty(); found = here->get_subcommands()) {
    here = found.back();
    words += " " + here->get_name();
  }
  return here;
}

std::vector<std::string> commands_of(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* sub : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (!sub->get_group().empty()) names.push_back(sub->get_name());
  }
  return names;
}

std::vector<std::string> flags_of(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_group().empty()) continue;
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

/// Without the program's name, which stands before every error.
std::string shown(const std::string& words) {
  const std::size_t blank = words.find(' ');
  return blank == std::string::npos ? words : words.substr(blank + 1);
}

std::string did_you_mean(const std::string& typed, const std::vector<std::string>& known) {
  const std::string near = nearest_word(typed, known);
  return near.empty() ? "" : fmt::format(" did you mean {}?", near);
}

/// No command where one is needed, or one that is not known.
Error no_command(const CLI::App& here, const std::string& words,
                 const std::vector<std::string>& unknown) {
  const std::vector<std::string> known = commands_of(here);
  if (unknown.empty()) {
    return Error(Code::kInvalid, fmt::format("{} needs a command: {}. `{} --help` says what each "
                                             "does",
                                             shown(words), fmt::join(known, ", "), words));
  }
  return Error(Code::kInvalid,
               fmt::format("there is no command {}{}:{} `{} --help` lists all", unknown.front(),
                           here.get_parent() == nullptr ? "" : " of " + shown(words),
                           did_you_mean(unknown.front(), known), words));
}

Error not_expected(const CLI::App& app, const CLI::App& here, const std::string& words,
                   const std::string& word) {
  std::string flag = word.substr(0, word.find('='));
  if (!flag.starts_with("-")) {
    return Error(Code::kInvalid,
                 fmt::format("{} does not know what to do with \"{}\": `{} --help` shows how it is "
                             "used",
                             shown(words), word, words));
  }
  std::vector<std::string> known = flags_of(here);
  for (std::string& more : flags_of(app)) known.push_back(std::move(more));
  return Error(Code::kInvalid, fmt::format("{} has no flag {}:{} `{} --help` lists all",
                                           shown(words), flag, did_you_mean(flag, known), words));
}

}  // namespace

bool is_bare(const CLI::App& app, const CLI::ParseError& problem) {
  return is_kind(problem, CLI::ExitCodes::RequiredError) && app.get_subcommands().empty() &&
         app.remaining().empty();
}

std::optional<Error> explain_parse_error(const CLI::App& app, const CLI::ParseError& problem) {
  std::string words;
  const CLI::App* here = innermost(app, words);
  const std::vector<std::string> unknown = app.remaining(true);
  if (is_kind(problem, CLI::ExitCodes::RequiredError)) {
    if (here->get_require_subcommand_min() > 0 && here->get_subcommands().empty()) {
      return no_command(*here, words, unknown);
    }
    return Error(Code::kInvalid, fmt::format("{}: {}: `{} --help` shows how it is used",
                                             shown(words), problem.what(), words));
  }
  if (is_kind(problem, CLI::ExitCodes::ExtrasError) && !unknown.empty()) {
    return not_expected(app, *here, words, unknown.front());
  }
  if (problem.get_exit_code() == 0) return std::nullopt;
  return Error(Code::kInvalid, fmt::format("{}: {}: `{} --help` shows how it is used", shown(words),
                                           problem.what(), words));
}

}  // namespace trainyard::cli
