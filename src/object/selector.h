#pragma once

#include "object/json.h"

#include <string>
#include <string_view>
#include <vector>

namespace trainyard {

/// A label selector: app=a,tier!=b,env in (x,y),rank notin (0),gpu,!old. Empty: everything.
class LabelSelector {
 public:
  LabelSelector() = default;
  static Result<LabelSelector> parse(std::string_view text);
  /// Selects what carries all these labels: {"app": "a"}.
  static LabelSelector from_labels(const JsonObject& labels);

  bool matches(const Json& object) const;
  bool empty() const { return terms_.empty(); }

 private:
  enum class Operator : std::uint8_t { kIn, kNotIn, kExists, kNotExists };
  struct Term {
    std::string label;
    Operator op = Operator::kExists;
    std::vector<std::string> values;
  };
  std::vector<Term> terms_;
};

/// A field selector: metadata.name=x,status.phase!=Running. Paths are dotted; a missing field
/// compares as the empty string.
class FieldSelector {
 public:
  FieldSelector() = default;
  static Result<FieldSelector> parse(std::string_view text);

  bool matches(const Json& object) const;
  bool empty() const { return terms_.empty(); }
  /// The paths that it speaks of, so that the server can refuse those it does not know.
  std::vector<std::string> fields() const;

 private:
  struct Term {
    std::string field;
    bool equal = true;
    std::string value;
  };
  std::vector<Term> terms_;
};

}  // namespace trainyard
