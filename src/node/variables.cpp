#include "node/variables.h"

#include <fmt/format.h>

#include <utility>

namespace trainyard::node {
namespace {

// Linux gives a process six megabytes for its arguments and variables, whatever its limits.
constexpr std::size_t kMostBytes = 8 << 20;

}  // namespace

VariableTable::VariableTable(const Variables& variables) {
  for (const auto& [name, value] : variables) put(name, value);
}

void VariableTable::put(std::string name, std::string value) {
  places_[name] = variables_.size();  // take() leaves out the one before
  variables_.emplace_back(std::move(name), std::move(value));
}

Result<> VariableTable::set(std::string name, std::string value) {
  bytes_ += name.size() + value.size();
  if (bytes_ > kMostBytes) {
    return Error(
        Code::kInvalid,
        fmt::format("its variables are longer than {} bytes, more than the kernel gives to "
                    "a process: put them into a file of a volume",
                    kMostBytes));
  }
  put(std::move(name), std::move(value));
  return Ok();
}

const std::string* VariableTable::find(std::string_view name) const {
  const auto place = places_.find(std::string(name));
  return place == places_.end() ? nullptr : &variables_[place->second].second;
}

Variables VariableTable::take() && {
  Variables last;
  last.reserve(places_.size());
  for (std::size_t i = 0; i < variables_.size(); ++i) {
    if (places_.at(variables_[i].first) == i) last.push_back(std::move(variables_[i]));
  }
  return last;
}

Result<std::string> expand(std::string_view text, const VariableTable& variables) {
  std::string out;
  const std::size_t last_close = text.rfind(')');  // looked for once, not at every open one
  for (std::size_t i = 0; i < text.size() && out.size() <= kLongestWord; ++i) {
    if (text[i] != '$' || i + 1 == text.size()) {
      out += text[i];
      continue;
    }
    if (text[i + 1] == '$') {
      out += '$';
      ++i;
      continue;
    }
    const bool closes =
        text[i + 1] == '(' && last_close != std::string_view::npos && i < last_close;
    const std::size_t close = closes ? text.find(')', i) : std::string_view::npos;
    if (close == std::string_view::npos) {
      out += text[i];
      continue;
    }
    const std::string_view name = text.substr(i + 2, close - i - 2);
    const std::string* value = variables.find(name);
    out += value == nullptr ? text.substr(i, close - i + 1) : std::string_view(*value);
    i = close;
  }
  if (out.size() <= kLongestWord) return out;
  return Error(Code::kInvalid,
               fmt::format("with its references replaced it is longer than {} bytes, the most that "
                           "the kernel gives to a process",
                           kLongestWord));
}

}  // namespace trainyard::node
