#include "object/table/table.h"

#include "object/table/computed_cells.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

namespace trainyard {
namespace {

/// One step of a JSONPath, cut off the front of `path`.
struct Step {
  std::string name;          // member; empty for the others
  std::optional<int> index;  // [2]
  bool any = false;          // [*]
  bool filter = false;       // [?(@.field=="value")]
  std::string filter_field;
  std::string filter_value;
};

std::string take_name(std::string_view& path) {
  std::string name;
  while (!path.empty() && path[0] != '.' && path[0] != '[') {
    if (path[0] == '\\' && path.size() > 1) path.remove_prefix(1);
    name += path[0];
    path.remove_prefix(1);
  }
  return name;
}

/// The text between quotes. kubectl's users write \\. for a dot, also here.
std::optional<std::string> unquote(std::string_view text) {
  if (text.size() < 2 || (text.front() != '\'' && text.front() != '"')) return std::nullopt;
  if (text.back() != text.front()) return std::nullopt;
  std::string plain(text.substr(1, text.size() - 2));
  std::erase(plain, '\\');
  return plain;
}

std::optional<Step> read_bracket(std::string_view inside) {
  Step step;
  if (inside == "*") {
    step.any = true;
  } else if (inside.starts_with("?(@.") && inside.ends_with(')')) {
    const std::string_view test = inside.substr(4, inside.size() - 5);
    const std::size_t equals = test.find("==");
    if (equals == std::string_view::npos) return std::nullopt;
    std::string_view field = test.substr(0, equals);
    while (field.ends_with(' ')) field.remove_suffix(1);
    std::string_view value = test.substr(equals + 2);
    while (value.starts_with(' ')) value.remove_prefix(1);
    const std::optional<std::string> plain = unquote(value);
    if (field.empty() || !plain) return std::nullopt;
    step.filter = true;
    step.filter_field = field;
    step.filter_value = *plain;
  } else if (int index = 0;
             std::from_chars(inside.data(), inside.data() + inside.size(), index).ec ==
             std::errc()) {
    step.index = index;
  } else if (const std::optional<std::string> name = unquote(inside); name && !name->empty()) {
    step.name = *name;
  } else {
    return std::nullopt;
  }
  return step;
}

std::optional<Step> take_step(std::string_view& path) {
  if (path.starts_with('[')) {
    const std::size_t close = path.find(']');
    if (close == std::string_view::npos) return std::nullopt;
    std::optional<Step> step = read_bracket(path.substr(1, close - 1));
    path.remove_prefix(close + 1);
    return step;
  }
  if (path.starts_with('.')) path.remove_prefix(1);
  Step step;
  step.name = take_name(path);
  if (step.name.empty()) return std::nullopt;
  return step;
}

const Json* evaluate(const Json& here, std::string_view path);

/// The first element that fits the step and has what the rest of the path asks for.
const Json* search(const JsonArray& array, const Step& step, std::string_view rest) {
  for (const Json& element : array) {
    if (step.filter) {
      const Json* field = find(element, step.filter_field);
      if (field == nullptr || !field->is_string()) continue;
      if (string_at(element, step.filter_field) != step.filter_value) continue;
    }
    if (const Json* found = evaluate(element, rest)) return found;
  }
  return nullptr;
}

const Json* follow(const Json& here, const Step& step) {
  if (!step.name.empty())
    return here.is_object() ? here.get_object().if_contains(step.name) : nullptr;
  if (!here.is_array() || here.get_array().empty()) return nullptr;
  const JsonArray& array = here.get_array();
  if (step.index) {
    const auto size = static_cast<int>(array.size());
    const int index = *step.index < 0 ? size + *step.index : *step.index;
    return index >= 0 && index < size ? &array[static_cast<std::size_t>(index)] : nullptr;
  }
  return nullptr;
}

/// Descends one level a step, so the depth of the object bounds the recursion.
const Json* evaluate(const Json& here, std::string_view path) {
  if (path.empty()) return &here;
  const std::optional<Step> step = take_step(path);
  if (!step) return nullptr;
  if (step->any || step->filter) {
    return here.is_array() ? search(here.get_array(), *step, path) : nullptr;
  }
  const Json* next = follow(here, *step);
  return next == nullptr ? nullptr : evaluate(*next, path);
}

/// The value as the column's type wants it; null when it is of another type.
Json fit(const Json& value, const std::string& type) {
  if (value.is_null()) return value;
  if (type == "string" && !value.is_string()) return Json(to_text(value));
  if (type == "integer" && value.is_double()) {
    const double number = std::trunc(value.get_double());
    return std::fabs(number) < 9e18 ? Json(static_cast<std::int64_t>(number)) : Json(nullptr);
  }
  if ((type == "integer" || type == "number") && !value.is_number()) return nullptr;
  if (type == "boolean" && !value.is_bool()) return nullptr;
  return value;
}

Json cell_value(const Column& column, const Json& object, WallTime now) {
  Json value = evaluate_path(object, column.json_path);
  if (column.type == "date") {
    if (!value.is_string()) return nullptr;
    const auto time = parse_time({value.get_string().data(), value.get_string().size()});
    if (!time) return "<invalid>";
    return Json(format_age(std::chrono::duration_cast<std::chrono::seconds>(now - *time)));
  }
  return fit(value, column.type);
}

Json row_object(const StoredObject& object, const std::string& include) {
  if (include == "Object") return object.whole();
  return {{"kind", "PartialObjectMetadata"},
          {"apiVersion", "meta.k8s.io/v1"},
          {"metadata", object_at(object.body(), "metadata")}};
}

/// A few built-in kinds show their names in another place (events) or otherwise (storage classes).
bool brings_its_own_name(const Kind& kind) {
  return !kind.custom && std::any_of(kind.columns.begin(), kind.columns.end(),
                                     [](const Column& column) { return column.format == "name"; });
}

Json column_definitions(const std::vector<Column>& columns) {
  JsonArray definitions;
  for (const Column& column : columns) {
    definitions.push_back({{"name", column.name},
                           {"type", column.type == "date" ? "string" : column.type},
                           {"format", column.format},
                           {"description", column.description},
                           {"priority", column.priority}});
  }
  return definitions;
}

}  // namespace

Json evaluate_path(const Json& object, std::string_view path) {
  const Json* found = evaluate(object, path);
  return found == nullptr ? Json(nullptr) : *found;
}

Json make_table(const Kind& kind, const std::vector<ObjectPtr>& objects, WallTime now,
                const std::string& include, bool with_columns) {
  std::vector<Column> columns;
  if (!brings_its_own_name(kind)) {
    columns.push_back(
        {"Name", "string", "name", "Name must be unique within a namespace.", ".metadata.name", 0});
  }
  columns.insert(columns.end(), kind.columns.begin(), kind.columns.end());
  if (kind.columns.empty()) {
    columns.push_back({"Age", "date", "", "", ".metadata.creationTimestamp", 0});
  }
  JsonArray rows;
  for (const ObjectPtr& object : objects) {
    JsonArray cells;
    for (const Column& column : columns) {
      // A few columns of built-in kinds are computed, not read: their path names the function.
      cells.push_back(column.json_path.starts_with("@")
                          ? computed_cell(column.json_path, object->body(), now)
                          : cell_value(column, object->body(), now));
    }
    JsonObject row{{"cells", std::move(cells)}};
    if (include != "None") row["object"] = row_object(*object, include);
    rows.push_back(std::move(row));
  }
  JsonObject table{{"kind", "Table"}, {"apiVersion", "meta.k8s.io/v1"}, {"metadata", JsonObject()}};
  table["columnDefinitions"] = with_columns ? column_definitions(columns) : Json(JsonArray());
  table["rows"] = std::move(rows);
  return table;
}

}  // namespace trainyard
