#pragma once

#include "cli/arena/flags.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace trainyard::cli::arena {

class Context;

/// A command, or a group of commands.
///
///   Command& get = tree.add("get", "Show a job.");
///   get.usage = "JOB";
///   get.flags.text("type", 'T', options->type, "TYPE", "…");
///   get.run = [options](Context& context, const Words& words) { return show(context, *options); };
struct Command {
  using Words = std::vector<std::string>;

  std::string name;
  std::vector<std::string> aliases;
  std::string summary;
  std::string usage;    // what stands behind the command's name, without [flags]
  std::string notes;    // of the help, after the flags
  std::string example;  // lines that can be typed
  FlagSet flags;
  std::size_t least_words = 0;
  std::size_t most_words = 0;
  std::string missing;                    // said when there are fewer words than that
  Offer offer = Offer::kNothing;          // what its words are
  std::vector<std::string> word_choices;  // for Offer::kChoice
  bool hidden = false;
  /// Takes every flag and word as they come: a command that only says that it is not there.
  bool takes_anything = false;
  /// The process's exit code; an Error is printed as such and exits with 1.
  std::function<Result<int>(Context&, const Words&)> run;  // empty: a group
  std::vector<std::unique_ptr<Command>> children;

  static constexpr std::size_t kAnyNumber = static_cast<std::size_t>(-1);

  Command& add(std::string child, std::string summary_of_it);
  Command* find(std::string_view word);
};

/// What a command line says.
struct ParsedLine {
  Command* command = nullptr;
  std::string path;  // "arena submit pytorchjob"
  Command::Words words;
  bool wants_help = false;
  bool lacks_words = false;
  std::vector<std::string> notices;  // about old spellings, for standard error
};

/// Reads `--flag value`, `--flag=value`, `-f value`, `-fvalue` and groups of switches, in any order
/// with words; `--` ends the flags. Flags of the root are known everywhere. Writes to the variables
/// that the flags are for.
Result<ParsedLine> parse_line(Command& root, const std::vector<std::string>& words);

/// The help of a command.
std::string help_text(const Command& root, const ParsedLine& line);

}  // namespace trainyard::cli::arena
