// CustomResourceDefinitions, and the schemas that are made from them. The last line is an object of
// the kind in JSON, what goes before is the definition in JSON or YAML.
#include "fuzz.h"
#include "object/schema/definition.h"
#include "object/schema/kind.h"
#include "object/yaml/yaml.h"

namespace trainyard::fuzz {
namespace {

/// What happens to an object between the wire and the store.
void check_schema(const Schema& schema, const Json& object) {
  Json pruned = object;
  schema.prune(pruned);
  Json again = pruned;
  require(schema.prune(again).empty() && same_json(pruned, again), "what is pruned stays pruned",
          to_text(pruned));
  schema.apply_defaults(again);
  Json complete = again;
  schema.apply_defaults(complete);
  require(same_json(again, complete), "what has its defaults needs no more", to_text(again));
  for (const FieldError& error : schema.validate(again)) {
    require(!error.message.empty() && !error.reason.empty(), "an error says what is wrong");
  }
}

}  // namespace

void run(std::string_view input) {
  const std::size_t last_line = input.rfind('\n');
  const bool has_object = last_line != std::string_view::npos;
  auto definition = parse_json_or_yaml(input.substr(0, has_object ? last_line : input.size()));
  if (!definition || !definition->is_object()) return;
  apply_definition_defaults(*definition);
  Json again = *definition;
  apply_definition_defaults(again);
  require(same_json(*definition, again), "defaults are filled in once", to_text(again));
  if (!check_definition(*definition).empty()) return;

  const auto kinds = read_kinds(std::make_shared<const Json>(*std::move(definition)), {});
  require(kinds.has_value(), "a definition without errors describes kinds",
          kinds ? "" : kinds.error().message());
  const auto object = parse_json(has_object ? input.substr(last_line + 1) : "{}");
  if (!object || !object->is_object()) return;
  for (const Kind& kind : *kinds) {
    if (kind.schema) check_schema(*kind.schema, *object);
  }
}

}  // namespace trainyard::fuzz
