#include "cli/help_pages.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>

namespace trainyard::cli {
namespace {

std::string upper(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return text;
}

/// The parser's word for a type, as people would write it: "TEXT:{json,yaml}" is json|yaml.
std::string value_word(const std::string& type) {
  if (const std::size_t open = type.find('{'); open != std::string::npos) {
    std::string choice = type.substr(open + 1, type.find('}', open) - open - 1);
    std::replace(choice.begin(), choice.end(), ',', '|');
    return choice;
  }
  if (type.starts_with('[')) return type;  // it was chosen for people already
  return type.starts_with("INT") || type.starts_with("UINT") ? "N" : "VALUE";
}

bool takes_many(const CLI::Option& option) {
  return option.get_items_expected_max() > 1 || option.get_allow_extra_args();
}

HelpOption read_option(const CLI::Option& option) {
  HelpOption read;
  read.text = option.get_description();
  read.required = option.get_required();
  read.repeated = takes_many(option);
  if (option.get_positional()) {
    read.names = option.get_name(true);
    return read;
  }
  std::vector<std::string> names;
  for (const std::string& name : option.get_snames()) names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) names.push_back("--" + name);
  read.names = fmt::format("{}", fmt::join(names, ", "));
  if (option.get_items_expected_max() > 0) {
    read.value = value_word(option.get_type_name());
    read.fallback = option.get_default_str();
  }
  return read;
}

HelpPage read_page(const CLI::App& app, const std::string& parents) {
  HelpPage page;
  page.command = parents.empty() ? app.get_name() : parents + " " + app.get_name();
  page.summary = app.get_description();
  page.footer = app.get_footer();
  page.group = app.get_group();
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_group().empty() || option == app.get_help_ptr()) continue;
    (option->get_positional() ? page.arguments : page.flags).push_back(read_option(*option));
  }
  for (const CLI::App* sub : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (!sub->get_group().empty()) page.pages.push_back(read_page(*sub, page.command));
  }
  return page;
}

/// With what counts without it.
std::string text_of(const HelpOption& option) {
  if (option.fallback.empty()) return option.text;
  return fmt::format("{} (default: {})", option.text, option.fallback);
}

std::string heading_of(const HelpOption& option) {
  return option.value.empty() ? option.names : option.names + " " + option.value;
}

// ---- Markdown

/// In a cell of a table.
std::string cell(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '|') out += '\\';
    out += c == '\n' ? ' ' : c;
  }
  return out;
}

void add_table(std::string& out, const char* what, const std::vector<HelpOption>& options) {
  if (options.empty()) return;
  out += fmt::format("| {} | |\n| --- | --- |\n", what);
  for (const HelpOption& option : options) {
    out += fmt::format("| `{}` | {}{} |\n", cell(heading_of(option)), cell(text_of(option)),
                       option.required ? "; must be given" : "");
  }
  out += '\n';
}

void add_markdown(std::string& out, const HelpPage& page, int level) {
  out +=
      fmt::format("{} `{}`\n\n", std::string(static_cast<std::size_t>(level), '#'), page.command);
  for (const HelpBlock& block : split_footer(page.summary)) {
    out += block.code ? fmt::format("```sh\n{}```\n\n", block.text) : block.text + "\n";
  }
  out += fmt::format("```\n{}\n```\n\n", usage_of(page));
  add_table(out, "argument", page.arguments);
  add_table(out, "flag", page.flags);
  for (const HelpBlock& block : split_footer(page.footer)) {
    out += block.code ? fmt::format("```sh\n{}```\n\n", block.text) : block.text + "\n";
  }
  for (const HelpPage& sub : page.pages) add_markdown(out, sub, level + 1);
}

// ---- troff

/// Nothing in it is a command of the typesetter's.
std::string plain(const std::string& text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool begins = i == 0 || text[i - 1] == '\n';
    if (begins && (text[i] == '.' || text[i] == '\'')) out += "\\&";
    if (text[i] == '\\') {
      out += "\\e";
    } else if (text[i] == '-') {
      out += "\\-";
    } else {
      out += text[i];
    }
  }
  return out;
}

void add_blocks(std::string& out, const std::string& text) {
  for (const HelpBlock& block : split_footer(text)) {
    out += block.code ? fmt::format(".PP\n.nf\n.RS 2\n{}.RE\n.fi\n", plain(block.text))
                      : fmt::format(".PP\n{}", plain(block.text));
  }
}

void add_options(std::string& out, const std::vector<HelpOption>& options) {
  for (const HelpOption& option : options) {
    out += fmt::format(".TP\n\\fB{}\\fR", plain(option.names));
    if (!option.value.empty()) out += fmt::format(" \\fI{}\\fR", plain(option.value));
    out += fmt::format("\n{}\n", plain(text_of(option)));
  }
}

void add_man_command(std::string& out, const HelpPage& page) {
  out += fmt::format(".SS {}\n{}\n.PP\n.B {}\n", plain(page.command), plain(page.summary),
                     plain(usage_of(page)));
  add_options(out, page.arguments);
  add_options(out, page.flags);
  add_blocks(out, page.footer);
  for (const HelpPage& sub : page.pages) add_man_command(out, sub);
}

JsonArray options_json(const std::vector<HelpOption>& options) {
  JsonArray all;
  for (const HelpOption& option : options) {
    all.push_back(JsonObject{{"names", option.names},
                             {"value", option.value},
                             {"text", option.text},
                             {"default", option.fallback},
                             {"required", option.required},
                             {"repeated", option.repeated}});
  }
  return all;
}

}  // namespace

HelpPage read_help(const CLI::App& app) {
  return read_page(app, "");
}

Result<const HelpPage*> find_page(const HelpPage& all, const std::vector<std::string>& words) {
  const HelpPage* here = &all;
  for (const std::string& word : words) {
    const auto next = std::find_if(
        here->pages.begin(), here->pages.end(),
        [&](const HelpPage& page) { return page.command == here->command + " " + word; });
    if (next == here->pages.end()) {
      return Error(Code::kInvalid, fmt::format("{} has no command {}: `{} --help` lists all",
                                               here->command, word, here->command));
    }
    here = &*next;
  }
  return here;
}

std::vector<HelpBlock> split_footer(const std::string& footer) {
  std::vector<HelpBlock> blocks;
  std::size_t at = 0;
  bool apart = true;  // an empty line was before
  while (at < footer.size()) {
    std::size_t end = footer.find('\n', at);
    if (end == std::string::npos) end = footer.size();
    std::string line = footer.substr(at, end - at);
    at = end + 1;
    if (line.empty()) {
      apart = true;
      continue;
    }
    constexpr std::string_view kExample = "Example: ";
    if (line.starts_with(kExample) && line.find(' ', kExample.size()) != std::string::npos &&
        (line.starts_with("Example: trainyard") || line.starts_with("Example: source"))) {
      blocks.push_back({false, "Example:\n"});
      line = "  " + line.substr(kExample.size());
      apart = true;
    }
    const bool code = line.starts_with("  ");
    if (apart || blocks.back().code != code) blocks.push_back({code, ""});
    blocks.back().text += (code ? line.substr(2) : line) + "\n";
    apart = false;
  }
  return blocks;
}

std::string usage_of(const HelpPage& page) {
  std::string usage = page.command;
  if (!page.flags.empty()) usage += " [FLAGS]";
  for (const HelpOption& argument : page.arguments) {
    const std::string word = upper(argument.names) + (argument.repeated ? "…" : "");
    usage += argument.required ? " " + word : " [" + word + "]";
  }
  if (!page.pages.empty()) usage += " COMMAND";
  return usage;
}

std::string to_markdown(const HelpPage& page) {
  std::string out;
  add_markdown(out, page, 1);
  while (out.ends_with("\n\n")) out.pop_back();
  return out;
}

std::string to_man(const HelpPage& page, const std::string& version) {
  std::string title = page.command;
  std::replace(title.begin(), title.end(), ' ', '-');
  const std::size_t end = page.summary.find('\n');
  std::string brief = page.summary.substr(0, end);
  while (brief.ends_with('.')) brief.pop_back();
  std::string out =
      fmt::format(".TH {} 1 \"\" \"trainyard {}\" \"Trainyard\"\n", upper(title), plain(version));
  out += fmt::format(".SH NAME\n{} \\- {}\n", plain(title), plain(brief));
  out += fmt::format(".SH SYNOPSIS\n.B {}\n", plain(usage_of(page)));
  out += ".SH DESCRIPTION\n";
  add_blocks(out, page.summary);
  if (!page.arguments.empty() || !page.flags.empty()) out += ".SH OPTIONS\n";
  add_options(out, page.arguments);
  add_options(out, page.flags);
  if (!page.footer.empty()) out += ".SH NOTES\n";
  add_blocks(out, page.footer);
  if (!page.pages.empty()) out += ".SH COMMANDS\n";
  for (const HelpPage& sub : page.pages) add_man_command(out, sub);
  return out;
}

Json to_json(const HelpPage& page) {
  JsonArray pages;
  for (const HelpPage& sub : page.pages) pages.push_back(to_json(sub));
  return JsonObject{{"command", page.command},
                    {"group", page.group},
                    {"summary", page.summary},
                    {"usage", usage_of(page)},
                    {"arguments", options_json(page.arguments)},
                    {"flags", options_json(page.flags)},
                    {"footer", page.footer},
                    {"commands", std::move(pages)}};
}

}  // namespace trainyard::cli
