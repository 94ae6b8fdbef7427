// Server-side apply and managed fields. Each line is a write to one object: who writes (a letter),
// how (a: apply, f: apply by force, anything else: update), and the object in JSON.
#include "fuzz.h"
#include "object/apply/fields.h"
#include "object/apply/ownership_for_tests.h"

#include <optional>

namespace trainyard::fuzz {
namespace {

/// The only object of this world.
struct World {
  std::optional<Json> object;
  int minute = 0;

  const Json* current() const { return object ? &*object : nullptr; }
};

/// Without nulls and empty objects and lists: whether they are there makes no difference to
/// anybody, an empty list in a configuration owns nothing, and a map that somebody empties is null
/// the first time and empty the second, in Kubernetes too.
Json without_hollow(const Json& value) {
  if (!value.is_object()) return value;
  JsonObject kept;
  for (const auto& member : value.get_object()) {
    Json inner = without_hollow(member.value());
    const bool hollow = inner.is_null() || (inner.is_object() && inner.get_object().empty()) ||
                        (inner.is_array() && inner.get_array().empty());
    if (!hollow) kept.emplace(member.key(), std::move(inner));
  }
  return kept;
}

void check_owners(const Json& object) {
  const auto owners = Owners::read(object);
  require(owners.has_value(), "managedFields that we wrote can be read", to_text(object));
  for (const Owner& owner : owners->all()) {
    require(!owner.fields.empty(), "an owner owns something", to_text(object));
    const auto again = FieldSet::parse(owner.fields.to_json());
    require(again && *again == owner.fields, "a set of fields is written and read as it is",
            to_text(owner.fields.to_json()));
  }
}

void apply(World& world, const Json& configuration, const FieldManager& manager, bool force) {
  const Schema& schema = deployment_schema();
  auto applied = apply_configuration(world.current(), configuration, schema, manager, force);
  if (!applied) {
    const Code code = applied.error().code();
    require(code == Code::kBadRequest || code == Code::kInvalid || code == Code::kConflict,
            "what cannot be applied is the sender's fault", applied.error().message());
    require(code != Code::kConflict || !force, "force knows no conflict");
    require(code != Code::kConflict || !applied.error().causes().empty(), "conflicts have causes");
    return;
  }
  if (!schema.validate(*applied).empty()) return;  // the server would refuse it
  check_owners(*applied);
  // Who applies nothing but empty lists owns nothing, and the next one finds an object that nobody
  // has applied yet.
  if (array_at(*applied, "metadata.managedFields").empty()) return;
  const auto again = apply_configuration(&*applied, configuration, schema, manager, false);
  require(again.has_value(), "what was applied can be applied again", to_text(*applied));
  require(is_same_value(without_hollow(*applied), without_hollow(*again)),
          "applying again changes nothing", to_text(*applied) + "\n" + to_text(*again));
  const FieldChanges changes =
      compare_fields(*applied, merge_fields(*applied, configuration, &schema), &schema);
  require(changes.removed.empty(), "merging takes nothing away", to_text(*applied));
  world.object = *std::move(applied);
}

void update(World& world, Json object, const FieldManager& manager) {
  const Schema& schema = deployment_schema();
  schema.prune(object);
  if (!schema.validate(object).empty()) return;
  track_update(object, world.current(), schema, manager);
  check_owners(object);
  world.object = std::move(object);
}

void write(World& world, std::string_view line) {
  if (line.size() < 3) return;
  auto object = parse_json(line.substr(2));
  if (!object || !object->is_object()) return;
  // What the server takes from the address of the request.
  object->get_object()["apiVersion"] = "apps/v1";
  object->get_object()["kind"] = "Deployment";
  const FieldManager manager = at(++world.minute % 1440, std::string(1, line[0]));
  if (line[1] == 'a' || line[1] == 'f') {
    apply(world, *object, manager, line[1] == 'f');
  } else {
    update(world, *std::move(object), manager);
  }
}

}  // namespace

void run(std::string_view input) {
  World world;
  for (const std::string_view line : lines_of(input)) write(world, line);
}

}  // namespace trainyard::fuzz
