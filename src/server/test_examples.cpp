#include "server/test_examples.h"

#include "embedded/example_objects.h"
#include "object/yaml/yaml.h"

#include <fmt/format.h>

namespace trainyard::server {
namespace {

Json read(std::string_view yaml) {
  auto parsed = parse_yaml(yaml);
  EXPECT_TRUE(parsed && parsed->size() == 1) << yaml;
  return parsed && !parsed->empty() ? std::move(parsed->front()) : Json();
}

/// "[0]" or a member's name, cut off the front of `path`.
std::string take_step(std::string_view& path) {
  if (path.starts_with('[')) {
    const std::size_t close = path.find(']');
    const std::string step(path.substr(1, close - 1));
    path.remove_prefix(close + 1);
    return step;
  }
  if (path.starts_with('.')) path.remove_prefix(1);
  const std::size_t end = path.find_first_of(".[");
  const std::string step(path.substr(0, end));
  path.remove_prefix(step.size());
  return step;
}

AdmissionContext strictly() {
  return {*parse_time("2026-03-01T10:00:00Z"), FieldValidation::kStrict, nullptr};
}

}  // namespace

std::vector<std::string> example_names() {
  std::vector<std::string> names;
  for (const embedded::File& file : embedded::example_objects()) names.emplace_back(file.name);
  return names;
}

Json example(std::string_view name) {
  for (const embedded::File& file : embedded::example_objects()) {
    if (file.name == name) return read(file.bytes);
  }
  ADD_FAILURE() << "no example " << name;
  return JsonObject();
}

const Kind& kind_of_object(const Json& object) {
  for (const KindPtr& each : test_kinds().all()) {
    const Kind& kind = *each;
    if (kind.kind == string_at(object, "kind") &&
        kind.resource.api_version() == string_at(object, "apiVersion")) {
      return kind;
    }
  }
  ADD_FAILURE() << "no kind " << string_at(object, "kind");
  return *test_kinds().all().front();
}

Json& place(Json& object, std::string_view path) {
  Json* here = &object;
  while (!path.empty()) {
    const std::string step = take_step(path);
    if (here->is_array()) {
      here = &here->get_array().at(static_cast<std::size_t>(std::stoi(step)));
    } else {
      if (!here->is_object()) *here = JsonObject();
      here = &here->get_object()[step];
    }
  }
  return *here;
}

Json changed(Json object, std::string_view path, std::string_view yaml) {
  if (!yaml.empty()) {
    place(object, path) = read(yaml);
    return object;
  }
  const std::size_t last = path.find_last_of(".[");
  std::string_view name = path.substr(last);
  Json& parent = place(object, path.substr(0, last));
  const std::string step = take_step(name);
  EXPECT_EQ(parent.get_object().erase(step), 1U) << path;
  return object;
}

Result<Json> admit_strictly(Json object) {
  const Kind& kind = kind_of_object(object);
  return admit_create(kind, kind.namespaced ? "default" : "", std::move(object), strictly());
}

Result<Json> admit_change(Json before, std::string_view path, std::string_view yaml) {
  const Kind& kind = kind_of_object(before);
  TRY(const Json stored, admit_strictly(std::move(before)));
  return admit_update(kind, stored, changed(stored, path, yaml), Part::kMain, strictly());
}

std::string faults_of(const Result<Json>& result) {
  if (result) return "accepted";
  std::string text;
  for (const FieldError& cause : result.error().causes()) {
    text += fmt::format("{}{}: {}", text.empty() ? "" : "\n", cause.field, cause.message);
  }
  return text.empty() ? result.error().message() : text;
}

void expect_faults(const std::vector<Fault>& faults) {
  for (const Fault& one : faults) {
    const auto refused = admit_strictly(changed(example(one.example), one.path, one.yaml));
    EXPECT_TRUE(refused.failed_with(Code::kInvalid)) << one.example << " " << one.path;
    EXPECT_EQ(faults_of(refused), one.fault) << one.example << " " << one.path << "=" << one.yaml;
  }
}

void expect_accepted(const std::vector<Change>& changes) {
  for (const Change& one : changes) {
    const auto admitted = admit_strictly(changed(example(one.example), one.path, one.yaml));
    EXPECT_EQ(faults_of(admitted), "accepted") << one.example << " " << one.path << "=" << one.yaml;
  }
}

void expect_change_refused(const std::vector<Change>& changes, const std::string& message) {
  for (const Change& one : changes) {
    const auto refused = admit_change(example(one.example), one.path, one.yaml);
    EXPECT_TRUE(refused.failed_with(Code::kInvalid)) << one.example << " " << one.path;
    EXPECT_NE(faults_of(refused).find(message), std::string::npos)
        << one.path << ": " << faults_of(refused);
  }
}

void expect_change_accepted(const std::vector<Change>& changes) {
  for (const Change& one : changes) {
    EXPECT_EQ(faults_of(admit_change(example(one.example), one.path, one.yaml)), "accepted")
        << one.example << " " << one.path << "=" << one.yaml;
  }
}

}  // namespace trainyard::server
