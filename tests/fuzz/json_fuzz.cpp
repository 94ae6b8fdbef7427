// JSON: what is read can be written and read again, and means the same; members that are named
// can be left out.
#include "fuzz.h"
#include "object/apply/fields.h"
#include "object/json/json.h"
#include "object/json/pruned_json.h"

#include <algorithm>

namespace trainyard::fuzz {
namespace {

const std::vector<std::string> kLeftOut{"a", "", "metadata", "\n"};

Json without(const Json& value) {
  if (const JsonArray* array = value.if_array()) {
    JsonArray kept;
    for (const Json& element : *array) kept.push_back(without(element));
    return kept;
  }
  if (!value.is_object()) return value;
  JsonObject kept;
  for (const auto& member : value.get_object()) {
    const std::string key(member.key());
    if (std::find(kLeftOut.begin(), kLeftOut.end(), key) != kLeftOut.end()) continue;
    kept[key] = without(member.value());
  }
  return kept;
}

}  // namespace

void run(std::string_view input) {
  const Result<Json> tree = parse_json(input);
  require(tree.has_value() == check_json(input).has_value(), "check_json agrees with parse_json");
  const Result<Json> pruned = parse_json_without(input, kLeftOut);
  if (!tree) {
    require(tree.error().code() == Code::kBadRequest, "bad JSON is the sender's fault",
            tree.error().message());
    return;
  }
  require(pruned && same_json(*pruned, without(*tree)), "only what was named is left out");
  const std::string text = to_text(*tree);
  const Result<Json> again = parse_json(text);
  require(again.has_value(), "what to_text writes can be read", text);
  // Not same_json: 1.0 is written as 1, as Go does, and read as an integer.
  require(is_same_value(*tree, *again), "writing and reading changes nothing", text);
  // From the second time on not even the form of a number changes (-0.0, -0, 0).
  const std::string second = to_text(*again);
  const Result<Json> third = parse_json(second);
  require(third && same_json(*again, *third) && to_text(*third) == second,
          "a text that we wrote stays as it is", second);
  const Result<Json> pretty = parse_json(to_pretty_text(*tree));
  require(pretty && same_json(*pretty, *again), "the indented form says the same", text);
}

}  // namespace trainyard::fuzz
