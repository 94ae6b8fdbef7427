// How a schema changes the shape of an object: what it takes out and what it fills in.
#include "object/metadata_rules.h"
#include "object/schema.h"

#include <algorithm>

namespace trainyard {
namespace {

bool is_meta_field(std::string_view name) {
  return name == "apiVersion" || name == "kind" || name == "metadata";
}

std::string_view key_of(const JsonObject::const_iterator& member) {
  return {member->key().data(), member->key().size()};
}

}  // namespace

void Schema::apply_defaults(Json& value) const {
  if (value.is_object()) {
    JsonObject& object = value.get_object();
    for (const Property& property : properties_) {
      if (!property.schema->default_) continue;
      const Json* member = object.if_contains(property.name);
      if (member == nullptr || (member->is_null() && property.schema->null_means_missing())) {
        object[property.name] = *property.schema->default_;
      }
    }
    for (std::size_t i = 0; i < object.size();) {
      const auto member = object.begin() + static_cast<std::ptrdiff_t>(i);
      const Schema* child = property(key_of(member));
      if (child != nullptr && member->value().is_null() && child->null_means_missing()) {
        if (!child->default_) {
          object.stable_erase(member);
          continue;
        }
        member->value() = *child->default_;
      }
      if (child != nullptr) child->apply_defaults(member->value());
      ++i;
    }
  } else if (value.is_array() && items_) {
    for (Json& element : value.get_array()) {
      if (element.is_null() && items_->null_means_missing() && items_->default_) {
        element = *items_->default_;
      }
      items_->apply_defaults(element);
    }
  }
}

std::vector<std::string> Schema::prune(Json& value, Extent extent) const {
  std::vector<std::string> removed;
  prune_at(value, FieldPath(), false, extent, removed);
  std::sort(removed.begin(), removed.end());
  return removed;
}

/// `keep_unknown` comes from a list that keeps unknown fields: its elements do too.
void Schema::prune_at(Json& value, const FieldPath& path, bool keep_unknown, Extent extent,
                      std::vector<std::string>& removed) const {
  const bool keep = keep_unknown || keeps_unknown_;
  if (value.is_array()) {
    if (!items_) return;
    std::size_t index = 0;
    for (Json& element : value.get_array()) {
      items_->prune_at(element, path.index(index++), keep, Extent::kPart, removed);
    }
    return;
  }
  // What has no type and says nothing of its fields may be anything; an object in the place of
  // something else is of the wrong type, which tells its user more than its fields being unknown.
  const bool says_fields = type_ == Type::kObject ||
                           (type_ == Type::kAny && (int_or_string_ || !properties_.empty() || additional_));
  if (value.is_object() && says_fields) {
    prune_members(value.get_object(), path, keep, extent, removed);
  }
}

void Schema::prune_members(JsonObject& object, const FieldPath& path, bool keep_unknown,
                           Extent extent, std::vector<std::string>& removed) const {
  const bool is_object_of_its_own = embedded_resource_ || extent == Extent::kWholeObject;
  for (std::size_t i = 0; i < object.size();) {
    const auto member = object.begin() + static_cast<std::ptrdiff_t>(i);
    const std::string_view name = key_of(member);
    ++i;
    if (is_object_of_its_own && is_meta_field(name)) {
      if (name == "metadata") prune_metadata(member->value(), path.field(name), removed);
    } else if (const Schema* child = property(name)) {
      child->prune_at(member->value(), path.field(name), false, Extent::kPart, removed);
    } else if (!keep_unknown && !forbids_additional_) {
      removed.push_back(path.field(name).dotted_text());
      object.stable_erase(member);
      --i;
    }
  }
}

}  // namespace trainyard
