// YAML: documents are parted, read, written and read again without a change.
#include "fuzz.h"
#include "object/apply/fields.h"
#include "object/yaml/yaml.h"

namespace trainyard::fuzz {
namespace {

void check_round_trip(const Json& document) {
  const std::string text = to_yaml(document);
  const auto again = parse_yaml(text);
  require(again.has_value(), "what to_yaml writes can be read", text);
  require(again->size() == 1 && is_same_value(document, again->front()),
          "writing and reading a document changes nothing", text);
}

}  // namespace

void run(std::string_view input) {
  const auto documents = parse_yaml(input);
  if (!documents) {
    require(documents.error().message().starts_with("YAML line "), "an error names its line",
            documents.error().message());
    return;
  }
  std::string joined;
  for (const Json& document : *documents) {
    require(!document.is_null(), "empty documents are left out");
    check_round_trip(document);
    joined += "---\n" + to_yaml(document);
  }
  const auto together = parse_yaml(joined);
  require(together && together->size() == documents->size(), "as many documents as were written",
          joined);
  for (std::size_t i = 0; i < documents->size(); ++i) {
    require(is_same_value((*documents)[i], (*together)[i]), "the same documents", joined);
  }
  const auto one = parse_json_or_yaml(input);
  require(!one || documents->size() == 1 || input.find('{') != std::string_view::npos,
          "one object is asked for, and only one is taken", input);
}

}  // namespace trainyard::fuzz
