#pragma once

#include "object/json/json.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace trainyard {

/// A label selector: app=a,tier!=b,env in (x,y),rank notin (0),rank>3,gpu,!old. Empty: everything.
class LabelSelector {
 public:
  LabelSelector() = default;
  /// kBadRequest in kube-apiserver's words when the text is not one.
  static Result<LabelSelector> parse(std::string_view text);
  /// A LabelSelector as objects hold it: {"matchLabels": {…}, "matchExpressions": […]}. An empty
  /// one selects everything, null selects nothing. kInvalid with the path of each problem.
  static Result<LabelSelector> from_object(const Json& selector);
  /// Selects what carries all these labels: {"app": "a"}.
  static LabelSelector from_labels(const JsonObject& labels);

  bool matches(const Json& object) const;
  bool empty() const { return terms_.empty() && !nothing_; }
  /// As parse() reads it, in order of the labels.
  std::string to_text() const;

 private:
  enum class Operator : std::uint8_t {
    kEqual,
    kNotEqual,
    kIn,
    kNotIn,
    kExists,
    kNotExists,
    kGreater,
    kLess
  };
  struct Term {
    std::string label;
    Operator op = Operator::kExists;
    std::vector<std::string> values;  // sorted, none twice
    std::int64_t bound = 0;           // of kGreater and kLess
  };
  class Parser;

  static bool holds(const Term& term, const JsonObject& labels);
  void add(Term term);

  std::vector<Term> terms_;
  bool nothing_ = false;
};

/// A selector as objects hold it ({matchLabels, matchExpressions}) in the form that
/// LabelSelector::parse reads, its parts in the order of their labels.
std::string label_selector_text(const Json& selector);

/// A field selector: metadata.name=x,status.phase!=Running. Paths are dotted; a missing field
/// compares as the empty string, unless read_from() says otherwise.
class FieldSelector {
 public:
  FieldSelector() = default;
  static Result<FieldSelector> parse(std::string_view text);

  bool matches(const Json& object) const;
  bool empty() const { return terms_.empty(); }
  /// Where the value of a field is read, when that is not its name, and what its absence means.
  void read_from(std::string_view field, const std::string& path, const std::string& missing);
  /// The paths that it speaks of, so that the server can refuse those it does not know.
  std::vector<std::string> fields() const;
  /// The value that it demands of a field; nothing when it lets others through.
  std::optional<std::string> required_value(std::string_view field) const;

 private:
  struct Term {
    std::string field;
    std::string path;
    std::string missing;
    bool equal = true;
    std::string value;
  };
  std::vector<Term> terms_;
};

}  // namespace trainyard
