#include "cli/start/object_check.h"

#include "object/values/field_errors.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>

namespace trainyard::cli {
namespace {

/// spec.a[0].b and metadata.labels[x.y/z] as YamlLines have them: with dots only.
std::string with_dots(const std::string& field) {
  std::string path;
  for (const char c : field) {
    if (c == '[') path += '.';
    if (c != '[' && c != ']') path += c;
  }
  return path;
}

std::pair<std::string, std::string> split_last(const std::string& path) {
  const std::size_t dot = path.rfind('.');
  if (dot == std::string::npos) return {"", path};
  return {path.substr(0, dot), path.substr(dot + 1)};
}

Json* step_down(Json* here, std::string_view name) {
  if (here->is_object()) return here->get_object().if_contains(name);
  std::size_t index = 0;
  const auto read = std::from_chars(name.data(), name.data() + name.size(), index);
  const bool within =
      here->is_array() && read.ec == std::errc() && index < here->get_array().size();
  return within ? &here->get_array()[index] : nullptr;
}

/// nullptr: nothing is there, or a key on the way has dots in it.
Json* walk(Json& object, std::string_view path) {
  Json* here = &object;
  while (here != nullptr && !path.empty()) {
    const std::string_view name = path.substr(0, path.find('.'));
    path.remove_prefix(std::min(path.size(), name.size() + 1));
    here = step_down(here, name);
  }
  return here;
}

void rename_lines(YamlLines& lines, const std::string& from, const std::string& to) {
  YamlLines renamed;
  for (const auto& [path, line] : lines) {
    const bool below =
        path.starts_with(from) && (path.size() == from.size() || path[from.size()] == '.');
    renamed.emplace(below ? to + path.substr(from.size()) : path, line);
  }
  lines = std::move(renamed);
}

/// Takes the field out, or puts it where it was meant to be. Returns whether that changed anything.
bool correct(FileObject& object, const std::string& path, const std::string& meant) {
  const auto [above, name] = split_last(path);
  Json* parent = walk(object.object, above);
  if (parent == nullptr || !parent->is_object()) return false;
  JsonObject& members = parent->get_object();
  const auto found = members.find(name);
  if (found == members.end()) return false;
  Json value = std::move(found->value());
  members.stable_erase(found);
  if (meant.empty() || members.contains(meant)) return true;
  members.emplace(meant, std::move(value));
  rename_lines(object.lines, path, (above.empty() ? "" : above + ".") + meant);
  return true;
}

/// The quoted texts behind each `before`: unknown field "spec.a" → spec.a
std::vector<std::string> quoted_after(const std::string& text, const std::string& before) {
  std::vector<std::string> found;
  for (std::size_t at = text.find(before); at != std::string::npos; at = text.find(before, at)) {
    at += before.size();
    const std::size_t end = text.find('"', at);
    if (end == std::string::npos) break;
    found.push_back(text.substr(at, end - at));
    at = end;
  }
  return found;
}

struct Unknown {
  std::string field;
  std::string meant;
};

/// A real cluster names them in its message only.
std::vector<Unknown> unknown_fields(const Error& refusal) {
  std::vector<Unknown> unknown;
  for (const FieldError& cause : refusal.causes()) {
    if (cause.reason != field_errors::kUnknownField) continue;
    const auto meant = quoted_after(cause.message, "did you mean \"");
    unknown.push_back({cause.field, meant.empty() ? "" : meant.front()});
  }
  if (!unknown.empty()) return unknown;
  for (std::string& field : quoted_after(refusal.message(), "unknown field \"")) {
    unknown.push_back({std::move(field), ""});
  }
  return unknown;
}

}  // namespace

std::string place_of(const FileObject& object, const std::string& field) {
  std::string path = with_dots(field);
  auto found = object.lines.find(path);
  while (found == object.lines.end() && !path.empty()) {
    path = split_last(path).first;
    found = object.lines.find(path);
  }
  if (found == object.lines.end()) return object.file;
  return fmt::format("{}:{}", object.file, found->second);
}

Findings read_refusal(const Error& refusal, FileObject& object) {
  Findings findings;
  for (const Unknown& one : unknown_fields(refusal)) {
    findings.problems.push_back(
        fmt::format("{}: {}: there is no such field{}", place_of(object, one.field), one.field,
                    one.meant.empty() ? "" : fmt::format(": did you mean {}?", one.meant)));
    findings.look_again |= correct(object, with_dots(one.field), one.meant);
  }
  for (const FieldError& cause : refusal.causes()) {
    if (cause.reason == field_errors::kUnknownField) continue;
    findings.problems.push_back(fmt::format("{}: {}{}{}", place_of(object, cause.field),
                                            cause.field, cause.field.empty() ? "" : ": ",
                                            cause.message));
  }
  return findings;
}

Error at_line(const std::string& file, const Error& error) {
  constexpr std::string_view kFront = "YAML line ";
  const std::string& text = error.message();
  const std::size_t comma = text.find(", column ");
  const std::size_t colon = text.find(": ");
  if (!text.starts_with(kFront) || comma == std::string::npos || colon < comma) {
    return Error(error).within(file);
  }
  return Error(error.code(),
               fmt::format("{}:{}: {}", file, text.substr(kFront.size(), comma - kFront.size()),
                           text.substr(colon + 2)));
}

Error as_one_error(const std::vector<std::string>& problems) {
  if (problems.size() == 1) return Error(Code::kInvalid, problems.front());
  return Error(Code::kInvalid, fmt::format("{} problems, and nothing was created:\n  {}",
                                           problems.size(), fmt::join(problems, "\n  ")));
}

}  // namespace trainyard::cli
