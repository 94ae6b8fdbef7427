#pragma once

#include "base/result.h"

#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace trainyard::node {

using Variables = std::vector<std::pair<std::string, std::string>>;

/// Variables by their names, which are found at once: users write tens of thousands of them.
class VariableTable {
 public:
  VariableTable() = default;
  explicit VariableTable(const Variables& variables);

  /// The last value counts, and stands last. kInvalid when all that was set is longer than what the
  /// kernel gives to a process.
  Result<> set(std::string name, std::string value);
  /// Null: there is none of that name.
  const std::string* find(std::string_view name) const;
  /// In the order in which they were set.
  Variables take() &&;

 private:
  void put(std::string name, std::string value);

  Variables variables_;
  std::unordered_map<std::string, std::size_t> places_;
  std::size_t bytes_ = 0;  // of all that was set, what was replaced among it
};

/// $(NAME) becomes its value; an unknown name stays as written; $$ is a plain $. kInvalid when that
/// becomes longer than the kernel lets a word or a variable be: with forty variables that say the
/// one before them twice, it would be longer than the memory.
Result<std::string> expand(std::string_view text, const VariableTable& variables);
inline constexpr std::size_t kLongestWord = 128UL * 1024 - 1;

}  // namespace trainyard::node
