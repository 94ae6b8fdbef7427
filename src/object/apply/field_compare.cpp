#include "object/apply/field_shape.h"
#include "object/apply/fields.h"

#include <algorithm>
#include <map>

namespace trainyard {
namespace {

using Node = FieldSet::Node;
using Kind = Shape::Kind;

/// What happened to a value itself, and to what is below it.
struct ValueChanges {
  bool added = false;
  bool modified = false;
  bool removed = false;
  FieldChanges below;
};

ValueChanges compare_values(const Json* before, const Json* after, const Schema* schema);

/// Gathers the changes of one level; paths are made only for what did change.
class Level {
 public:
  template <class MakeElement>
  void note(ValueChanges changes, const MakeElement& make_element) {
    note(changes.added, std::move(changes.below.added), added_, make_element);
    note(changes.modified, std::move(changes.below.modified), modified_, make_element);
    note(changes.removed, std::move(changes.below.removed), removed_, make_element);
  }

  FieldChanges take() {
    return {FieldSet(std::move(added_)), FieldSet(std::move(modified_)),
            FieldSet(std::move(removed_))};
  }

 private:
  template <class MakeElement>
  static void note(bool itself, FieldSet below, std::vector<Node>& nodes,
                   const MakeElement& make_element) {
    if (itself || !below.empty()) nodes.push_back({make_element(), itself, std::move(below)});
  }

  std::vector<Node> added_;
  std::vector<Node> modified_;
  std::vector<Node> removed_;
};

FieldChanges compare_maps(const JsonObject* before, const JsonObject* after, const Schema* schema) {
  Level level;
  const auto compare = [&](std::string_view name, const Json* old_value, const Json* new_value) {
    level.note(compare_values(old_value, new_value, schema_of_member(schema, name)),
               [&] { return PathElement::field(name); });
  };
  if (after != nullptr) {
    for (const auto& member : *after) {
      const Json* old_value = before == nullptr ? nullptr : before->if_contains(member.key());
      compare(key_of_member(member), old_value, &member.value());
    }
  }
  if (before != nullptr) {
    for (const auto& member : *before) {
      if (after == nullptr || !after->contains(member.key())) {
        compare(key_of_member(member), &member.value(), nullptr);
      }
    }
  }
  return level.take();
}

/// The elements of both lists that bear one identity: usually at most one in each.
struct Namesakes {
  std::vector<const Json*> before;
  std::vector<const Json*> after;
};

bool are_same(const std::vector<const Json*>& a, const std::vector<const Json*>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const Json* one, const Json* other) { return is_same_value(*one, *other); });
}

/// Elements that share an identity are one field together; it comes and goes as a whole.
ValueChanges compare_namesakes(const Namesakes& namesakes, const Schema* items) {
  const auto& [before, after] = namesakes;
  const auto single = [](const std::vector<const Json*>& list) {
    return list.empty() ? nullptr : list.front();
  };
  if (before.size() <= 1 && after.size() <= 1) {
    return compare_values(single(before), single(after), items);
  }
  ValueChanges changes;
  if (before.size() > 1 && after.size() > 1) {
    changes.modified = !are_same(before, after);
  } else if (before.size() > 1) {
    if (!after.empty()) changes = compare_values(nullptr, after.front(), items);
    changes.removed = true;
  } else {
    if (!before.empty()) changes = compare_values(before.front(), nullptr, items);
    changes.added = true;
  }
  return changes;
}

FieldChanges compare_lists(const JsonArray* before, const Shape& shape_before,
                           const JsonArray* after, const Shape& shape_after, const Schema* schema) {
  std::map<PathElement, Namesakes> by_identity;
  for (std::size_t i = 0; i < shape_before.elements.size(); ++i) {
    by_identity[shape_before.elements[i]].before.push_back(&(*before)[i]);
  }
  for (std::size_t i = 0; i < shape_after.elements.size(); ++i) {
    by_identity[shape_after.elements[i]].after.push_back(&(*after)[i]);
  }
  Level level;
  for (const auto& entry : by_identity) {
    level.note(compare_namesakes(entry.second, schema_of_elements(schema)),
               [&] { return entry.first; });
  }
  return level.take();
}

void add_changes(FieldChanges& all, FieldChanges more) {
  all.added.add(std::move(more.added));
  all.modified.add(std::move(more.modified));
  all.removed.add(std::move(more.removed));
}

/// Compares two values, seeing of each only what has the shape in question.
class Comparison {
 public:
  Comparison(const Json* before, const Json* after, const Schema* schema)
      : before_(before),
        after_(after),
        schema_(schema),
        shape_before_(shape_of(before, schema)),
        shape_after_(shape_of(after, schema)) {}

  ValueChanges run() {
    const Kind kind = shape_before_.kind;
    const Kind other = shape_after_.kind;
    if (kind == other || other == Kind::kNothing) {
      compare_as(kind);
    } else if (kind == Kind::kNothing) {
      compare_as(other);
    } else {
      compare_as(kind);
      compare_as(other);
    }
    if (!is_leaf_) {
      changes_.added = changes_.added || before_ == nullptr;
      changes_.removed = changes_.removed || after_ == nullptr;
    }
    return std::move(changes_);
  }

 private:
  void compare_as(Kind kind) {
    const auto is_empty = [](const auto* container) {
      return container == nullptr || container->empty();
    };
    if (kind == Kind::kMap) {
      const JsonObject* before = before_ == nullptr ? nullptr : before_->if_object();
      const JsonObject* after = after_ == nullptr ? nullptr : after_->if_object();
      if (is_empty(before) && is_empty(after)) return compare_leaves();
      add_changes(changes_.below, compare_maps(before, after, schema_));
    } else if (kind == Kind::kList) {
      const JsonArray* before = before_ == nullptr ? nullptr : before_->if_array();
      const JsonArray* after = after_ == nullptr ? nullptr : after_->if_array();
      if (is_empty(before) && is_empty(after)) return compare_leaves();
      add_changes(changes_.below,
                  compare_lists(before, shape_before_, after, shape_after_, schema_));
    } else {
      compare_leaves();
    }
  }

  void compare_leaves() {
    is_leaf_ = true;
    if (before_ == nullptr) {
      changes_.added = true;
    } else if (after_ == nullptr) {
      changes_.removed = true;
    } else if (!is_same_value(*before_, *after_)) {
      changes_.modified = true;
    }
  }

  const Json* before_;
  const Json* after_;
  const Schema* schema_;
  Shape shape_before_;
  Shape shape_after_;
  bool is_leaf_ = false;
  ValueChanges changes_;
};

ValueChanges compare_values(const Json* before, const Json* after, const Schema* schema) {
  // Most lists do not change, and looking is cheaper than naming their elements.
  const bool lists = before != nullptr && after != nullptr && before->is_array();
  if (lists && is_same_value(*before, *after)) return {};
  return Comparison(before, after, schema).run();
}

}  // namespace

FieldChanges compare_fields(const Json& before, const Json& after, const Schema* schema) {
  return compare_values(&before, &after, schema).below;
}

}  // namespace trainyard
