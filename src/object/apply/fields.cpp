#include "object/apply/fields.h"

#include "object/apply/field_shape.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace trainyard {
namespace {

using Node = FieldSet::Node;
using Kind = Shape::Kind;

/// Walks a value and gathers its fields.
class Extraction {
 public:
  explicit Extraction(EmptyLists empty_lists) : empty_lists_(empty_lists) {}

  FieldSet below(const Json& value, const Shape& shape, const Schema* schema) const {
    if (shape.kind == Kind::kMap) return of_map(value.get_object(), schema);
    if (shape.kind == Kind::kList) return of_list(value.get_array(), shape, schema);
    return {};
  }

 private:
  Node node_of(PathElement element, const Json& value, const Schema* schema,
               bool counts_itself) const {
    const Shape shape = shape_of(&value, schema);
    return {std::move(element), counts_itself || shape.kind == Kind::kLeaf,
            below(value, shape, schema)};
  }

  FieldSet of_map(const JsonObject& map, const Schema* schema) const {
    std::vector<Node> nodes;
    nodes.reserve(map.size());
    for (const auto& member : map) {
      const std::string_view name = key_of_member(member);
      const bool declared = schema != nullptr && schema->declares(name);
      nodes.push_back(node_of(PathElement::field(name), member.value(),
                              schema_of_member(schema, name),
                              !declared || is_hollow(member.value())));
    }
    return FieldSet(std::move(nodes));
  }

  FieldSet of_list(const JsonArray& list, const Shape& shape, const Schema* schema) const {
    std::map<PathElement, std::size_t> counts;
    for (const PathElement& element : shape.elements) ++counts[element];
    std::vector<Node> nodes;
    nodes.reserve(list.size());
    for (std::size_t i = 0; i < list.size(); ++i) {
      const PathElement& element = shape.elements[i];
      // Elements that cannot be told apart from another are one field together.
      nodes.push_back(counts[element] > 1
                          ? Node{element, true, {}}
                          : node_of(element, list[i], schema_of_elements(schema), true));
    }
    return FieldSet(std::move(nodes));
  }

  bool is_hollow(const Json& value) const {
    if (value.is_object()) return value.get_object().empty();
    if (value.is_array()) return value.get_array().empty() && empty_lists_ == EmptyLists::kCount;
    return value.is_null();
  }

  EmptyLists empty_lists_;
};

const Schema* schema_below(const PathElement& element, const Schema* schema) {
  if (element.is_field()) return schema_of_member(schema, element.field_name());
  return element.is_key() ? schema_of_elements(schema) : nullptr;
}

bool is_one_field(const Schema* schema) {
  if (schema == nullptr) return false;
  const bool is_list = schema->items() != nullptr;
  return is_list ? schema->list_type() == Schema::ListType::kAtomic : schema->atomic_map();
}

bool is_same(const Json& a, const Json& b, bool null_is_nothing);

bool is_same_object(const JsonObject& a, const JsonObject& b, bool null_is_nothing) {
  const auto counts = [&](const auto& member) {
    return !null_is_nothing || !member.value().is_null();
  };
  return std::count_if(a.begin(), a.end(), counts) == std::count_if(b.begin(), b.end(), counts) &&
         std::all_of(a.begin(), a.end(), [&](const auto& member) {
           const Json* other = counts(member) ? b.if_contains(member.key()) : &member.value();
           return other != nullptr && is_same(member.value(), *other, null_is_nothing);
         });
}

bool is_same(const Json& a, const Json& b, bool null_is_nothing) {
  if (a.is_number() && b.is_number()) {
    if (!a.is_double() && !b.is_double()) return a == b;
    return a.to_number<double>() == b.to_number<double>();
  }
  if (a.is_array() && b.is_array()) {
    return std::equal(
        a.get_array().begin(), a.get_array().end(), b.get_array().begin(), b.get_array().end(),
        [&](const Json& one, const Json& other) { return is_same(one, other, null_is_nothing); });
  }
  if (a.is_object() && b.is_object()) {
    return is_same_object(a.get_object(), b.get_object(), null_is_nothing);
  }
  return a == b;
}

/// Collects what is wrong with a configuration. `open`: some schema further up keeps unknown
/// fields.
class FieldChecker {
 public:
  explicit FieldChecker(std::vector<std::string>& problems) : problems_(problems) {}

  void check(const Json& value, const Schema* schema, const std::string& path, bool open) {
    if (schema == nullptr) return;
    open = open || schema->keeps_unknown();
    if (value.is_object()) check_map(value.get_object(), *schema, path, open);
    if (value.is_array()) check_list(value.get_array(), *schema, path, open);
  }

 private:
  void check_map(const JsonObject& map, const Schema& schema, const std::string& path, bool open) {
    for (const auto& member : map) {
      const std::string_view name = key_of_member(member);
      const std::string below = fmt::format("{}.{}", path, name);
      const Schema* child = schema.property(name);
      const bool always_there =
          path.empty() && (name == "apiVersion" || name == "kind" || name == "metadata");
      if (child == nullptr && !open && !schema.free_form() && !always_there) {
        problems_.push_back(below + ": field not declared in schema");
      }
      check(member.value(), child, below, open);
    }
  }

  void check_list(const JsonArray& list, const Schema& schema, const std::string& path, bool open) {
    const bool atomic = schema.list_type() == Schema::ListType::kAtomic;
    std::map<PathElement, std::size_t> seen;
    for (std::size_t i = 0; i < list.size(); ++i) {
      auto identity =
          atomic ? PathElement::index(static_cast<std::int64_t>(i)) : identity_of(list[i], schema);
      if (!identity) {
        problems_.push_back(fmt::format("{}: element {}: {}", path, i, identity.error().message()));
        return;
      }
      if (++seen[*identity] > 1) {
        problems_.push_back(
            fmt::format("{}: duplicate entries for key {}", path, identity->shown()));
      }
      check(list[i], schema.items(), path + identity->shown(), open);
    }
  }

  std::vector<std::string>& problems_;
};

}  // namespace

bool is_same_value(const Json& a, const Json& b) {
  return is_same(a, b, false);
}

bool is_same_but_for_nulls(const Json& a, const Json& b) {
  return is_same(a, b, true);
}

FieldSet fields_of(const Json& value, const Schema* schema, EmptyLists empty_lists) {
  return Extraction(empty_lists).below(value, shape_of(&value, schema), schema);
}

FieldSet with_parents(const FieldSet& set, const Schema* schema) {
  std::vector<Node> nodes;
  nodes.reserve(set.nodes().size());
  for (const Node& node : set.nodes()) {
    const bool leads_on = schema != nullptr && node.element.is_field() && !node.below.empty() &&
                          schema->declares(node.element.field_name());
    nodes.push_back({node.element, node.belongs || leads_on,
                     with_parents(node.below, schema_below(node.element, schema))});
  }
  return FieldSet(std::move(nodes));
}

FieldSet fitted_to(const FieldSet& set, const Schema* schema) {
  std::vector<Node> nodes;
  nodes.reserve(set.nodes().size());
  for (const Node& node : set.nodes()) {
    const Schema* below = schema_below(node.element, schema);
    if (is_one_field(below) || below == nullptr) {
      const bool whole = is_one_field(below);
      nodes.push_back({node.element, node.belongs || whole, whole ? FieldSet() : node.below});
    } else {
      nodes.push_back({node.element, node.belongs, fitted_to(node.below, below)});
    }
  }
  return FieldSet(std::move(nodes));
}

std::vector<std::string> check_fields(const Json& value, const Schema* schema) {
  std::vector<std::string> problems;
  FieldChecker(problems).check(value, schema, "", false);
  return problems;
}

}  // namespace trainyard
