#pragma once

#include "object/apply/path_element.h"

#include <string>
#include <vector>

namespace trainyard {

/// A set of fields of an object, such as those that one manager owns: a tree whose nodes are sorted
/// and either belong to the set themselves, or lead to some that do, or both.
class FieldSet {
 public:
  struct Node;
  using Path = std::vector<PathElement>;

  FieldSet() = default;
  /// From nodes in any order; nodes that neither belong nor lead anywhere are dropped.
  explicit FieldSet(std::vector<Node> nodes);

  /// FieldsV1, as metadata.managedFields holds it: {"f:spec":{".":{},"f:replicas":{}}}.
  static Result<FieldSet> parse(const Json& fields_v1);
  Json to_json() const;

  bool empty() const { return nodes_.empty(); }
  const std::vector<Node>& nodes() const { return nodes_; }
  const Node* find(const PathElement& element) const;
  bool contains(const Path& path) const;
  bool is_within(const FieldSet& other) const;

  void insert(const Path& path);
  void add(FieldSet other);
  void remove(const FieldSet& other);
  FieldSet common_with(const FieldSet& other) const;

  /// Every path for people to read (.spec.replicas), the shorter ones of each level first.
  std::vector<std::string> paths() const;

  bool operator==(const FieldSet& other) const;

 private:
  static Result<FieldSet> parse_level(const JsonObject& level, bool& has_itself);

  std::vector<Node> nodes_;
};

struct FieldSet::Node {
  PathElement element;
  bool belongs = false;
  FieldSet below;

  bool operator==(const Node&) const = default;
};

}  // namespace trainyard
