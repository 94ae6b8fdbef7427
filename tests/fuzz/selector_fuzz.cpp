// Label and field selectors: a selector, its text and its JSON form select the same objects.
// Line 1: the selector as text; line 2: an object to select, or a selector in JSON.
#include "fuzz.h"
#include "object/values/selector.h"

namespace trainyard::fuzz {
namespace {

const std::vector<Json>& objects() {
  static const std::vector<Json> kObjects = [] {
    std::vector<Json> parsed;
    for (const char* labels : {"{}", R"({"a":"b"})", R"({"a":"","env":"x"})",
                               R"({"rank":"3","gpu":"","tier":"b"})", R"({"rank":"-1"})"}) {
      parsed.push_back(Json{{"metadata", {{"name", "x"}, {"labels", *parse_json(labels)}}},
                            {"status", {{"phase", "Running"}}}});
    }
    return parsed;
  }();
  return kObjects;
}

void require_same(const LabelSelector& one, const LabelSelector& other, const Json* extra,
                  std::string_view text) {
  for (const Json& object : objects()) {
    require(one.matches(object) == other.matches(object), "its text selects the same", text);
  }
  if (extra == nullptr) return;
  require(one.matches(*extra) == other.matches(*extra), "its text selects the same", text);
}

void check_labels(std::string_view input, const Json* extra) {
  const auto selector = LabelSelector::parse(input);
  if (!selector) {
    require(selector.error().code() == Code::kBadRequest, "a wrong selector is a bad request",
            selector.error().message());
    return;
  }
  const std::string text = selector->to_text();
  const auto again = LabelSelector::parse(text);
  require(again.has_value(), "a selector's text can be read", text);
  require(again->to_text() == text, "a selector's text is stable", text);
  require(selector->empty() == text.empty(), "only the empty selector has no text", text);
  require_same(*selector, *again, extra, text);
}

/// {"matchLabels": …, "matchExpressions": …}
void check_object(const Json& object) {
  const auto selector = LabelSelector::from_object(object);
  if (!selector || object.is_null()) return;
  const std::string text = selector->to_text();
  const auto again = LabelSelector::parse(text);
  require(again.has_value(), "the text of a selector in JSON can be read", text);
  require_same(*selector, *again, &object, text);
  const auto shown = LabelSelector::parse(label_selector_text(object));
  require(shown.has_value(), "label_selector_text writes what parse reads", text);
  require_same(*selector, *shown, &object, text);
}

void check_fields(std::string_view input, const Json* extra) {
  const auto selector = FieldSelector::parse(input);
  if (!selector) return;
  require(selector->empty() == selector->fields().empty(), "the empty selector has no fields");
  const bool selected = extra != nullptr && selector->matches(*extra);
  for (const std::string& field : selector->fields()) {
    const auto value = selector->required_value(field);
    if (!selected || !value) continue;
    const Json* found = find(*extra, field);
    if (found != nullptr && found->is_string()) {
      require(string_at(*extra, field) == *value, "who is selected has what is demanded", field);
    }
  }
}

}  // namespace

void run(std::string_view input) {
  const std::vector<std::string_view> lines = lines_of(input);
  const auto object = parse_json(lines.back());
  const Json* extra = object ? &*object : nullptr;
  check_labels(lines.front(), extra);
  check_fields(lines.front(), extra);
  if (extra != nullptr) check_object(*extra);
}

}  // namespace trainyard::fuzz
