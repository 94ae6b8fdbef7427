#pragma once

#include "object/json/json.h"

#include <string>
#include <string_view>
#include <vector>

namespace trainyard::scheduler {

/// A condition on one label, as node affinity and label selectors have it.
struct Requirement {
  enum class Operator : std::uint8_t { kIn, kNotIn, kExists, kDoesNotExist, kGreater, kLess };
  std::string key;
  Operator op = Operator::kExists;
  std::vector<std::string> values;
};
using Requirements = std::vector<Requirement>;  // all must hold

bool holds(const Requirement& requirement, const JsonObject& labels);
bool all_hold(const Requirements& requirements, const JsonObject& labels);

/// disk=fast, zone in (a,b), !old: as kubectl -l takes it.
std::string to_words(const Requirement& requirement);
std::string to_words(const Requirements& requirements);

/// {"app": "a"}: each label must have that value.
Requirements read_label_map(const JsonObject& labels);
/// [{"key": …, "operator": …, "values": […]}].
Requirements read_expressions(const JsonArray& expressions);

}  // namespace trainyard::scheduler
