// JSON patch and merge patch. Line 1: an object; line 2: another; line 3: any patch.
#include "fuzz.h"
#include "json_diff.h"
#include "object/patch/patch.h"

namespace trainyard::fuzz {
namespace {

void check_merge(const Json& before, const Json& after) {
  Json patched = before;
  apply_merge_patch(patched, after);
  Json twice = patched;
  apply_merge_patch(twice, after);
  require(same_json(patched, twice), "a merge patch changes nothing the second time",
          to_text(after));
  if (has_null_member(after)) return;
  const Json patch = merge_patch_between(before, after);
  patched = before;
  apply_merge_patch(patched, patch);
  require(same_json(patched, after), "the merge patch between two objects leads from one to other",
          to_text(patch));
}

void check_json_patch(const Json& before, const Json& after) {
  JsonArray operations;
  json_patch_between(before, after, "", operations);
  operations.push_back({{"op", "test"}, {"path", ""}, {"value", after}});
  if (operations.size() > 10'000) return;
  const Json patch(std::move(operations));
  Json patched = before;
  const Result<> done = apply_json_patch(patched, patch);
  require(done && same_json(patched, after), "the JSON patch between two values leads to the other",
          to_text(patch));
}

void check_any_patch(Json target, const Json& patch) {
  const Result<> done = apply_json_patch(target, patch);
  if (!done) {
    const Code code = done.error().code();
    require(code == Code::kBadRequest || code == Code::kInvalid || code == Code::kTooLarge,
            "a patch that does not fit is the sender's fault", done.error().message());
    return;
  }
  const std::string text = to_text(target);
  require(parse_json(text).has_value(), "what a patch makes can be stored and read", text);
}

}  // namespace

void run(std::string_view input) {
  std::vector<Json> values;
  for (const std::string_view line : lines_of(input)) {
    auto value = parse_json(line);
    if (!value) return;
    values.push_back(*std::move(value));
    if (values.size() == 3) break;
  }
  if (values.size() < 2) return;
  check_merge(values[0], values[1]);
  check_json_patch(values[0], values[1]);
  check_any_patch(values[0], values.back());
}

}  // namespace trainyard::fuzz
