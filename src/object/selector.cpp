#include "object/selector.h"

#include "object/metadata.h"

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

/// Splits at commas that are not inside parentheses.
std::vector<std::string_view> split_terms(std::string_view text) {
  std::vector<std::string_view> terms;
  int depth = 0;
  std::size_t start = 0;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    if (i == text.size() || (text[i] == ',' && depth == 0)) {
      terms.push_back(trim(text.substr(start, i - start)));
      start = i + 1;
    } else if (text[i] == '(') {
      ++depth;
    } else if (text[i] == ')') {
      --depth;
    }
  }
  return terms;
}

/// The name of a label, or its value when that is not empty.
bool is_label_word(std::string_view text) {
  const auto alphanumeric = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  };
  if (text.empty() || text.size() > 63) return false;
  if (!alphanumeric(text.front()) || !alphanumeric(text.back())) return false;
  return std::all_of(text.begin(), text.end(),
                     [&](char c) { return alphanumeric(c) || c == '-' || c == '_' || c == '.'; });
}

/// name or DNS.SUBDOMAIN/name.
bool is_label_key(std::string_view text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos) return is_label_word(text);
  return check_subdomain_name(text.substr(0, slash)).empty() &&
         is_label_word(text.substr(slash + 1));
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

Error unreadable(std::string_view term) {
  return Error(Code::kBadRequest,
               fmt::format("unable to parse the selector '{}': write key=value, key!=value, "
                           "key in (a,b), key notin (a,b), key or !key",
                           term));
}

/// `key in (a, b)`: the text before the word and the values after it.
bool split_set(std::string_view term, std::string_view word, std::string_view& key,
               std::vector<std::string>& values) {
  const std::size_t open = term.find('(');
  if (open == std::string_view::npos || !term.ends_with(')')) return false;
  std::string_view head = trim(term.substr(0, open));
  if (!head.ends_with(word)) return false;
  head.remove_suffix(word.size());
  if (head.empty() || !is_blank(head.back())) return false;
  key = trim(head);
  const std::string_view list = term.substr(open + 1, term.size() - open - 2);
  for (const std::string_view value : split_terms(list)) values.emplace_back(value);
  return true;
}

}  // namespace

Result<LabelSelector> LabelSelector::parse(std::string_view text) {
  LabelSelector selector;
  if (trim(text).empty()) return selector;
  for (const std::string_view term : split_terms(text)) {
    Term parsed;
    std::string_view key;
    const std::size_t equals = term.find('=');
    if (split_set(term, "notin", key, parsed.values)) {
      parsed.op = Operator::kNotIn;
    } else if (split_set(term, "in", key, parsed.values)) {
      parsed.op = Operator::kIn;
    } else if (equals != std::string_view::npos) {
      const bool negated = equals > 0 && term[equals - 1] == '!';
      key = trim(term.substr(0, negated ? equals - 1 : equals));
      std::string_view value = term.substr(equals + 1);
      if (!negated && value.starts_with('=')) value.remove_prefix(1);
      parsed.op = negated ? Operator::kNotIn : Operator::kIn;
      parsed.values.emplace_back(trim(value));
    } else if (term.starts_with('!')) {
      key = trim(term.substr(1));
      parsed.op = Operator::kNotExists;
    } else {
      key = term;
    }
    if (!is_label_key(key)) return unreadable(term);
    for (const std::string& value : parsed.values) {
      if (!value.empty() && !is_label_word(value)) return unreadable(term);
    }
    parsed.label = key;
    selector.terms_.push_back(std::move(parsed));
  }
  return selector;
}

LabelSelector LabelSelector::from_labels(const JsonObject& labels) {
  LabelSelector selector;
  for (const auto& label : labels) {
    Term term;
    term.label = label.key();
    term.op = Operator::kIn;
    if (label.value().is_string()) term.values.push_back(to_string(label.value().get_string()));
    selector.terms_.push_back(std::move(term));
  }
  return selector;
}

bool LabelSelector::matches(const Json& object) const {
  if (terms_.empty()) return true;
  const JsonObject& labels = object_at(object, "metadata.labels");
  return std::all_of(terms_.begin(), terms_.end(), [&](const Term& term) {
    const Json* value = labels.if_contains(term.label);
    const bool listed =
        value != nullptr && value->is_string() &&
        std::any_of(term.values.begin(), term.values.end(), [&](const std::string& allowed) {
          return boost::json::string_view(value->get_string()) == allowed;
        });
    switch (term.op) {
      case Operator::kIn:
        return listed;
      case Operator::kNotIn:
        return !listed;
      case Operator::kExists:
        return value != nullptr;
      case Operator::kNotExists:
        return value == nullptr;
    }
    return false;
  });
}

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
                   fmt::format("unable to parse the field selector '{}': write field=value or "
                               "field!=value",
                               term));
    }
    parsed.value = *plain;
    selector.terms_.push_back(std::move(parsed));
  }
  return selector;
}

bool FieldSelector::matches(const Json& object) const {
  return std::all_of(terms_.begin(), terms_.end(), [&](const Term& term) {
    const Json* value = find(object, term.field);
    std::string text;
    if (value != nullptr && !value->is_null()) {
      text = value->is_string() ? to_string(value->get_string()) : to_text(*value);
    }
    return (text == term.value) == term.equal;
  });
}

std::vector<std::string> FieldSelector::fields() const {
  std::vector<std::string> names;
  for (const Term& term : terms_) names.push_back(term.field);
  return names;
}

}  // namespace trainyard
