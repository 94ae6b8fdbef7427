#pragma once

#include "base/result.h"
#include "object/json/json.h"

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace trainyard::cli {

struct HelpOption {
  std::string names;     // "-f, --file", or the name of an argument
  std::string value;     // what follows it: "json|yaml", "N", "VALUE"; empty for a switch
  std::string text;      // what it is for
  std::string fallback;  // what counts without it; may be empty
  bool required = false;
  bool repeated = false;
};

/// All that the parser knows of a command, for manuals: man pages, Markdown and JSON are made from
/// it, so none of them can say anything else than `--help` does.
struct HelpPage {
  std::string command;  // "trainyard data cp"
  std::string summary;
  std::string group;   // under which the command stands in the list of all
  std::string footer;  // notes and examples
  std::vector<HelpOption> arguments;
  std::vector<HelpOption> flags;
  std::vector<HelpPage> pages;  // of its own commands
};

/// Of the program and everything below it. Hidden commands and flags are left out.
HelpPage read_help(const CLI::App& app);
/// The page of `data cp`; an error names what there is.
Result<const HelpPage*> find_page(const HelpPage& all, const std::vector<std::string>& words);

/// A piece of a footer: prose, or lines that stand as they are.
struct HelpBlock {
  bool code = false;
  std::string text;
};
std::vector<HelpBlock> split_footer(const std::string& footer);

/// `trainyard data cp [FLAGS] PLACES…`
std::string usage_of(const HelpPage& page);
std::string to_markdown(const HelpPage& page);
/// Of section 1, with the pages of its commands in it.
std::string to_man(const HelpPage& page, const std::string& version);
Json to_json(const HelpPage& page);

}  // namespace trainyard::cli
