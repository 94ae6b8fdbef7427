#include "cli/arena/command.h"

#include <fmt/format.h>

#include <algorithm>

namespace trainyard::cli::arena {
namespace {

/// Goes through a command line once.
class Parser {
 public:
  Parser(Command& root, const std::vector<std::string>& words) : root_(root), words_(words) {
    line_.command = &root;
    line_.path = root.name;
  }

  Result<ParsedLine> parse() {
    while (next_ < words_.size()) {
      TRY_OK(take(words_[next_++]));
      if (line_.command->takes_anything) return line_;
    }
    if (line_.wants_help) return line_;
    TRY_OK(check());
    return std::move(line_);
  }

 private:
  Result<> take(const std::string& word) {
    if (only_words_ || word.size() < 2 || !word.starts_with('-')) return take_word(word);
    if (word == "--") {
      only_words_ = true;
      return Ok();
    }
    return word.starts_with("--") ? take_long(word.substr(2)) : take_letters(word.substr(1));
  }

  Result<> take_word(const std::string& word) {
    if (line_.command == &root_ && word == "help") {
      line_.wants_help = true;
      return Ok();
    }
    Command* child = only_words_ ? nullptr : line_.command->find(word);
    if (child != nullptr) {
      line_.command = child;
      line_.path += " " + child->name;
      return Ok();
    }
    if (!line_.command->children.empty()) {
      return Error(Code::kInvalid,
                   fmt::format("unknown command \"{}\" of {}: `{} --help` lists all", word,
                               line_.path, line_.path));
    }
    line_.words.push_back(word);
    return Ok();
  }

  Result<> take_long(const std::string& text) {
    const std::size_t equals = text.find('=');
    const std::string name = text.substr(0, equals);
    if (name == "help") {
      line_.wants_help = true;
      return Ok();
    }
    Flag* flag = line_.command->flags.find(name);
    if (flag == nullptr) flag = root_.flags.find(name);
    if (flag == nullptr) return unknown("--" + name);
    if (std::find(flag->old_names.begin(), flag->old_names.end(), name) != flag->old_names.end()) {
      line_.notices.push_back(
          fmt::format("Flag --{} has been deprecated, please use --{} instead", name, flag->name));
    }
    if (equals != std::string::npos) return set(*flag, text.substr(equals + 1));
    if (flag->is_switch()) return set(*flag, "true");
    return set_from_next(*flag, "--" + name);
  }

  /// -n vision, -nvision, and switches together: -fA.
  Result<> take_letters(const std::string& letters) {
    for (std::size_t i = 0; i < letters.size(); ++i) {
      const char letter = letters[i];
      Flag* flag = line_.command->flags.find(letter);
      if (flag == nullptr) flag = root_.flags.find(letter);
      if (flag == nullptr && letter == 'h') {
        line_.wants_help = true;
        continue;
      }
      if (flag == nullptr) return unknown(fmt::format("-{}", letter));
      std::string rest = letters.substr(i + 1);
      if (flag->is_switch() && !rest.starts_with('=')) {
        TRY_OK(set(*flag, "true"));
        continue;
      }
      if (rest.starts_with('=')) return set(*flag, rest.substr(1));
      if (!rest.empty()) return set(*flag, rest);
      return set_from_next(*flag, fmt::format("-{}", letter));
    }
    return Ok();
  }

  Result<> set_from_next(Flag& flag, const std::string& written) {
    if (next_ == words_.size()) {
      return Error(Code::kInvalid,
                   fmt::format("{} needs a value: {} {}", written, written, flag.value_name));
    }
    return set(flag, words_[next_++]);
  }

  static Result<> set(Flag& flag, const std::string& value) {
    flag.given = true;
    return flag.set(value);
  }

  Error unknown(const std::string& written) const {
    return Error(Code::kInvalid, fmt::format("unknown flag {}: `{} --help` lists those there are",
                                             written, line_.path));
  }

  Result<> check() {
    const Command& command = *line_.command;
    const auto& flags = command.flags.all();
    const bool bare =
        !command.children.empty() &&
        std::none_of(flags.begin(), flags.end(), [](const Flag& flag) { return flag.given; });
    if (!command.run || bare) {
      line_.wants_help = true;
      return Ok();
    }
    // Missing words come first: who types only `submit pytorch` wants to see its help.
    if (line_.words.size() < command.least_words) {
      line_.lacks_words = true;
      return Ok();
    }
    for (const Flag& flag : command.flags.all()) {
      if (!flag.required || flag.given) continue;
      return Error(Code::kInvalid, fmt::format("required flag --{} is missing: add --{} {}",
                                               flag.name, flag.name, flag.value_name));
    }
    if (line_.words.size() <= command.most_words) return Ok();
    return Error(Code::kInvalid,
                 fmt::format("\"{}\" is one word too many: {} {}", line_.words[command.most_words],
                             line_.path, command.usage));
  }

  Command& root_;
  const std::vector<std::string>& words_;
  ParsedLine line_;
  std::size_t next_ = 0;
  bool only_words_ = false;
};

}  // namespace

Command& Command::add(std::string child, std::string summary_of_it) {
  auto made = std::make_unique<Command>();
  made->name = std::move(child);
  made->summary = std::move(summary_of_it);
  return *children.emplace_back(std::move(made));
}

Command* Command::find(std::string_view word) {
  for (const auto& child : children) {
    if (child->name == word ||
        std::find(child->aliases.begin(), child->aliases.end(), word) != child->aliases.end()) {
      return child.get();
    }
  }
  return nullptr;
}

Result<ParsedLine> parse_line(Command& root, const std::vector<std::string>& words) {
  return Parser(root, words).parse();
}

}  // namespace trainyard::cli::arena
