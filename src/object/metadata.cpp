#include "object/metadata.h"

#include "base/check.h"
#include "object/names.h"

namespace trainyard {
namespace {

std::string first_of(std::vector<std::string> problems) {
  return problems.empty() ? std::string() : std::move(problems.front());
}

std::string_view entry_of(const Json& object, std::string_view map, std::string_view name) {
  const Json* entries = find(object, map);
  if (entries == nullptr || !entries->is_object()) return {};
  const Json* value = entries->get_object().if_contains(name);
  if (value == nullptr || !value->is_string()) return {};
  return {value->get_string().data(), value->get_string().size()};
}

}  // namespace

ObjectPtr StoredObject::from_text(std::string text, std::int64_t revision) {
  struct Made : StoredObject {  // for make_shared: one block of memory instead of two
    Made(std::string&& its_text, std::int64_t its_revision)
        : StoredObject(std::move(its_text), its_revision) {}
  };
  return std::make_shared<const Made>(std::move(text), revision);
}

void StoredObject::read_text() const {
  auto parsed = parse_json(text_);
  CHECK(parsed.has_value());
  tree_ = std::make_unique<const Json>(*std::move(parsed));
}

Json StoredObject::metadata_only() const {
  const auto parsed = tree_ ? Result<Json>(nullptr) : parse_json(text_);
  const Json& whole = tree_ ? *tree_ : *parsed;
  JsonObject metadata = object_at(whole, "metadata");
  metadata.erase("managedFields");
  return {{"apiVersion", string_at(whole, "apiVersion")},
          {"kind", string_at(whole, "kind")},
          {"metadata", std::move(metadata)}};
}

void StoredObject::write_text() const {
  text_ = to_text(*tree_);
}

Key key_of(const Json& object) {
  return Key{std::string(namespace_of(object)), std::string(name_of(object))};
}

std::string_view label_of(const Json& object, std::string_view name) {
  return entry_of(object, "metadata.labels", name);
}

std::string_view annotation_of(const Json& object, std::string_view name) {
  return entry_of(object, "metadata.annotations", name);
}

bool is_being_deleted(const Json& object) {
  return !string_at(object, "metadata.deletionTimestamp").empty();
}

const Json* controller_of(const Json& object) {
  for (const Json& owner : array_at(object, "metadata.ownerReferences")) {
    if (bool_at(owner, "controller")) return &owner;
  }
  return nullptr;
}

Json owner_reference(const Json& owner) {
  return {{"apiVersion", string_at(owner, "apiVersion")},
          {"kind", string_at(owner, "kind")},
          {"name", name_of(owner)},
          {"uid", uid_of(owner)},
          {"controller", true},
          {"blockOwnerDeletion", true}};
}

std::string check_label_name(std::string_view name) {
  return first_of(label_problems(name));
}

std::string check_subdomain_name(std::string_view name) {
  return first_of(subdomain_problems(name));
}

}  // namespace trainyard

fmt::format_context::iterator fmt::formatter<trainyard::Key>::format(
    const trainyard::Key& key, fmt::format_context& context) const {
  return fmt::format_to(context.out(), "{}{}{}", key.ns, key.ns.empty() ? "" : "/", key.name);
}
