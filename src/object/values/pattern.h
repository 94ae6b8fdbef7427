#pragma once

#include "base/result.h"

#include <memory>
#include <string>
#include <string_view>

namespace re2 {
class RE2;
}

namespace trainyard {

/// A regular expression in Go's syntax, which the patterns of CustomResourceDefinitions are written
/// in. Matching takes time linear in the text, whatever the pattern. Copies share the automaton.
class Pattern {
 public:
  /// kInvalid with what is wrong when the text is not a regular expression.
  static Result<Pattern> compile(std::string text);

  /// Whether the pattern is found anywhere in the text, as in Go's MatchString.
  bool occurs_in(std::string_view text) const;
  const std::string& text() const { return text_; }

 private:
  Pattern(std::string text, std::shared_ptr<const re2::RE2> automaton);

  std::string text_;
  std::shared_ptr<const re2::RE2> automaton_;
};

}  // namespace trainyard
