#pragma once

#include "object/json/json.h"

#include <compare>
#include <string>
#include <string_view>
#include <vector>

namespace trainyard {

/// One step of a path into an object: a field, an element of a keyed list, an element of a set, or
/// an index. It is kept as one string whose byte order is the order in which Kubernetes writes
/// steps (fields by name, then keys and values, numbers by size), so that comparing, which sets of
/// fields do all the time, is comparing bytes.
class PathElement {
 public:
  struct Part {
    std::string_view name;
    const Json* value;
  };

  static PathElement field(std::string_view name);
  /// The element of a keyed list with these values of its key fields, in any order.
  static PathElement key(std::vector<Part> parts);
  static PathElement value(const Json& value);
  static PathElement index(std::int64_t index);

  /// Reads the FieldsV1 form: f:image, k:{"name":"main"}, v:"a", i:0. kUnsupported when it begins
  /// with another letter, which readers are to skip; kInvalid when it cannot be read.
  static Result<PathElement> parse(std::string_view text);
  std::string to_text() const;
  /// For people: .image, [name="main"], [="a"], [0].
  std::string shown() const;

  bool is_field() const { return code_.front() == kField; }
  bool is_key() const { return code_.front() == kKey; }
  std::string_view field_name() const { return std::string_view(code_).substr(1); }

  auto operator<=>(const PathElement&) const = default;

 private:
  static constexpr char kField = '0';
  static constexpr char kKey = '1';
  static constexpr char kValue = '2';
  static constexpr char kIndex = '3';

  explicit PathElement(std::string code) : code_(std::move(code)) {}

  std::string code_;
};

}  // namespace trainyard
