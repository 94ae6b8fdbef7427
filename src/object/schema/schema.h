#pragma once

#include "object/json/json.h"
#include "object/values/field_path.h"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace trainyard {

struct Format;

/// A structural schema (OpenAPI v3 as CustomResourceDefinitions write it), read once into a tree
/// that validates, defaults and prunes objects as kube-apiserver does. Immutable and shared between
/// kinds. A walk over an object that is in order allocates nothing.
class Schema {
 public:
  enum class Type : std::uint8_t { kAny, kObject, kArray, kString, kInteger, kNumber, kBoolean };
  enum class ListType : std::uint8_t { kAtomic, kSet, kMap };
  using Shared = std::map<std::string, std::shared_ptr<const Schema>>;

  /// `shared` resolves our one extension, `x-trainyard-type: PodTemplateSpec`: the schema of that
  /// name in api/types. kInternal when the schema itself is wrong.
  static Result<std::shared_ptr<const Schema>> compile(const Json& schema, const Shared& shared);

  /// Fills in what the user left out, and takes out nulls where they are not allowed.
  void apply_defaults(Json& value) const;
  /// Removes fields that the schema does not know and returns their paths, in order. A whole object
  /// keeps apiVersion, kind and metadata whether or not the schema names them.
  enum class Extent : std::uint8_t { kWholeObject, kPart };
  std::vector<std::string> prune(Json& value, Extent extent = Extent::kWholeObject) const;
  /// Every rule that the value breaks, up to a thousand, each with the path of its field. Metadata
  /// has rules of its own, see metadata_rules.h.
  std::vector<FieldError> validate(const Json& value) const;

  /// What a strategic merge patch needs to know of a list: the field that tells its elements
  /// apart, or nothing when the list is replaced as a whole.
  const std::string& merge_key() const { return merge_key_; }
  /// Lists of plain values that a strategic merge patch adds to instead of replacing.
  bool merges_values() const { return merges_values_; }

  /// What server-side apply needs to know: whose parts can have different owners.
  ListType list_type() const { return list_type_; }
  /// The fields that tell the elements of a kMap list apart.
  const std::vector<std::string>& map_keys() const { return map_keys_; }
  /// An object that has one owner as a whole.
  bool atomic_map() const { return atomic_map_; }

  bool keeps_unknown() const { return keeps_unknown_; }
  /// Rules in CEL (x-kubernetes-validations) occur here or below; they are not evaluated.
  bool has_unevaluated_rules() const { return has_unevaluated_rules_; }
  /// Defaults occur here or below.
  bool has_defaults() const { return has_defaults_; }
  Type type() const { return type_; }
  bool nullable() const { return nullable_; }
  /// An amount such as 500m or 2Gi.
  bool is_quantity() const { return quantity_; }

  /// A property of this name, or what additionalProperties says of all names.
  const Schema* property(std::string_view name) const;
  /// The schema's own properties, in no order.
  std::vector<std::string> property_names() const;
  /// Whether the name is among the schema's own properties, not an additional one.
  bool declares(std::string_view name) const { return own_property(name) != nullptr; }
  /// Whether fields that are not declared may occur: they are kept, or nothing is declared at all.
  bool free_form() const {
    return keeps_unknown_ || embedded_resource_ || (properties_.empty() && !additional_);
  }
  /// nullptr: there is none.
  const Json* default_value() const { return default_ ? &*default_ : nullptr; }
  const Schema* items() const { return items_.get(); }
  const std::string& description() const { return description_; }

 private:
  struct Rules;   // what values must obey, apart from their type: object/schema/schema_rules.h
  struct Report;  // what was found wrong
  struct Property {
    std::string name;
    std::shared_ptr<const Schema> schema;
  };

  Result<> read(const Json& schema, const Shared& shared);
  Result<> read_children(const Json& schema, const Shared& shared);
  Result<> read_additional(const Json& additional, const Shared& shared);
  Result<> read_lists(const Json& schema);
  void read_flags(const Json& schema);
  void note_what_is_below(const Schema& child);
  void set_property(std::string name, std::shared_ptr<const Schema> schema);
  const Schema* own_property(std::string_view name) const;

  void prune_at(Json& value, const FieldPath& path, bool keep_unknown, Extent extent,
                std::vector<std::string>& removed) const;
  void prune_members(JsonObject& object, const FieldPath& path, bool keep_unknown, Extent extent,
                     std::vector<std::string>& removed) const;
  /// Whether null stands for nothing here, so that it is dropped or replaced by the default.
  bool null_means_missing() const { return !nullable_; }

  // Each returns whether the value is in order. Without a report they stop at the first problem.
  bool check(const Json& value, const FieldPath& path, Report* report) const;
  bool check_type(const Json& value, const FieldPath& path, Report* report) const;
  bool check_combinations(const Json& value, const FieldPath& path, Report* report) const;
  bool check_any_of(const Json& value, const FieldPath& path, Report* report) const;
  bool check_one_of(const Json& value, const FieldPath& path, Report* report) const;
  bool check_all_of(const Json& value, const FieldPath& path, Report* report) const;
  bool check_enum(const Json& value, const FieldPath& path, Report* report) const;
  bool check_string(const Json& value, const FieldPath& path, Report* report) const;
  static bool check_quantity(const Json& value, const FieldPath& path, Report* report);
  bool check_number(const Json& value, const FieldPath& path, Report* report) const;
  bool check_array(const Json& value, const FieldPath& path, Report* report) const;
  bool check_distinct(const JsonArray& array, const FieldPath& path, Report* report) const;
  bool check_object(const Json& value, const FieldPath& path, Report* report) const;
  bool check_members(const JsonObject& object, const FieldPath& path, Report* report) const;
  bool check_embedded(const Json& value, const FieldPath& path, Report* report) const;
  std::string expected_type() const;

  Type type_ = Type::kAny;
  ListType list_type_ = ListType::kAtomic;
  bool nullable_ = false;
  bool int_or_string_ = false;
  bool quantity_ = false;  // format: quantity, where a number will do as well as text
  bool keeps_unknown_ = false;
  bool allows_additional_ = false;   // additionalProperties: true
  bool forbids_additional_ = false;  // additionalProperties: false
  bool embedded_resource_ = false;
  bool elements_differ_ = false;  // x-kubernetes-list-type: set or map
  bool merges_values_ = false;
  bool atomic_map_ = false;
  bool has_unevaluated_rules_ = false;
  bool has_defaults_ = false;
  const Format* format_ = nullptr;
  std::vector<Property> properties_;  // by size, then name: most lookups compare one text
  std::shared_ptr<const Schema> additional_;
  std::shared_ptr<const Schema> items_;
  std::shared_ptr<const Rules> rules_;  // nullptr: none
  std::vector<std::string> required_;
  std::optional<Json> default_;
  std::vector<std::string> map_keys_;
  std::string merge_key_;
  std::string format_name_;
  std::string description_;
};

}  // namespace trainyard
