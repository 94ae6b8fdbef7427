#include "object/patch.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace trainyard {
namespace {

constexpr std::string_view kDeleteFromList = "$deleteFromPrimitiveList/";
constexpr std::string_view kElementOrder = "$setElementOrder/";

// Kubernetes' limits: a short JSON patch could otherwise double an object a thousand times.
constexpr std::size_t kMostOperations = 10'000;
constexpr std::size_t kMostCopied = 3 << 20;

bool is_deeper_than(const Json& value, std::size_t depth) {
  if (!value.is_structured()) return false;
  if (depth == 0) return true;
  if (value.is_array()) {
    const JsonArray& array = value.get_array();
    return std::any_of(array.begin(), array.end(),
                       [&](const Json& element) { return is_deeper_than(element, depth - 1); });
  }
  const JsonObject& object = value.get_object();
  return std::any_of(object.begin(), object.end(),
                     [&](const auto& member) { return is_deeper_than(member.value(), depth - 1); });
}

void remove_member(JsonObject& object, std::string_view name) {
  // stable_erase: plain erase() moves the last member into the hole, and order is shown to users.
  if (const auto found = object.find(name); found != object.end()) object.stable_erase(found);
}

Error wrong_patch(std::string message) {
  return Error(Code::kBadRequest, std::move(message));
}

/// What `$patch` says: delete, replace or nothing.
Result<std::string_view> directive_of(const Json& patch) {
  const Json* directive = find(patch, "$patch");
  if (directive == nullptr) return std::string_view();
  const std::string_view word = string_at(patch, "$patch");
  if (word == "delete" || word == "replace") return word;
  return wrong_patch(
      fmt::format("$patch is {}, and can only be delete or replace", to_text(*directive)));
}

Result<> merge_keyed_list(JsonArray& target, const JsonArray& patch, const Schema& schema) {
  const std::string& key = schema.merge_key();
  // A list may say anywhere that it replaces the old one.
  for (const Json& element : patch) {
    TRY(const std::string_view directive, directive_of(element));
    if (directive == "replace") target.clear();
  }
  for (const Json& element : patch) {
    const Json* id = element.is_object() ? element.get_object().if_contains(key) : nullptr;
    if (string_at(element, "$patch") == "replace") continue;
    if (id == nullptr) {
      return wrong_patch(
          fmt::format("an element of the patched list has no '{}', which tells "
                      "the elements apart: {}",
                      key, to_text(element)));
    }
    const auto same = std::find_if(target.begin(), target.end(), [&](const Json& existing) {
      const Json* other = find(existing, key);
      return other != nullptr && *other == *id;
    });
    if (string_at(element, "$patch") == "delete") {
      if (same != target.end()) target.erase(same);
    } else if (same == target.end()) {
      Json added(JsonObject{});
      TRY_OK(apply_strategic_patch(added, element, *schema.items()));
      target.push_back(std::move(added));
    } else {
      TRY_OK(apply_strategic_patch(*same, element, *schema.items()));
    }
  }
  return Ok();
}

void merge_plain_list(JsonArray& target, const JsonArray& patch) {
  for (const Json& element : patch) {
    if (std::find(target.begin(), target.end(), element) == target.end()) {
      target.push_back(element);
    }
  }
}

Result<> merge_list(Json& target, const Json& patch, const Schema* schema) {
  const bool keyed =
      schema != nullptr && !schema->merge_key().empty() && schema->items() != nullptr;
  const bool plain = schema != nullptr && schema->merges_values();
  if (!keyed && !plain) {
    target = patch;
    return Ok();
  }
  if (!target.is_array()) target.emplace_array();
  if (keyed) return merge_keyed_list(target.get_array(), patch.get_array(), *schema);
  merge_plain_list(target.get_array(), patch.get_array());
  return Ok();
}

/// `$deleteFromPrimitiveList/finalizers: [a]`.
void delete_from_list(JsonObject& target, std::string_view list, const Json& values) {
  Json* found = target.if_contains(list);
  if (found == nullptr || !found->is_array() || !values.is_array()) return;
  JsonArray kept;
  for (const Json& element : found->get_array()) {
    const JsonArray& gone = values.get_array();
    if (std::find(gone.begin(), gone.end(), element) == gone.end()) kept.push_back(element);
  }
  *found = std::move(kept);
}

/// `$retainKeys: [a]`: every other field of the object goes.
void retain_keys(JsonObject& target, const JsonArray& kept) {
  for (std::size_t i = 0; i < target.size();) {
    const auto member = target.begin() + static_cast<std::ptrdiff_t>(i);
    if (std::find(kept.begin(), kept.end(), Json(member->key())) == kept.end()) {
      target.stable_erase(member);
    } else {
      ++i;
    }
  }
}

/// The steps of a JSON pointer, unescaped.
Result<std::vector<std::string>> pointer_steps(std::string_view pointer) {
  std::vector<std::string> steps;
  if (pointer.empty()) return steps;
  if (pointer[0] != '/') return wrong_patch(fmt::format("path '{}' must begin with /", pointer));
  std::string step;
  for (std::size_t i = 1; i <= pointer.size(); ++i) {
    if (i == pointer.size() || pointer[i] == '/') {
      steps.push_back(std::move(step));
      step.clear();
    } else if (pointer[i] == '~' && i + 1 < pointer.size() && pointer[i + 1] == '0') {
      step += '~';
      ++i;
    } else if (pointer[i] == '~' && i + 1 < pointer.size() && pointer[i + 1] == '1') {
      step += '/';
      ++i;
    } else {
      step += pointer[i];
    }
  }
  return steps;
}

Result<std::size_t> array_index(const JsonArray& array, const std::string& step, bool may_append) {
  if (may_append && step == "-") return array.size();
  std::size_t index = 0;
  const auto [end, problem] = std::from_chars(step.data(), step.data() + step.size(), index);
  const std::size_t limit = array.size() + (may_append ? 1 : 0);
  const bool padded = step.size() > 1 && step[0] == '0';
  if (problem != std::errc() || end != step.data() + step.size() || index >= limit || padded) {
    return wrong_patch(fmt::format("'{}' is not an index of a list of {}", step, array.size()));
  }
  return index;
}

Error nothing_at(const std::vector<std::string>& steps) {
  return wrong_patch(fmt::format("there is nothing at /{}", fmt::join(steps, "/")));
}

/// The container that holds the last step of a path.
Result<Json*> parent_of(Json& root, const std::vector<std::string>& steps) {
  Json* here = &root;
  for (std::size_t i = 0; i + 1 < steps.size(); ++i) {
    if (here->is_object()) {
      here = here->get_object().if_contains(steps[i]);
    } else if (here->is_array()) {
      TRY(const std::size_t index, array_index(here->get_array(), steps[i], false));
      here = &here->get_array()[index];
    } else {
      here = nullptr;
    }
    if (here == nullptr) return nothing_at(steps);
  }
  return here;
}

Result<Json*> value_at(Json& root, const std::vector<std::string>& steps) {
  if (steps.empty()) return &root;
  TRY(Json * parent, parent_of(root, steps));
  if (parent->is_array()) {
    TRY(const std::size_t index, array_index(parent->get_array(), steps.back(), false));
    return &parent->get_array()[index];
  }
  Json* found = parent->is_object() ? parent->get_object().if_contains(steps.back()) : nullptr;
  if (found == nullptr) return nothing_at(steps);
  return found;
}

Result<> put_at(Json& root, const std::vector<std::string>& steps, Json value) {
  if (steps.empty()) {
    root = std::move(value);
    return Ok();
  }
  TRY(Json * parent, parent_of(root, steps));
  if (parent->is_array()) {
    TRY(const std::size_t index, array_index(parent->get_array(), steps.back(), true));
    parent->get_array().insert(parent->get_array().begin() + index, std::move(value));
    return Ok();
  }
  if (!parent->is_object()) return wrong_patch("the path leads into a plain value");
  parent->get_object()[steps.back()] = std::move(value);
  return Ok();
}

Result<> remove_at(Json& root, const std::vector<std::string>& steps) {
  if (steps.empty()) return wrong_patch("the whole object cannot be removed");
  TRY_OK(value_at(root, steps));
  TRY(Json * parent, parent_of(root, steps));
  if (parent->is_array()) {
    TRY(const std::size_t index, array_index(parent->get_array(), steps.back(), false));
    parent->get_array().erase(parent->get_array().begin() + index);
  } else {
    remove_member(parent->get_object(), steps.back());
  }
  return Ok();
}

/// The pointer in the member `path` or `from` of an operation.
Result<std::vector<std::string>> pointer_of(const Json& operation, std::string_view member) {
  const Json* pointer = find(operation, member);
  if (pointer == nullptr || !pointer->is_string()) {
    return wrong_patch(fmt::format("an operation needs a '{}': {}", member, to_text(operation)));
  }
  return pointer_steps(string_at(operation, member));
}

/// `copied` counts the bytes that copies have made so far.
Result<> apply_operation(Json& target, const Json& operation, std::size_t& copied) {
  const std::string_view name = string_at(operation, "op");
  TRY(const std::vector<std::string> path, pointer_of(operation, "path"));
  const Json* value = find(operation, "value");
  const bool needs_value = name == "add" || name == "replace" || name == "test";
  if (needs_value && value == nullptr) {
    return wrong_patch(fmt::format("the operation '{}' needs a value", name));
  }
  if (name == "add") return put_at(target, path, *value);
  if (name == "remove") return remove_at(target, path);
  if (name == "replace") {
    TRY(Json * found, value_at(target, path));
    *found = *value;
    return Ok();
  }
  if (name == "test") {
    TRY(const Json* found, value_at(target, path));
    if (*found == *value) return Ok();
    return Error(Code::kInvalid,
                 fmt::format("the patch's test failed: {} is {}, not {}",
                             string_at(operation, "path"), to_text(*found), to_text(*value)));
  }
  if (name == "copy") {
    TRY(const std::vector<std::string> from, pointer_of(operation, "from"));
    TRY(const Json* found, value_at(target, from));
    copied += to_text(*found).size();
    if (copied > kMostCopied) {
      return Error(Code::kTooLarge, "the patch's copies add up to more than an object may hold");
    }
    return put_at(target, path, *found);
  }
  if (name == "move") {
    TRY(const std::vector<std::string> from, pointer_of(operation, "from"));
    TRY(Json * found, value_at(target, from));
    Json moved = std::move(*found);
    TRY_OK(remove_at(target, from));
    return put_at(target, path, std::move(moved));
  }
  return wrong_patch(fmt::format(
      "the operation '{}' is not known: use add, remove, replace, test, copy or move", name));
}

}  // namespace

void apply_merge_patch(Json& target, const Json& patch) {
  if (!patch.is_object()) {
    target = patch;
    return;
  }
  if (!target.is_object()) target.emplace_object();
  for (const auto& member : patch.get_object()) {
    if (member.value().is_null()) {
      remove_member(target.get_object(), member.key());
    } else {
      apply_merge_patch(target.get_object()[member.key()], member.value());
    }
  }
}

Result<> apply_strategic_patch(Json& target, const Json& patch, const Schema& schema) {
  if (!patch.is_object()) {
    target = patch;
    return Ok();
  }
  TRY(const std::string_view directive, directive_of(patch));
  if (!directive.empty() || !target.is_object()) target.emplace_object();
  if (directive == "delete") return Ok();
  JsonObject& object = target.get_object();
  if (const Json* kept = patch.get_object().if_contains("$retainKeys")) {
    if (!kept->is_array()) return wrong_patch("$retainKeys must be a list of names");
    retain_keys(object, kept->get_array());
  }
  for (const auto& member : patch.get_object()) {
    const std::string_view name(member.key().data(), member.key().size());
    const Json& value = member.value();
    if (name == "$patch" || name == "$retainKeys" || name.starts_with(kElementOrder)) continue;
    if (name.starts_with(kDeleteFromList)) {
      delete_from_list(object, name.substr(kDeleteFromList.size()), value);
      continue;
    }
    if (value.is_null()) {
      remove_member(object, name);
      continue;
    }
    const Schema* child = schema.property(name);
    if (value.is_array()) {
      TRY_OK(merge_list(object[name], value, child));
    } else if (value.is_object() && child != nullptr) {
      TRY_OK(apply_strategic_patch(object[name], value, *child));
    } else {
      apply_merge_patch(object[name], value);
    }
  }
  return Ok();
}

Result<> apply_json_patch(Json& target, const Json& patch) {
  if (!patch.is_array()) return wrong_patch("a JSON patch is a list of operations");
  if (patch.get_array().size() > kMostOperations) {
    return Error(Code::kTooLarge, fmt::format("a JSON patch may have at most {} operations, not {}",
                                              kMostOperations, patch.get_array().size()));
  }
  std::size_t copied = 0;
  for (const Json& operation : patch.get_array()) {
    TRY_OK(apply_operation(target, operation, copied));
  }
  if (is_deeper_than(target, kMaxDepth)) {
    return wrong_patch(fmt::format("the patch nests more than {} levels deep", kMaxDepth));
  }
  return Ok();
}

}  // namespace trainyard
