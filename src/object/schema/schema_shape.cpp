// How a schema changes the shape of an object: what it takes out and what it fills in.
#include "object/json/members.h"
#include "object/schema/schema.h"
#include "object/values/metadata_rules.h"

#include <algorithm>

namespace trainyard {
namespace {

bool is_meta_field(std::string_view name) {
  return name == "apiVersion" || name == "kind" || name == "metadata";
}

std::string_view name_of(const JsonObject::value_type& member) {
  return {member.key().data(), member.key().size()};
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
    std::vector<std::size_t> gone;
    std::size_t position = 0;
    for (auto& member : object) {
      const Schema* child = property(name_of(member));
      if (child != nullptr && member.value().is_null() && child->null_means_missing()) {
        if (child->default_) {
          member.value() = *child->default_;
        } else {
          gone.push_back(position);
        }
      }
      if (child != nullptr) child->apply_defaults(member.value());
      ++position;
    }
    erase_members(object, gone);
  } else if (value.is_array() && items_) {
    for (Json& element : value.get_array()) {
      if (element.is_null() && items_->null_means_missing() && items_->default_) {
        element = *items_->default_;
      }
      items_->apply_defaults(element);
    }
  }
}

std::vector<std::string> Schema::property_names() const {
  std::vector<std::string> names;
  for (const Property& property : properties_) names.push_back(property.name);
  return names;
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
  const bool says_fields =
      type_ == Type::kObject ||
      (type_ == Type::kAny && (int_or_string_ || !properties_.empty() || additional_));
  if (value.is_object() && says_fields) {
    prune_members(value.get_object(), path, keep, extent, removed);
  }
}

void Schema::prune_members(JsonObject& object, const FieldPath& path, bool keep_unknown,
                           Extent extent, std::vector<std::string>& removed) const {
  const bool is_object_of_its_own = embedded_resource_ || extent == Extent::kWholeObject;
  std::vector<std::size_t> gone;
  std::size_t position = 0;
  for (auto& member : object) {
    const std::string_view name = name_of(member);
    if (is_object_of_its_own && is_meta_field(name)) {
      if (name == "metadata") prune_metadata(member.value(), path.field(name), removed);
    } else if (const Schema* child = property(name)) {
      child->prune_at(member.value(), path.field(name), false, Extent::kPart, removed);
    } else if (!keep_unknown && !forbids_additional_) {
      removed.push_back(path.field(name).dotted_text());
      gone.push_back(position);
    }
    ++position;
  }
  erase_members(object, gone);
}

}  // namespace trainyard
