#include "object/values/pattern.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <array>
#include <cstdint>

namespace trainyard {

Result<Pattern> Pattern::compile(std::string text) {
  // Counted repetitions such as (\p{L}{0,60}\.){1,30} need more than RE2's usual budget; most
  // patterns do not, and the budget is also what a pattern may keep for itself while it is used.
  constexpr std::array<std::int64_t, 2> kBudgets{std::int64_t{8} << 20, std::int64_t{128} << 20};
  std::string problem;
  for (const std::int64_t budget : kBudgets) {
    RE2::Options options;
    options.set_log_errors(false);
    options.set_max_mem(budget);
    auto automaton = std::make_shared<RE2>(text, options);
    if (automaton->ok()) return Pattern(std::move(text), std::move(automaton));
    problem = automaton->error();
    if (automaton->error_code() != RE2::ErrorPatternTooLarge) break;
  }
  return Error(Code::kInvalid, fmt::format("error parsing regexp: {}", problem));
}

Pattern::Pattern(std::string text, std::shared_ptr<const re2::RE2> automaton)
    : text_(std::move(text)), automaton_(std::move(automaton)) {}

bool Pattern::occurs_in(std::string_view text) const {
  return RE2::PartialMatch(re2::StringPiece(text.data(), text.size()), *automaton_);
}

}  // namespace trainyard
