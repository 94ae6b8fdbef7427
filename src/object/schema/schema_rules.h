#pragma once

#include "object/schema/schema.h"
#include "object/values/pattern.h"

#include <optional>
#include <vector>

namespace trainyard {

/// What most fields do not have, kept apart so that the tree of schemas stays small. Only
/// schema*.cpp includes this.
struct Schema::Rules {
  std::vector<Json> allowed;  // enum
  std::optional<Pattern> pattern;
  std::optional<std::int64_t> min_length;
  std::optional<std::int64_t> max_length;
  std::optional<std::int64_t> min_items;
  std::optional<std::int64_t> max_items;
  std::optional<std::int64_t> min_properties;
  std::optional<std::int64_t> max_properties;
  std::optional<double> minimum;
  std::optional<double> maximum;
  std::optional<double> multiple_of;
  bool exclusive_minimum = false;
  bool exclusive_maximum = false;
  bool unique_items = false;
  bool int32 = false;
  std::vector<std::shared_ptr<const Schema>> all_of;
  std::vector<std::shared_ptr<const Schema>> any_of;
  std::vector<std::shared_ptr<const Schema>> one_of;
  std::shared_ptr<const Schema> none_of;  // not

  /// Adds what the schema says to what is there. Sets `found` when it says anything.
  Result<> read(const Json& schema, const Shared& shared, bool& found);

 private:
  Result<> read_combinations(const Json& schema, const Shared& shared, bool& found);
};

struct Schema::Report {
  /// Nobody reads more, and an object of three megabytes could break half a million rules.
  static constexpr std::size_t kMostErrors = 1000;

  std::vector<FieldError> errors;
  /// How many checks were passed. Of several alternatives that all fail, kube-apiserver tells the
  /// problems of the one that came furthest.
  int passed = 0;

  bool full() const { return errors.size() >= kMostErrors; }
  void add(FieldError error);
  void take(Report other);
};

}  // namespace trainyard
