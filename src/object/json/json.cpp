#include "object/json/json.h"

#include <algorithm>

namespace trainyard {
namespace {

/// Splits off the first step of a dotted path.
std::string_view next_step(std::string_view& path) {
  const std::size_t dot = path.find('.');
  const std::string_view step = path.substr(0, dot);
  path = dot == std::string_view::npos ? std::string_view() : path.substr(dot + 1);
  return step;
}

bool same_members(const JsonObject& left, const JsonObject& right) {
  if (left.size() != right.size()) return false;
  auto beside = right.begin();
  for (const auto& member : left) {
    const bool in_order = beside->key() == member.key();
    const Json* other = in_order ? &beside->value() : right.if_contains(member.key());
    if (other == nullptr || !same_json(member.value(), *other)) return false;
    ++beside;
  }
  return true;
}

}  // namespace

bool same_json(const Json& left, const Json& right) {
  if (left.is_object() && right.is_object()) {
    return same_members(left.get_object(), right.get_object());
  }
  if (left.is_array() && right.is_array()) {
    const JsonArray& one = left.get_array();
    const JsonArray& other = right.get_array();
    return std::equal(one.begin(), one.end(), other.begin(), other.end(), same_json);
  }
  return left == right;
}

const Json* find(const Json& root, std::string_view path) {
  const Json* here = &root;
  while (!path.empty() && here != nullptr) {
    const std::string_view step = next_step(path);
    here = here->is_object() ? here->get_object().if_contains(step) : nullptr;
  }
  return here;
}

Json* find(Json& root, std::string_view path) {
  return const_cast<Json*>(find(static_cast<const Json&>(root), path));
}

JsonArray* find_array(Json& root, std::string_view dotted_path) {
  Json* found = find(root, dotted_path);
  return found == nullptr ? nullptr : found->if_array();
}

std::string_view string_at(const Json& root, std::string_view path, std::string_view fallback) {
  const Json* value = find(root, path);
  if (value == nullptr || !value->is_string()) return fallback;
  return {value->get_string().data(), value->get_string().size()};
}

std::int64_t int_at(const Json& root, std::string_view path, std::int64_t fallback) {
  const Json* value = find(root, path);
  return value != nullptr && value->is_int64() ? value->get_int64() : fallback;
}

bool bool_at(const Json& root, std::string_view path, bool fallback) {
  const Json* value = find(root, path);
  return value != nullptr && value->is_bool() ? value->get_bool() : fallback;
}

const JsonObject& object_at(const Json& root, std::string_view path) {
  static const JsonObject kEmpty;
  const Json* value = find(root, path);
  return value != nullptr && value->is_object() ? value->get_object() : kEmpty;
}

const JsonArray& array_at(const Json& root, std::string_view path) {
  static const JsonArray kEmpty;
  const Json* value = find(root, path);
  return value != nullptr && value->is_array() ? value->get_array() : kEmpty;
}

std::vector<std::string> texts_at(const Json& root, std::string_view path) {
  std::vector<std::string> texts;
  for (const Json& text : array_at(root, path)) {
    if (text.is_string()) texts.push_back(to_string(text.get_string()));
  }
  return texts;
}

Json& make_path(Json& root, std::string_view path) {
  Json* here = &root;
  while (!path.empty()) {
    if (!here->is_object()) here->emplace_object();
    here = &here->get_object()[next_step(path)];
  }
  return *here;
}

std::string to_string(const JsonString& text) {
  return {text.data(), text.size()};
}

}  // namespace trainyard
