// Strategic merge patch. Line 1: an object; line 2: another, or any patch.
#include "fuzz.h"
#include "json_diff.h"
#include "object/apply/ownership_for_tests.h"
#include "object/patch/patch.h"

namespace trainyard::fuzz {
namespace {

void check_any_patch(const Json& before, const Json& patch) {
  Json patched = before;
  const Result<> done = apply_strategic_patch(patched, patch, deployment_schema());
  if (!done) {
    require(done.error().code() == Code::kBadRequest, "a wrong patch is a bad request",
            done.error().message());
    return;
  }
  require(parse_json(to_text(patched)).has_value(), "what a patch makes can be read");
  if (has_directive(patch)) return;
  Json twice = patched;
  require(apply_strategic_patch(twice, patch, deployment_schema()).has_value(),
          "a patch fits what it made", to_text(patched));
  require(same_json(patched, twice), "a patch changes nothing the second time", to_text(patched));
}

void check_patch_between(const Json& before, const Json& after) {
  if (!after.is_object() || has_null_member(after)) return;
  if (has_directive(before) || has_directive(after)) return;
  const auto patch = strategic_patch_between(before, after, &deployment_schema());
  if (!patch) return;
  Json patched = before;
  const Result<> done = apply_strategic_patch(patched, *patch, deployment_schema());
  require(done.has_value(), "a patch that was made from two objects fits", to_text(*patch));
  require(same_json(patched, after), "it leads from one to the other", to_text(patched));
}

}  // namespace

void run(std::string_view input) {
  const std::vector<std::string_view> lines = lines_of(input);
  const auto before = parse_json(lines.front());
  const auto after = parse_json(lines.back());
  if (!before || !after) return;
  Json unchanged = *before;
  if (before->is_object()) {
    require(apply_strategic_patch(unchanged, JsonObject(), deployment_schema()).has_value() &&
                same_json(unchanged, *before),
            "the empty patch changes nothing");
  }
  check_any_patch(*before, *after);
  check_patch_between(*before, *after);
}

}  // namespace trainyard::fuzz
