#include "object/apply/field_shape.h"
#include "object/apply/fields.h"

#include <map>
#include <optional>
#include <set>

namespace trainyard {
namespace {

using Kind = Shape::Kind;

bool is_hollow(const Json& value) {
  if (value.is_object()) return value.get_object().empty();
  return !value.is_array() || value.get_array().empty();
}

Json merge_maps(const JsonObject& live, const JsonObject& configuration, const Schema* schema) {
  JsonObject merged = live;
  for (const auto& member : configuration) {
    Json* same = merged.if_contains(member.key());
    if (same == nullptr) {
      merged.emplace(member.key(), member.value());
    } else {
      *same = merge_fields(*same, member.value(), schema_of_member(schema, key_of_member(member)));
    }
  }
  return merged;
}

/// Merges two lists whose elements are told apart. Elements that only the live list has keep their
/// place among those that both have; what both have and what is new follows the configuration.
class ListMerge {
 public:
  ListMerge(const JsonArray& live, const Shape& live_shape, const JsonArray& wanted,
            const Shape& wanted_shape, const Schema* schema)
      : live_(live),
        live_ids_(live_shape.elements),
        wanted_(wanted),
        wanted_ids_(wanted_shape.elements),
        items_(schema_of_elements(schema)) {
    for (std::size_t i = 0; i < live_ids_.size(); ++i) {
      const auto [at, is_new] = live_by_id_.emplace(live_ids_[i], &live_[i]);
      if (!is_new) at->second = nullptr;  // which of them is meant is not known
    }
    for (const PathElement& id : wanted_ids_) {
      wanted_set_.insert(id);
      if (live_by_id_.contains(id)) shared_.push_back(&id);
    }
  }

  JsonArray run() {
    while (l_ < live_ids_.size() || w_ < wanted_ids_.size()) step();
    return std::move(merged_);
  }

 private:
  void step() {
    if (l_ < live_ids_.size()) {
      const PathElement& id = live_ids_[l_];
      if (!wanted_set_.contains(id)) {
        merged_.push_back(live_[l_++]);
        return;
      }
      const bool both_left = w_ < wanted_ids_.size();
      const bool its_turn = both_left && id == wanted_ids_[w_];
      if (both_left && !its_turn && has_shared() && *shared_[next_shared_] != id) {
        ++l_;  // shared, and merged where the configuration has it
        return;
      }
      if (its_turn || done_.contains(id)) ++l_;
    }
    if (w_ < wanted_ids_.size()) take_wanted();
  }

  bool has_shared() const { return next_shared_ < shared_.size(); }

  void take_wanted() {
    const PathElement& id = wanted_ids_[w_];
    const auto live = live_by_id_.find(id);
    const bool known = live != live_by_id_.end() && live->second != nullptr;
    merged_.push_back(known ? merge_fields(*live->second, wanted_[w_], items_) : wanted_[w_]);
    done_.insert(id);
    if (has_shared() && *shared_[next_shared_] == id) ++next_shared_;
    ++w_;
  }

  const JsonArray& live_;
  const std::vector<PathElement>& live_ids_;
  const JsonArray& wanted_;
  const std::vector<PathElement>& wanted_ids_;
  const Schema* items_;

  std::map<PathElement, const Json*> live_by_id_;
  std::set<PathElement> wanted_set_;
  std::vector<const PathElement*> shared_;  // what both have, as the configuration orders it
  std::size_t next_shared_ = 0;
  std::size_t l_ = 0;
  std::size_t w_ = 0;
  std::set<PathElement> done_;
  JsonArray merged_;
};

/// Removes fields from a value.
class Removal {
 public:
  explicit Removal(Emptied emptied) : emptied_(emptied) {}

  /// Nothing when the value has lost everything it had and is to be left out.
  std::optional<Json> run(const Json& value, const FieldSet& gone, const Schema* schema) const {
    const Shape shape = shape_of(&value, schema);
    if (gone.empty() || is_hollow(value)) return value;
    if (shape.kind == Kind::kMap) return from_map(value.get_object(), gone, schema);
    if (shape.kind == Kind::kList) return from_list(value.get_array(), shape, gone, schema);
    return value;
  }

 private:
  std::optional<Json> from_map(const JsonObject& map, const FieldSet& gone,
                               const Schema* schema) const {
    JsonObject kept;
    bool lost_all = emptied_ == Emptied::kLeaveOut;
    for (const auto& member : map) {
      const std::string_view name = key_of_member(member);
      const FieldSet::Node* node = gone.find(PathElement::field(name));
      if (node != nullptr && node->belongs) continue;
      lost_all = false;
      const Schema* inner = schema_of_member(schema, name);
      auto rest = rest_of(member.value(), node, inner);
      if (rest) {
        kept.emplace(member.key(), *std::move(rest));
      } else if (inner == nullptr || inner->nullable()) {
        // As kube-apiserver leaves it. Elsewhere it drops the null, as it does with all that
        // stand for nothing.
        kept.emplace(member.key(), nullptr);
      }
    }
    if (lost_all) return std::nullopt;
    return kept;
  }

  std::optional<Json> from_list(const JsonArray& list, const Shape& shape, const FieldSet& gone,
                                const Schema* schema) const {
    JsonArray kept;
    bool lost_all = emptied_ == Emptied::kLeaveOut;
    for (std::size_t i = 0; i < list.size(); ++i) {
      const FieldSet::Node* node = gone.find(shape.elements[i]);
      if (node != nullptr && node->belongs) continue;
      lost_all = false;
      auto rest = rest_of(list[i], node, schema_of_elements(schema));
      if (rest) kept.push_back(*std::move(rest));
    }
    if (lost_all) return std::nullopt;
    return kept;
  }

  std::optional<Json> rest_of(const Json& value, const FieldSet::Node* node,
                              const Schema* schema) const {
    return node == nullptr ? value : run(value, node->below, schema);
  }

  Emptied emptied_;
};

}  // namespace

Json merge_fields(const Json& live, const Json& configuration, const Schema* schema) {
  const Shape live_shape = shape_of(&live, schema);
  const Shape shape = shape_of(&configuration, schema);
  if (shape.kind == Kind::kNothing) {
    // null says nothing about what a map or list holds.
    const bool divided = live_shape.kind == Kind::kMap || live_shape.kind == Kind::kList;
    return divided && !is_hollow(live) ? live : configuration;
  }
  if (live_shape.kind != shape.kind) return configuration;
  if (shape.kind == Kind::kMap) {
    return merge_maps(live.get_object(), configuration.get_object(), schema);
  }
  if (shape.kind == Kind::kList) {
    return ListMerge(live.get_array(), live_shape, configuration.get_array(), shape, schema).run();
  }
  return configuration;
}

Json without_fields(const Json& value, const FieldSet& gone, const Schema* schema,
                    Emptied emptied) {
  auto rest = Removal(emptied).run(value, gone, schema);
  if (rest) return *std::move(rest);
  return value.is_array() ? Json(JsonArray()) : Json(JsonObject());
}

}  // namespace trainyard
