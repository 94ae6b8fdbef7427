#include "object/apply/field_shape.h"
#include "object/patch/patch.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <optional>

namespace trainyard {
namespace {

constexpr std::string_view kDirective = "$patch";
constexpr std::string_view kRetainKeys = "$retainKeys";
constexpr std::string_view kDeleteFromList = "$deleteFromPrimitiveList";
constexpr std::string_view kElementOrder = "$setElementOrder";

Error wrong_patch(std::string message) {
  return Error(Code::kBadRequest, std::move(message));
}

void remove_member(JsonObject& object, std::string_view name) {
  // stable_erase: plain erase() moves the last member into the hole, and order is shown to users.
  if (const auto found = object.find(name); found != object.end()) object.stable_erase(found);
}

enum class Directive : std::uint8_t { kNone, kDelete, kReplace, kMerge };

/// What `$patch` says.
Result<Directive> directive_of(const JsonObject& patch) {
  const Json* directive = patch.if_contains(kDirective);
  if (directive == nullptr) return Directive::kNone;
  if (*directive == "delete") return Directive::kDelete;
  if (*directive == "replace") return Directive::kReplace;
  if (*directive == "merge") return Directive::kMerge;
  return wrong_patch(
      fmt::format("unknown patch type: {} in map: {}", to_text(*directive), to_text(patch)));
}

/// "x" of `$setElementOrder/x`; nothing when the name is not of this directive.
Result<std::string_view> list_named_by(std::string_view name, std::string_view directive) {
  if (!name.starts_with(directive)) return std::string_view();
  const std::string_view list = name.substr(directive.size());
  if (list.size() > 1 && list[0] == '/') return list.substr(1);
  return wrong_patch(fmt::format("\"{}\" must name a list: {}/NAME", name, directive));
}

/// What tells an element from others: its key's value or, without a key, its own.
std::optional<PathElement> identity_in(const Json& element, const std::string& key) {
  if (key.empty()) return PathElement::value(element);
  const Json* id = element.is_object() ? element.get_object().if_contains(key) : nullptr;
  return id == nullptr ? std::nullopt : std::optional(PathElement::value(*id));
}

/// Where the elements of a list are; of several with one identity, the first.
class Places {
 public:
  static constexpr std::size_t kNowhere = std::numeric_limits<std::size_t>::max();

  explicit Places(const std::string& key) : key_(key) {}
  Places(const JsonArray& list, const std::string& key) : key_(key) {
    for (std::size_t i = 0; i < list.size(); ++i) add(list[i], i);
  }

  /// False when there is one with this identity already.
  bool add(const Json& element, std::size_t place) {
    auto id = identity_in(element, key_);
    return id && places_.emplace(*std::move(id), place).second;
  }
  std::size_t of(const Json& element) const {
    const auto id = identity_in(element, key_);
    const auto found = id ? places_.find(*id) : places_.end();
    return found == places_.end() ? kNowhere : found->second;
  }
  bool have(const Json& element) const { return of(element) != kNowhere; }

 private:
  std::string key_;
  std::map<PathElement, std::size_t> places_;
};

/// Brings what `order` names into its order. The rest keeps the order that it had in `before`, and
/// its place relative to what was there then; what is new comes first.
JsonArray put_in_order(JsonArray list, const JsonArray& order, const JsonArray& before,
                       const std::string& key) {
  const Places wanted(order, key);
  const Places old(before, key);
  std::vector<std::pair<std::size_t, Json*>> named;
  std::vector<Json*> rest;
  for (Json& element : list) {
    const std::size_t place = wanted.of(element);
    if (place != Places::kNowhere) {
      named.emplace_back(place, &element);
    } else {
      rest.push_back(&element);
    }
  }
  std::sort(named.begin(), named.end());
  JsonArray sorted;
  sorted.reserve(list.size());
  auto next = rest.begin();
  for (const auto& [place, element] : named) {
    const std::size_t old_place = old.of(*element);
    while (next != rest.end() && old_place != Places::kNowhere && old.of(**next) < old_place) {
      sorted.push_back(std::move(**next++));
    }
    sorted.push_back(std::move(*element));
  }
  for (; next != rest.end(); ++next) sorted.push_back(std::move(**next));
  return sorted;
}

Result<> merge_object(JsonObject& target, const JsonObject& patch, const Schema* schema);

Error without_key(const Json& element, const std::string& key) {
  return wrong_patch(
      fmt::format("map: {} does not contain declared merge key: {}", to_text(element), key));
}

/// Removes from the list what the patch says and returns the elements that are to be merged in.
Result<std::vector<const Json*>> obey_element_directives(JsonArray& list, const JsonArray& patch,
                                                         const std::string& key) {
  std::vector<const Json*> rest;
  Places deleted(key);
  bool replaces = false;  // anywhere in the list, for all of it
  for (const Json& element : patch) {
    if (!element.is_object()) return without_key(element, key);
    TRY(const Directive directive, directive_of(element.get_object()));
    replaces = replaces || directive == Directive::kReplace;
    if (directive == Directive::kReplace) continue;
    if (!element.get_object().contains(key)) return without_key(element, key);
    if (directive == Directive::kDelete) {
      deleted.add(element, 0);
    } else {
      rest.push_back(&element);
    }
  }
  JsonArray kept;
  for (Json& element : list) {
    if (!replaces && !deleted.have(element)) kept.push_back(std::move(element));
  }
  list = std::move(kept);
  return rest;
}

Result<JsonArray> merge_keyed_list(const JsonArray& before, const JsonArray& patch,
                                   const Schema& schema) {
  const std::string& key = schema.merge_key();
  JsonArray list = before;
  TRY(const std::vector<const Json*> rest, obey_element_directives(list, patch, key));
  Places places(list, key);
  JsonArray order;
  for (const Json* element : rest) {
    if (places.add(*element, list.size())) list.emplace_back(JsonObject());
    Json& merged = list[places.of(*element)];
    TRY_OK(merge_object(merged.get_object(), element->get_object(), schema.items()));
    order.push_back({{key, element->get_object().at(key)}});
  }
  return put_in_order(std::move(list), order, before, key);
}

JsonArray merge_plain_list(const JsonArray& before, const JsonArray& patch) {
  const std::string by_value;
  Places seen(by_value);
  JsonArray list;
  for (const JsonArray* values : {&before, &patch}) {
    for (const Json& value : *values) {
      if (seen.add(value, 0)) list.push_back(value);
    }
  }
  return put_in_order(std::move(list), patch, before, by_value);
}

bool is_keyed(const Schema* schema) {
  return schema != nullptr && !schema->merge_key().empty() && schema->items() != nullptr;
}

Result<JsonArray> merge_list(const JsonArray& before, const JsonArray& patch,
                             const Schema* schema) {
  if (is_keyed(schema)) return merge_keyed_list(before, patch, *schema);
  if (schema != nullptr && schema->merges_values()) return merge_plain_list(before, patch);
  return patch;
}

/// What a list patches must stand in the order that `$setElementOrder` asks for.
Result<> check_order(const JsonArray& patch, const JsonArray& order, const std::string& key) {
  if (!key.empty()) {
    for (const Json& element : order) {
      if (!element.is_object() || !element.get_object().contains(key)) {
        return without_key(element, key);
      }
    }
  }
  if (order.empty()) return Ok();
  const Places places(order, key);
  std::size_t least = 0;
  for (const Json& element : patch) {
    if (element.is_object() && element.get_object().contains(kDirective)) continue;
    const std::size_t place = places.of(element);
    if (place < least || place == Places::kNowhere) {
      return wrong_patch(fmt::format("The order in patch list: {} doesn't match {} list: {}",
                                     to_text(patch), kElementOrder, to_text(order)));
    }
    least = place + 1;
  }
  return Ok();
}

/// `$setElementOrder/x`, together with the patch of x.
Result<> merge_ordered_list(JsonObject& target, const JsonObject& patch, std::string_view list,
                            const Json& order, const Schema* schema) {
  if (!order.is_array()) return wrong_patch("invalid patch format of setElementOrder list");
  const Json* changes = patch.if_contains(list);
  if (changes != nullptr && !changes->is_array()) {
    return wrong_patch("invalid patch format of setElementOrder list");
  }
  static const JsonArray kNothing;
  const Json* current = target.if_contains(list);
  const bool exists = current != nullptr && current->is_array();
  if (!exists && changes == nullptr) return Ok();
  const std::string key = is_keyed(schema) ? schema->merge_key() : "";
  const JsonArray& patched = changes == nullptr ? kNothing : changes->get_array();
  TRY_OK(check_order(patched, order.get_array(), key));
  const JsonArray before = exists ? current->get_array() : kNothing;
  JsonArray merged = before;
  if (changes != nullptr) {
    TRY(merged, merge_list(before, patched, schema));
  }
  target[list] = put_in_order(std::move(merged), order.get_array(), before, key);
  return Ok();
}

/// `$deleteFromPrimitiveList/finalizers: [a]`.
Result<> delete_from_list(JsonObject& target, std::string_view list, const Json& values) {
  if (!values.is_array()) return wrong_patch("invalid patch format of primitive list");
  Json* found = target.if_contains(list);
  if (found == nullptr || !found->is_array()) return Ok();
  const std::string by_value;
  const Places gone(values.get_array(), by_value);
  JsonArray kept;
  for (Json& element : found->get_array()) {
    if (!gone.have(element)) kept.push_back(std::move(element));
  }
  *found = std::move(kept);
  return Ok();
}

/// `$retainKeys: [a]`: every other field of the object goes, and the patch may set no other.
Result<> retain_keys(JsonObject& target, const JsonObject& patch, const Json& kept) {
  if (!kept.is_array()) return wrong_patch("invalid patch format of retainKeys");
  const Places names(kept.get_array(), "");
  const auto is_kept = [&](std::string_view name) { return names.have(Json(name)); };
  for (const auto& member : patch) {
    const std::string_view name = key_of_member(member);
    const bool sets = !member.value().is_null() && name != kRetainKeys && name != kDirective &&
                      !name.starts_with(kDeleteFromList) && !name.starts_with(kElementOrder);
    if (sets && !is_kept(name)) {
      return wrong_patch(
          fmt::format("invalid patch format of retainKeys: \"{}\" is set and not retained", name));
    }
  }
  JsonObject rest;
  for (auto& member : target) {
    if (is_kept(key_of_member(member))) rest.emplace(member.key(), std::move(member.value()));
  }
  target = std::move(rest);
  return Ok();
}

Result<> merge_member(JsonObject& target, std::string_view name, const Json& value,
                      const Schema* schema) {
  if (value.is_null()) {
    remove_member(target, name);
    return Ok();
  }
  Json* current = target.if_contains(name);
  if (value.is_object()) {
    TRY(const Directive directive, directive_of(value.get_object()));
    const bool exists = current != nullptr && current->is_object();
    if (!exists && directive == Directive::kDelete) {
      remove_member(target, name);
      return Ok();
    }
    Json merged = exists ? std::move(*current) : Json(JsonObject());
    TRY_OK(merge_object(merged.get_object(), value.get_object(), schema));
    target[name] = std::move(merged);
  } else if (value.is_array()) {
    const bool exists = current != nullptr && current->is_array();
    TRY(target[name],
        merge_list(exists ? current->get_array() : JsonArray(), value.get_array(), schema));
  } else {
    target[name] = value;
  }
  return Ok();
}

Result<> merge_members(JsonObject& target, const JsonObject& patch, const Schema* schema) {
  for (const auto& member : patch) {
    TRY(const std::string_view list, list_named_by(key_of_member(member), kElementOrder));
    if (list.empty()) continue;
    TRY_OK(merge_ordered_list(target, patch, list, member.value(), schema_of_member(schema, list)));
  }
  for (const auto& member : patch) {
    const std::string_view name = key_of_member(member);
    TRY(const std::string_view shortened, list_named_by(name, kDeleteFromList));
    if (!shortened.empty()) {
      TRY_OK(delete_from_list(target, shortened, member.value()));
      continue;
    }
    const bool is_directive = name == kDirective || name == kRetainKeys ||
                              name.starts_with(kElementOrder) ||
                              patch.contains(fmt::format("{}/{}", kElementOrder, name));
    if (is_directive) continue;  // obeyed already
    TRY_OK(merge_member(target, name, member.value(), schema_of_member(schema, name)));
  }
  return Ok();
}

Result<> merge_object(JsonObject& target, const JsonObject& patch, const Schema* schema) {
  TRY(const Directive directive, directive_of(patch));
  if (directive == Directive::kDelete || directive == Directive::kReplace) target.clear();
  if (directive == Directive::kDelete) return Ok();
  if (const Json* kept = patch.if_contains(kRetainKeys)) {
    TRY_OK(retain_keys(target, patch, *kept));
  }
  return merge_members(target, patch, schema);
}

}  // namespace

Result<> apply_strategic_patch(Json& target, const Json& patch, const Schema& schema) {
  if (!patch.is_object()) return wrong_patch("a strategic merge patch must be an object");
  if (!target.is_object()) target.emplace_object();
  return merge_object(target.get_object(), patch.get_object(), &schema);
}

}  // namespace trainyard
