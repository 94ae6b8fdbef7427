#include "object/values/selector.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace trainyard {
namespace {

bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

std::string_view trim(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

/// Splits a field selector at its commas; a backslash takes the next character out of the syntax.
std::vector<std::string_view> split_fields(std::string_view text) {
  std::vector<std::string_view> terms;
  std::size_t start = 0;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    if (i == text.size() || text[i] == ',') {
      terms.push_back(trim(text.substr(start, i - start)));
      start = i + 1;
    } else if (text[i] == '\\' && i + 1 < text.size()) {
      ++i;
    }
  }
  return terms;
}

/// Takes the backslashes out of a field's value; nothing when it is not written rightly.
std::optional<std::string> unescape(std::string_view value) {
  std::string out;
  for (std::size_t i = 0; i < value.size(); ++i) {
    if (value[i] == '=') return std::nullopt;
    if (value[i] == '\\') {
      ++i;
      if (i == value.size() || (value[i] != '\\' && value[i] != ',' && value[i] != '=')) {
        return std::nullopt;
      }
    }
    out += value[i];
  }
  return out;
}

}  // namespace

Result<FieldSelector> FieldSelector::parse(std::string_view text) {
  FieldSelector selector;
  if (trim(text).empty()) return selector;
  for (const std::string_view term : split_fields(text)) {
    if (term.empty()) continue;
    const std::size_t equals = std::min(term.find('='), term.size());
    Term parsed;
    parsed.equal = equals == 0 || term[equals - 1] != '!';
    parsed.field = trim(term.substr(0, parsed.equal ? equals : equals - 1));
    std::string_view value = term.substr(std::min(equals + 1, term.size()));
    if (parsed.equal && value.starts_with('=')) value.remove_prefix(1);
    const std::optional<std::string> plain = unescape(trim(value));
    if (equals == term.size() || parsed.field.empty() || !plain) {
      return Error(Code::kBadRequest,
                   fmt::format("invalid selector: '{}'; can't understand '{}'", text, term));
    }
    parsed.path = parsed.field;
    parsed.value = *plain;
    selector.terms_.push_back(std::move(parsed));
  }
  return selector;
}

bool FieldSelector::matches(const Json& object) const {
  return std::all_of(terms_.begin(), terms_.end(), [&](const Term& term) {
    const Json* value = find(object, term.path);
    std::string text = term.missing;
    if (value != nullptr && !value->is_null()) {
      text = value->is_string() ? to_string(value->get_string()) : to_text(*value);
    }
    return (text == term.value) == term.equal;
  });
}

void FieldSelector::read_from(std::string_view field, const std::string& path,
                              const std::string& missing) {
  for (Term& term : terms_) {
    if (term.field != field) continue;
    term.path = path;
    term.missing = missing;
  }
}

std::vector<std::string> FieldSelector::fields() const {
  std::vector<std::string> names;
  for (const Term& term : terms_) names.push_back(term.field);
  return names;
}

std::string label_selector_text(const Json& selector) {
  std::vector<std::pair<std::string, std::string>> terms;
  for (const auto& label : object_at(selector, "matchLabels")) {
    const std::string name(label.key());
    terms.emplace_back(name, label.value().is_string()
                                 ? fmt::format("{}={}", name, to_string(label.value().get_string()))
                                 : name);
  }
  for (const Json& expression : array_at(selector, "matchExpressions")) {
    const std::string name(string_at(expression, "key"));
    const std::string_view op = string_at(expression, "operator");
    std::vector<std::string> values;
    for (const Json& value : array_at(expression, "values")) {
      if (value.is_string()) values.push_back(to_string(value.get_string()));
    }
    std::sort(values.begin(), values.end());
    std::string term = op == "DoesNotExist" ? "!" + name : name;
    if (op == "In" || op == "NotIn") {
      term = fmt::format("{} {} ({})", name, op == "In" ? "in" : "notin", fmt::join(values, ","));
    }
    terms.emplace_back(name, std::move(term));
  }
  std::sort(terms.begin(), terms.end());
  std::string text;
  for (const auto& [name, term] : terms) text += (text.empty() ? "" : ",") + term;
  return text;
}

std::optional<std::string> FieldSelector::required_value(std::string_view field) const {
  for (const Term& term : terms_) {
    if (term.equal && term.field == field) return term.value;
  }
  return std::nullopt;
}

}  // namespace trainyard
