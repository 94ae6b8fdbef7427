#include "object/values/field_errors.h"
#include "object/values/field_path.h"
#include "object/values/names.h"
#include "object/values/selector.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <utility>

namespace trainyard {
namespace {

namespace fe = field_errors;

bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

bool is_symbol(char c) {
  return std::string_view("=!(),><").find(c) != std::string_view::npos;
}

std::optional<std::int64_t> integer(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (problem != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// Several problems in one text, as kube-apiserver joins them.
std::string joined(const std::vector<FieldError>& errors) {
  std::string text;
  for (const FieldError& error : errors) {
    text += fmt::format("{}{}: {}", text.empty() ? "" : ", ", error.field, error.message);
  }
  return errors.size() > 1 ? "[" + text + "]" : text;
}

void sort_unique(std::vector<std::string>& values) {
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
}

}  // namespace

/// Reads `requirement, requirement, …` word by word.
class LabelSelector::Parser {
 public:
  explicit Parser(std::string_view text) : rest_(text) { next(); }

  Result<LabelSelector> parse() {
    LabelSelector selector;
    while (word_.kind != Kind::kEnd) {
      if (word_.kind != Kind::kName && word_.text != "!") {
        return expected("!, identifier, or 'end of string'");
      }
      auto term = requirement();
      if (!term) return std::move(term).error().within("unable to parse requirement");
      selector.add(*std::move(term));
      if (word_.kind == Kind::kEnd) break;
      if (word_.text != ",") return expected("',' or 'end of string'");
      next();
      if (word_.kind != Kind::kName && word_.text != "!") return expected("identifier after ','");
    }
    return selector;
  }

 private:
  enum class Kind : std::uint8_t { kEnd, kName, kSymbol };
  struct Word {
    Kind kind = Kind::kEnd;
    std::string_view text;
  };

  /// Symbols are read as long as they make sense: != and == are one word, () are two.
  void next() {
    while (!rest_.empty() && is_blank(rest_.front())) rest_.remove_prefix(1);
    std::size_t size = 0;
    if (rest_.starts_with("!=") || rest_.starts_with("==")) {
      size = 2;
    } else if (!rest_.empty() && is_symbol(rest_.front())) {
      size = 1;
    } else {
      while (size < rest_.size() && !is_blank(rest_[size]) && !is_symbol(rest_[size])) ++size;
    }
    const bool symbol = size > 0 && is_symbol(rest_.front());
    word_ = {size == 0 ? Kind::kEnd : symbol ? Kind::kSymbol : Kind::kName, rest_.substr(0, size)};
    rest_.remove_prefix(size);
  }

  Error expected(std::string_view what) const {
    return Error(Code::kBadRequest, fmt::format("found '{}', expected: {}", word_.text, what));
  }

  Result<Term> requirement() {
    Term term;
    const bool negated = word_.text == "!";
    if (negated) next();
    if (word_.kind != Kind::kName) return expected("identifier");
    term.label = word_.text;
    if (const auto problems = qualified_name_problems(term.label); !problems.empty()) {
      return Error(Code::kBadRequest,
                   joined({fe::invalid("", Json(term.label), join(problems, "; "))}));
    }
    next();
    if (negated) term.op = Operator::kNotExists;
    if (negated || word_.kind == Kind::kEnd || word_.text == ",") return term;
    TRY(term.op, operation());
    if (term.op == Operator::kIn || term.op == Operator::kNotIn) {
      TRY(term.values, value_list());
    } else {
      TRY(std::string value, single_value());
      term.values.push_back(std::move(value));
    }
    TRY_OK(check_values(term));
    return term;
  }

  Result<Operator> operation() {
    constexpr std::array<std::pair<std::string_view, Operator>, 7> kOperators{{
        {"in", Operator::kIn},
        {"notin", Operator::kNotIn},
        {"=", Operator::kEqual},
        {"==", Operator::kEqual},
        {"!=", Operator::kNotEqual},
        {">", Operator::kGreater},
        {"<", Operator::kLess},
    }};
    for (const auto& [text, op] : kOperators) {
      if (word_.text != text) continue;
      next();
      return op;
    }
    return expected("in, notin, =, ==, !=, gt, lt");
  }

  Result<std::string> single_value() {
    if (word_.kind == Kind::kEnd || word_.text == ",") return std::string();
    if (word_.kind != Kind::kName) return expected("identifier");
    std::string value(word_.text);
    next();
    return value;
  }

  /// (a, b): an empty place stands for the empty value.
  Result<std::vector<std::string>> value_list() {
    if (word_.text != "(") {
      return Error(Code::kBadRequest, fmt::format("found '{}' expected: '('", word_.text));
    }
    next();
    std::vector<std::string> values;
    bool before_value = true;
    while (word_.text != ")") {
      if (word_.kind == Kind::kName && before_value) {
        values.emplace_back(word_.text);
        before_value = false;
      } else if (word_.text == ",") {
        if (before_value) values.emplace_back();
        before_value = true;
      } else {
        return expected(!before_value    ? "',' or ')'"
                        : values.empty() ? "',', ')' or identifier"
                                         : "',', or identifier");
      }
      next();
    }
    if (before_value) values.emplace_back();
    next();
    sort_unique(values);
    return values;
  }

  static Result<> check_values(Term& term) {
    std::vector<FieldError> errors;
    for (std::size_t i = 0; i < term.values.size(); ++i) {
      const std::string& value = term.values[i];
      const std::string field = fmt::format("values[{}]", i);
      if (term.op == Operator::kGreater || term.op == Operator::kLess) {
        const auto bound = integer(value);
        term.bound = bound.value_or(0);
        if (!bound) {
          errors.push_back(fe::invalid(field, Json(value),
                                       "for 'Gt', 'Lt' operators, the value must be an integer"));
        }
      }
      if (const auto problems = label_value_problems(value); !problems.empty()) {
        errors.push_back(fe::invalid(fmt::format("{}[{}]", field, term.label), Json(value),
                                     join(problems, "; ")));
      }
    }
    if (errors.empty()) return Ok();
    return Error(Code::kBadRequest, joined(errors));
  }

  std::string_view rest_;
  Word word_;
};

Result<LabelSelector> LabelSelector::parse(std::string_view text) {
  if (text.find('\0') != std::string_view::npos) {
    return Error(Code::kBadRequest, "found '\\0', expected: !, identifier, or 'end of string'");
  }
  return Parser(text).parse();
}

void LabelSelector::add(Term term) {
  const auto place = std::upper_bound(
      terms_.begin(), terms_.end(), term.label,
      [](const std::string& label, const Term& other) { return label < other.label; });
  terms_.insert(place, std::move(term));
}

LabelSelector LabelSelector::from_labels(const JsonObject& labels) {
  LabelSelector selector;
  for (const auto& label : labels) {
    Term term;
    term.label = label.key();
    term.op = Operator::kIn;
    if (label.value().is_string()) {
      term.op = Operator::kEqual;
      term.values.push_back(to_string(label.value().get_string()));
    }
    selector.add(std::move(term));
  }
  return selector;
}

namespace {

using Errors = std::vector<FieldError>;

void check_match_labels(const JsonObject& labels, const FieldPath& path, Errors& errors) {
  for (const auto& label : labels) {
    const std::string_view key(label.key());
    if (!label.value().is_string()) {
      errors.push_back(
          fe::wrong_type(path.field(key).dotted_text(), "string", fe::type_name(label.value())));
      continue;
    }
    for (const std::string& problem : qualified_name_problems(key)) {
      errors.push_back(fe::invalid(path.text(), Json(key), problem));
    }
    const std::string value = to_string(label.value().get_string());
    for (const std::string& problem : label_value_problems(value)) {
      errors.push_back(fe::invalid(path.text(), Json(value), problem));
    }
  }
}

void check_expression(const Json& expression, const FieldPath& path, Errors& errors) {
  const std::string_view op = string_at(expression, "operator");
  const JsonArray& values = array_at(expression, "values");
  const FieldPath values_path = path.field("values");
  if (op == "In" || op == "NotIn") {
    if (values.empty()) {
      errors.push_back(
          fe::required(values_path.text(), "must be specified when `operator` is 'In' or 'NotIn'"));
    }
  } else if (op == "Exists" || op == "DoesNotExist") {
    if (!values.empty()) {
      errors.push_back(
          fe::forbidden(values_path.text(),
                        "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"));
    }
  } else {
    errors.push_back(
        fe::invalid(path.field("operator").text(), Json(op), "not a valid selector operator"));
  }
  const std::string_view key = string_at(expression, "key");
  for (const std::string& problem : qualified_name_problems(key)) {
    errors.push_back(fe::invalid(path.field("key").text(), Json(key), problem));
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::string field = values_path.index(i).text();
    if (!values[i].is_string()) {
      errors.push_back(fe::wrong_type(field, "string", fe::type_name(values[i])));
      continue;
    }
    for (const std::string& problem : label_value_problems(to_string(values[i].get_string()))) {
      errors.push_back(fe::invalid(field, values[i], problem));
    }
  }
}

Errors check_selector(const Json& selector) {
  Errors errors;
  const FieldPath root;
  check_match_labels(object_at(selector, "matchLabels"), root.field("matchLabels"), errors);
  const FieldPath expressions = root.field("matchExpressions");
  std::size_t index = 0;
  for (const Json& expression : array_at(selector, "matchExpressions")) {
    check_expression(expression, expressions.index(index++), errors);
  }
  return errors;
}

}  // namespace

Result<LabelSelector> LabelSelector::from_object(const Json& object) {
  LabelSelector selector;
  selector.nothing_ = object.is_null();
  Errors errors = check_selector(object);
  if (!errors.empty()) {
    std::string message = joined(errors);
    return Error(Code::kInvalid, std::move(message), std::move(errors));
  }
  for (const auto& label : object_at(object, "matchLabels")) {
    selector.add({label.key(), Operator::kEqual, {to_string(label.value().get_string())}, 0});
  }
  for (const Json& expression : array_at(object, "matchExpressions")) {
    const std::string_view op = string_at(expression, "operator");
    Term term;
    term.label = string_at(expression, "key");
    term.op = op == "In"       ? Operator::kIn
              : op == "NotIn"  ? Operator::kNotIn
              : op == "Exists" ? Operator::kExists
                               : Operator::kNotExists;
    for (const Json& value : array_at(expression, "values")) {
      term.values.push_back(to_string(value.get_string()));
    }
    sort_unique(term.values);
    selector.add(std::move(term));
  }
  return selector;
}

bool LabelSelector::holds(const Term& term, const JsonObject& labels) {
  const Json* label = labels.if_contains(term.label);
  const bool text = label != nullptr && label->is_string();
  const std::string_view value =
      text ? std::string_view(label->get_string().data(), label->get_string().size()) : "";
  const auto listed = [&] {
    return text && std::find(term.values.begin(), term.values.end(), value) != term.values.end();
  };
  switch (term.op) {
    case Operator::kEqual:
    case Operator::kIn:
      return listed();
    case Operator::kNotEqual:
    case Operator::kNotIn:
      return !listed();
    case Operator::kExists:
      return label != nullptr;
    case Operator::kNotExists:
      return label == nullptr;
    case Operator::kGreater:
    case Operator::kLess: {
      const auto number = text ? integer(value) : std::nullopt;
      if (!number) return false;
      return term.op == Operator::kGreater ? *number > term.bound : *number < term.bound;
    }
  }
  return false;
}

bool LabelSelector::matches(const Json& object) const {
  if (nothing_) return false;
  if (terms_.empty()) return true;
  const JsonObject& labels = object_at(object, "metadata.labels");
  return std::all_of(terms_.begin(), terms_.end(),
                     [&](const Term& term) { return holds(term, labels); });
}

std::string LabelSelector::to_text() const {
  std::string text;
  for (const Term& term : terms_) {
    if (!text.empty()) text += ',';
    const std::string values = join(term.values, ",");
    switch (term.op) {
      case Operator::kEqual:
        text += fmt::format("{}={}", term.label, values);
        break;
      case Operator::kNotEqual:
        text += fmt::format("{}!={}", term.label, values);
        break;
      case Operator::kIn:
        text += fmt::format("{} in ({})", term.label, values);
        break;
      case Operator::kNotIn:
        text += fmt::format("{} notin ({})", term.label, values);
        break;
      case Operator::kExists:
        text += term.label;
        break;
      case Operator::kNotExists:
        text += "!" + term.label;
        break;
      case Operator::kGreater:
        text += fmt::format("{}>{}", term.label, values);
        break;
      case Operator::kLess:
        text += fmt::format("{}<{}", term.label, values);
        break;
    }
  }
  return text;
}

}  // namespace trainyard
