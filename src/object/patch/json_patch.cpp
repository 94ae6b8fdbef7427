#include "object/apply/fields.h"
#include "object/patch/patch.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace trainyard {
namespace {

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

Error wrong_patch(std::string message) {
  return Error(Code::kBadRequest, std::move(message));
}

Error does_not_fit(std::string message) {
  return Error(Code::kInvalid, std::move(message));
}

/// A JSON pointer (RFC 6901).
struct Pointer {
  std::string text;
  std::vector<std::string> steps;

  /// The first steps, as a pointer again: for messages.
  std::string upto(std::size_t count) const {
    std::size_t end = 0;
    for (std::size_t i = 0; i < count; ++i) end = text.find('/', end + 1);
    return text.substr(0, end);
  }
  bool leads_into(const Pointer& other) const {
    return other.steps.size() > steps.size() &&
           std::equal(steps.begin(), steps.end(), other.steps.begin());
  }
};

Result<Pointer> parse_pointer(std::string_view text) {
  Pointer pointer{std::string(text), {}};
  if (text.empty()) return pointer;
  if (text[0] != '/') return wrong_patch(fmt::format("path \"{}\" must begin with /", text));
  std::string step;
  for (std::size_t i = 1; i <= text.size(); ++i) {
    if (i == text.size() || text[i] == '/') {
      pointer.steps.push_back(std::move(step));
      step.clear();
    } else if (text[i] != '~') {
      step += text[i];
    } else if (i + 1 < text.size() && (text[i + 1] == '0' || text[i + 1] == '1')) {
      step += text[++i] == '0' ? '~' : '/';
    } else {
      return wrong_patch(fmt::format("path \"{}\" has a ~ that is neither ~0 nor ~1", text));
    }
  }
  return pointer;
}

/// `limit`: the first index that is too large.
Result<std::size_t> parse_index(const std::string& step, std::size_t limit, const JsonArray& array,
                                const std::string& list) {
  std::size_t index = 0;
  const auto [end, problem] = std::from_chars(step.data(), step.data() + step.size(), index);
  const bool is_number = problem != std::errc::invalid_argument && end == step.data() + step.size();
  if (!is_number || (step.size() > 1 && step[0] == '0')) {
    return does_not_fit(fmt::format("\"{}\" is not an index, and \"{}\" is a list", step, list));
  }
  if (problem == std::errc::result_out_of_range || index >= limit) {
    return does_not_fit(fmt::format("index {} is out of range: the list at \"{}\" has {} elements",
                                    step, list, array.size()));
  }
  return index;
}

/// What is at the first `count` steps of a pointer.
Result<Json*> value_at(Json& root, const Pointer& pointer, std::size_t count) {
  Json* here = &root;
  for (std::size_t i = 0; i < count; ++i) {
    if (JsonArray* array = here->if_array()) {
      TRY(const std::size_t index,
          parse_index(pointer.steps[i], array->size(), *array, pointer.upto(i)));
      here = &(*array)[index];
    } else if (JsonObject* object = here->if_object()) {
      here = object->if_contains(pointer.steps[i]);
    } else {
      here = nullptr;
    }
    if (here == nullptr) {
      return does_not_fit(fmt::format("there is nothing at \"{}\"", pointer.upto(i + 1)));
    }
  }
  return here;
}

Result<Json*> value_at(Json& root, const Pointer& pointer) {
  return value_at(root, pointer, pointer.steps.size());
}

Result<> put_at(Json& root, const Pointer& pointer, Json value) {
  if (pointer.steps.empty()) {
    root = std::move(value);
    return Ok();
  }
  const std::size_t parent_steps = pointer.steps.size() - 1;
  const std::string& step = pointer.steps.back();
  TRY(Json * parent, value_at(root, pointer, parent_steps));
  if (JsonArray* array = parent->if_array()) {
    std::size_t index = array->size();
    if (step != "-") {
      TRY(index, parse_index(step, array->size() + 1, *array, pointer.upto(parent_steps)));
    }
    array->insert(array->begin() + index, std::move(value));
    return Ok();
  }
  JsonObject* object = parent->if_object();
  if (object == nullptr) {
    return does_not_fit(fmt::format("\"{}\" is neither an object nor a list: nothing can be added",
                                    pointer.upto(parent_steps)));
  }
  (*object)[step] = std::move(value);
  return Ok();
}

Result<Json> take_from(Json& root, const Pointer& pointer) {
  if (pointer.steps.empty()) return wrong_patch("the whole object cannot be removed");
  TRY(Json * found, value_at(root, pointer));
  Json taken = std::move(*found);
  TRY(Json * parent, value_at(root, pointer, pointer.steps.size() - 1));
  if (JsonArray* array = parent->if_array()) {
    array->erase(array->begin() + (found - array->begin()));
  } else {
    JsonObject& object = parent->get_object();
    object.stable_erase(object.find(pointer.steps.back()));
  }
  return taken;
}

/// The pointer in the member `path` or `from` of an operation.
Result<Pointer> pointer_of(const Json& operation, std::string_view member) {
  const Json* pointer = find(operation, member);
  if (pointer == nullptr || !pointer->is_string()) {
    return wrong_patch(fmt::format("an operation needs a \"{}\": {}", member, to_text(operation)));
  }
  return parse_pointer(string_at(operation, member));
}

Result<> test(Json& target, const Pointer& path, const Json& value) {
  TRY(const Json* found, value_at(target, path));
  if (is_same_value(*found, value)) return Ok();
  return does_not_fit(
      fmt::format("test failed: \"{}\" is {}, not {}", path.text, to_text(*found), to_text(value)));
}

/// `copied` counts the bytes that copies have made so far.
Result<> copy(Json& target, const Pointer& from, const Pointer& path, std::size_t& copied) {
  TRY(const Json* found, value_at(target, from));
  copied += to_text(*found).size();
  if (copied > kMostCopied) {
    return Error(Code::kTooLarge, "the patch's copies add up to more than an object may hold");
  }
  return put_at(target, path, *found);
}

Result<> move(Json& target, const Pointer& from, const Pointer& path) {
  if (from.leads_into(path)) {
    return wrong_patch(
        fmt::format("\"{}\" cannot be moved into itself, to \"{}\"", from.text, path.text));
  }
  if (from.steps == path.steps) {
    TRY_OK(value_at(target, from));
    return Ok();
  }
  TRY(Json moved, take_from(target, from));
  return put_at(target, path, std::move(moved));
}

Result<> apply_operation(Json& target, const Json& operation, std::size_t& copied) {
  if (!operation.is_object()) {
    return wrong_patch("an operation must be an object, not " + to_text(operation));
  }
  const std::string_view name = string_at(operation, "op");
  TRY(const Pointer path, pointer_of(operation, "path"));
  if (name == "remove") {
    TRY_OK(take_from(target, path));
    return Ok();
  }
  if (name == "copy" || name == "move") {
    TRY(const Pointer from, pointer_of(operation, "from"));
    return name == "copy" ? copy(target, from, path, copied) : move(target, from, path);
  }
  if (name != "add" && name != "replace" && name != "test") {
    return wrong_patch(fmt::format(
        "the operation \"{}\" is not known: use add, remove, replace, test, copy or move", name));
  }
  const Json* value = operation.get_object().if_contains("value");
  if (value == nullptr) {
    return wrong_patch(fmt::format("the operation \"{}\" needs a value", name));
  }
  if (name == "add") return put_at(target, path, *value);
  if (name == "test") return test(target, path, *value);
  TRY(Json * found, value_at(target, path));
  *found = *value;
  return Ok();
}

}  // namespace

Result<> apply_json_patch(Json& target, const Json& patch) {
  if (!patch.is_array()) return wrong_patch("a JSON patch is a list of operations");
  if (patch.get_array().size() > kMostOperations) {
    return Error(Code::kTooLarge,
                 fmt::format("The allowed maximum operations in a JSON patch is {}, got {}",
                             kMostOperations, patch.get_array().size()));
  }
  std::size_t copied = 0;
  std::size_t position = 0;
  for (const Json& operation : patch.get_array()) {
    auto applied = apply_operation(target, operation, copied);
    if (!applied) {
      return std::move(applied).error().within(
          fmt::format("operation {} ({})", position, string_at(operation, "op", "?")));
    }
    ++position;
  }
  if (is_deeper_than(target, kMaxDepth)) {
    return wrong_patch(fmt::format("the patch nests more than {} levels deep", kMaxDepth));
  }
  return Ok();
}

}  // namespace trainyard
