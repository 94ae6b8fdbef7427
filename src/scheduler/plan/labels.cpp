#include "scheduler/plan/labels.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

namespace trainyard::scheduler {
namespace {

using Operator = Requirement::Operator;

std::optional<std::int64_t> whole_number(std::string_view text) {
  std::int64_t number = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), number);
  if (parsed.ec != std::errc() || parsed.ptr != text.data() + text.size()) return std::nullopt;
  return number;
}

std::string joined(const std::vector<std::string>& values) {
  std::string text;
  for (const std::string& value : values) text += (text.empty() ? "" : ",") + value;
  return text;
}

Operator read_operator(std::string_view word) {
  if (word == "In") return Operator::kIn;
  if (word == "NotIn") return Operator::kNotIn;
  if (word == "DoesNotExist") return Operator::kDoesNotExist;
  if (word == "Gt") return Operator::kGreater;
  if (word == "Lt") return Operator::kLess;
  return Operator::kExists;
}

}  // namespace

bool holds(const Requirement& requirement, const JsonObject& labels) {
  const auto found = labels.find(requirement.key);
  const bool there = found != labels.end() && found->value().is_string();
  if (requirement.op == Operator::kExists) return there;
  if (requirement.op == Operator::kDoesNotExist) return !there;
  // What is not there is in no list.
  if (!there) return requirement.op == Operator::kNotIn;
  const std::string_view value = found->value().get_string();
  const auto& values = requirement.values;
  switch (requirement.op) {
    case Operator::kIn:
      return std::find(values.begin(), values.end(), value) != values.end();
    case Operator::kNotIn:
      return std::find(values.begin(), values.end(), value) == values.end();
    default:
      break;
  }
  const auto mine = whole_number(value);
  const auto bound = values.empty() ? std::nullopt : whole_number(values.front());
  if (!mine || !bound) return false;
  return requirement.op == Operator::kGreater ? *mine > *bound : *mine < *bound;
}

bool all_hold(const Requirements& requirements, const JsonObject& labels) {
  return std::all_of(requirements.begin(), requirements.end(),
                     [&](const Requirement& requirement) { return holds(requirement, labels); });
}

std::string to_words(const Requirement& requirement) {
  const std::string& key = requirement.key;
  const std::string values = joined(requirement.values);
  switch (requirement.op) {
    case Operator::kIn:
      if (requirement.values.size() == 1) return fmt::format("{}={}", key, values);
      return fmt::format("{} in ({})", key, values);
    case Operator::kNotIn:
      if (requirement.values.size() == 1) return fmt::format("{}!={}", key, values);
      return fmt::format("{} notin ({})", key, values);
    case Operator::kExists:
      return key;
    case Operator::kDoesNotExist:
      return "!" + key;
    case Operator::kGreater:
      return fmt::format("{}>{}", key, values);
    case Operator::kLess:
      break;
  }
  return fmt::format("{}<{}", key, values);
}

std::string to_words(const Requirements& requirements) {
  std::string text;
  for (const Requirement& requirement : requirements) {
    text += (text.empty() ? "" : ",") + to_words(requirement);
  }
  return text;
}

Requirements read_label_map(const JsonObject& labels) {
  Requirements requirements;
  for (const auto& label : labels) {
    if (!label.value().is_string()) continue;
    requirements.push_back(Requirement{
        std::string(label.key()), Operator::kIn, {to_string(label.value().get_string())}});
  }
  return requirements;
}

Requirements read_expressions(const JsonArray& expressions) {
  Requirements requirements;
  for (const Json& expression : expressions) {
    Requirement one;
    one.key = string_at(expression, "key");
    one.op = read_operator(string_at(expression, "operator"));
    for (const Json& value : array_at(expression, "values")) {
      if (value.is_string()) one.values.push_back(to_string(value.get_string()));
    }
    requirements.push_back(std::move(one));
  }
  return requirements;
}

}  // namespace trainyard::scheduler
