#pragma once

#include "object/json.h"
#include "object/pattern.h"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace trainyard {

/// A structural schema (OpenAPI v3 as CustomResourceDefinitions write it), read once into a tree
/// that validates, defaults and prunes objects. Immutable and shared between kinds.
class Schema {
 public:
  enum class Type : std::uint8_t { kAny, kObject, kArray, kString, kInteger, kNumber, kBoolean };

  /// `shared` resolves our one extension, `x-trainyard-type: PodTemplateSpec`: the schema of that
  /// name in api/types. kInternal when the schema itself is wrong.
  static Result<std::shared_ptr<const Schema>> compile(
      const Json& schema, const std::map<std::string, std::shared_ptr<const Schema>>& shared);

  /// Fills in what the user left out.
  void apply_defaults(Json& value) const;
  /// Removes fields that the schema does not know and returns their paths.
  std::vector<std::string> prune(Json& value) const;
  /// Every rule that the value breaks, each with the path of its field.
  std::vector<FieldError> validate(const Json& value) const;

  /// What a strategic merge patch needs to know of a list: the field that tells its elements
  /// apart, or nothing when the list is replaced as a whole.
  const std::string& merge_key() const { return merge_key_; }
  /// Lists of plain values that a strategic merge patch adds to instead of replacing.
  bool merges_values() const { return merges_values_; }
  const Schema* property(std::string_view name) const;
  const Schema* items() const { return items_.get(); }
  const std::string& description() const { return description_; }

 private:
  using Children = std::map<std::string, std::shared_ptr<const Schema>, std::less<>>;

  Result<> read_structure(const Json& schema, const Children& shared);
  Result<> read_rules(const Json& schema, const Children& shared);
  void prune_at(Json& value, const std::string& path, std::vector<std::string>& removed) const;
  void validate_at(const Json& value, const std::string& path,
                   std::vector<FieldError>& errors) const;
  bool check_type(const Json& value, const std::string& path,
                  std::vector<FieldError>& errors) const;
  void check_number(const Json& value, const std::string& path,
                    std::vector<FieldError>& errors) const;
  void check_string(const Json& value, const std::string& path,
                    std::vector<FieldError>& errors) const;
  void check_array(const Json& value, const std::string& path,
                   std::vector<FieldError>& errors) const;
  void check_object(const Json& value, const std::string& path,
                    std::vector<FieldError>& errors) const;

  Type type_ = Type::kAny;
  std::string format_;
  std::string description_;
  bool nullable_ = false;
  bool int_or_string_ = false;
  bool keeps_unknown_ = false;
  bool embedded_resource_ = false;
  bool merges_values_ = false;
  std::string merge_key_;
  Children properties_;
  std::shared_ptr<const Schema> additional_;
  std::shared_ptr<const Schema> items_;
  std::vector<std::string> required_;
  std::vector<Json> allowed_;
  std::optional<Json> default_;
  std::optional<double> minimum_;
  std::optional<double> maximum_;
  std::optional<std::int64_t> min_length_;
  std::optional<std::int64_t> max_length_;
  std::optional<std::int64_t> min_items_;
  std::optional<std::int64_t> max_items_;
  std::vector<std::string> map_keys_;  // of x-kubernetes-list-type: map
  std::optional<Pattern> pattern_;
};

}  // namespace trainyard
