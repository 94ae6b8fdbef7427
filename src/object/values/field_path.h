#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace trainyard {

/// Where a value is inside an object. Each step lives on the stack of whoever walks and points to
/// the step before it, so that a walk that finds nothing wrong builds no text.
class FieldPath {
 public:
  FieldPath() = default;  // the object itself

  /// The steps must not outlive the path that they are taken from.
  FieldPath field(std::string_view name) const { return {this, Kind::kField, name, 0}; }
  /// An entry of a map, whose key is the user's own.
  FieldPath key(std::string_view name) const { return {this, Kind::kKey, name, 0}; }
  FieldPath index(std::size_t position) const { return {this, Kind::kIndex, {}, position}; }

  bool empty() const { return parent_ == nullptr; }
  /// spec.labels[a.b/c].list[0]
  std::string text() const { return written(true); }
  /// spec.labels.a.b/c.list[0]: how kube-apiserver's schema validation and its pruning write it.
  std::string dotted_text() const { return written(false); }

 private:
  enum class Kind : std::uint8_t { kRoot, kField, kKey, kIndex };

  FieldPath(const FieldPath* parent, Kind kind, std::string_view name, std::size_t position)
      : parent_(parent), name_(name), position_(position), kind_(kind) {}
  std::string written(bool keys_in_brackets) const;
  void append_to(std::string& text, bool keys_in_brackets) const;

  const FieldPath* parent_ = nullptr;
  std::string_view name_;
  std::size_t position_ = 0;
  Kind kind_ = Kind::kRoot;
};

}  // namespace trainyard
