#include "cli/arena/flags.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>

namespace trainyard::cli::arena {
namespace {

Error bad_value(const std::string& name, const std::string& value, const std::string& wanted) {
  return Error(Code::kInvalid,
               fmt::format("invalid value \"{}\" of --{}: {}", value, name, wanted));
}

}  // namespace

Flag& Flag::among(std::vector<std::string> words) {
  choices = std::move(words);
  offer = Offer::kChoice;
  set = [next = std::move(set), this](const std::string& value) -> Result<> {
    if (std::find(choices.begin(), choices.end(), value) == choices.end()) {
      return bad_value(name, value, fmt::format("it can be {}", fmt::join(choices, ", ")));
    }
    return next(value);
  };
  return *this;
}

Flag& FlagSet::custom(std::string name, char letter, std::string value_name, std::string help,
                      std::function<Result<>(const std::string&)> set) {
  Flag flag;
  flag.name = std::move(name);
  flag.letter = letter;
  flag.value_name = std::move(value_name);
  flag.help = std::move(help);
  flag.set = std::move(set);
  return flags_.emplace_back(std::move(flag));
}

Flag& FlagSet::text(std::string name, char letter, std::string& target, std::string value_name,
                    std::string help) {
  Flag& flag = custom(std::move(name), letter, std::move(value_name), std::move(help),
                      [&target](const std::string& value) -> Result<> {
                        target = value;
                        return Ok();
                      });
  flag.fallback = target;
  return flag;
}

Flag& FlagSet::texts(std::string name, char letter, std::vector<std::string>& target,
                     std::string value_name, std::string help) {
  Flag& flag = custom(std::move(name), letter, std::move(value_name), std::move(help),
                      [&target](const std::string& value) -> Result<> {
                        target.push_back(value);
                        return Ok();
                      });
  flag.repeatable = true;
  return flag;
}

Flag& FlagSet::number(std::string name, char letter, std::int64_t& target, std::string value_name,
                      std::string help) {
  Flag& flag = custom(name, letter, std::move(value_name), std::move(help),
                      [&target, name](const std::string& value) -> Result<> {
                        std::int64_t read = 0;
                        const char* end = value.data() + value.size();
                        const auto result = std::from_chars(value.data(), end, read);
                        if (result.ec != std::errc() || result.ptr != end) {
                          return bad_value(name, value, "it must be a whole number");
                        }
                        target = read;
                        return Ok();
                      });
  flag.fallback = std::to_string(target);
  return flag;
}

Flag& FlagSet::toggle(std::string name, char letter, bool& target, std::string help) {
  return custom(name, letter, "", std::move(help),
                [&target, name](const std::string& value) -> Result<> {
                  constexpr std::string_view kYes[] = {"true", "True", "TRUE", "t", "T", "1"};
                  constexpr std::string_view kNo[] = {"false", "False", "FALSE", "f", "F", "0"};
                  target = std::find(std::begin(kYes), std::end(kYes), value) != std::end(kYes);
                  if (target || std::find(std::begin(kNo), std::end(kNo), value) != std::end(kNo)) {
                    return Ok();
                  }
                  return bad_value(name, value, "it is a switch, true or false");
                });
}

Flag* FlagSet::find(std::string_view name) {
  const auto among = [&](const std::vector<std::string>& names) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  for (Flag& flag : flags_) {
    if (flag.name == name || among(flag.other_names) || among(flag.old_names)) return &flag;
  }
  return nullptr;
}

Flag* FlagSet::find(char letter) {
  for (Flag& flag : flags_) {
    if (flag.letter == letter && letter != '\0') return &flag;
  }
  return nullptr;
}

}  // namespace trainyard::cli::arena
