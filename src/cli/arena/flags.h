#pragma once

#include "base/result.h"

#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace trainyard::cli::arena {

/// What a shell may be offered for a flag's value or a command's argument.
enum class Offer : std::uint8_t { kNothing, kJob, kInstance, kClaim, kType, kChoice };

/// One flag of a command. Values are taken as they are: never split, trimmed or unquoted.
struct Flag {
  std::string name;        // without dashes
  char letter = '\0';      // of the short form
  std::string value_name;  // of the help; empty: a switch
  std::string help;
  std::string fallback;  // of the help
  bool repeatable = false;
  bool required = false;
  bool hidden = false;
  bool given = false;
  std::vector<std::string> other_names;  // that mean the same
  std::vector<std::string> old_names;    // the same, but whoever writes them is told the new one
  std::vector<std::string> choices;      // empty: anything
  Offer offer = Offer::kNothing;
  std::function<Result<>(const std::string&)> set;

  bool is_switch() const { return value_name.empty(); }
  Flag& or_else(std::string other) { return other_names.push_back(std::move(other)), *this; }
  Flag& once_called(std::string old) { return old_names.push_back(std::move(old)), *this; }
  Flag& must_be_given() { return required = true, *this; }
  Flag& hide() { return hidden = true, *this; }
  Flag& offering(Offer what) { return offer = what, *this; }
  /// The value must be one of these.
  Flag& among(std::vector<std::string> words);
};

/// The flags of a command. Each writes to a variable of its owner's, which must live as long; what
/// the variable holds at first is the default that the help shows.
class FlagSet {
 public:
  Flag& text(std::string name, char letter, std::string& target, std::string value_name,
             std::string help);
  Flag& texts(std::string name, char letter, std::vector<std::string>& target,
              std::string value_name, std::string help);
  Flag& number(std::string name, char letter, std::int64_t& target, std::string value_name,
               std::string help);
  Flag& toggle(std::string name, char letter, bool& target, std::string help);
  /// One whose value goes through a function.
  Flag& custom(std::string name, char letter, std::string value_name, std::string help,
               std::function<Result<>(const std::string&)> set);

  Flag* find(std::string_view name);
  Flag* find(char letter);
  std::deque<Flag>& all() { return flags_; }
  const std::deque<Flag>& all() const { return flags_; }

 private:
  std::deque<Flag> flags_;  // addresses stay
};

}  // namespace trainyard::cli::arena
