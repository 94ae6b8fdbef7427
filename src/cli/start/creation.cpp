#include "cli/start/creation.h"

#include "base/files/files.h"
#include "object/yaml/yaml.h"

#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <iterator>

namespace trainyard::cli {
namespace {

/// Asks the server which resource a kind is, and whether it lives in namespaces.
awaitable<Result<std::pair<Resource, bool>>> find_resource(client::RemoteApi& api, Json object) {
  const std::string api_version(string_at(object, "apiVersion"));
  const std::string kind(string_at(object, "kind"));
  const std::size_t slash = api_version.find('/');
  const bool core = slash == std::string::npos;
  auto served = co_await api.get_path((core ? "/api/" : "/apis/") + api_version);
  if (served) {
    for (const Json& entry : array_at(*served, "resources")) {
      const std::string_view plural = string_at(entry, "name");
      if (string_at(entry, "kind") != kind || plural.find('/') != std::string_view::npos) continue;
      Resource resource;
      resource.group = core ? "" : api_version.substr(0, slash);
      resource.version = core ? api_version : api_version.substr(slash + 1);
      resource.plural = plural;
      co_return std::pair(std::move(resource), bool_at(entry, "namespaced"));
    }
  } else if (!served.failed_with(Code::kNotFound)) {
    co_return std::move(served).error();
  }
  co_return Error(
      Code::kInvalid,
      fmt::format("the server has no kind {} of {}: check apiVersion and kind", kind, api_version));
}

/// Where an object goes: to its own namespace or else the session's.
std::string namespace_for(const Session& session, const Json& object, bool namespaced) {
  if (!namespaced) return "";
  const std::string_view own = namespace_of(object);
  return own.empty() ? session.ns() : std::string(own);
}

bool has_kind(const std::vector<FileObject>& objects, std::string_view kind) {
  return std::any_of(objects.begin(), objects.end(),
                     [&](const FileObject& one) { return string_at(one.object, "kind") == kind; });
}

/// Not of a server that is gone or busy: there is nothing in the file to mend then.
bool is_about_object(const Error& error) {
  switch (error.code()) {
    case Code::kInvalid:
    case Code::kBadRequest:
    case Code::kForbidden:
    case Code::kNotFound:
    case Code::kAlreadyExists:
    case Code::kTooLarge:
      return true;
    default:
      return false;
  }
}

Result<std::vector<FileObject>> read_one_file(const std::string& file) {
  std::string text;
  if (file == "-") {
    text.assign(std::istreambuf_iterator<char>(std::cin), {});
  } else {
    TRY(text, read_file(file));
  }
  std::vector<YamlLines> lines;
  auto objects = parse_yaml(text, lines);
  if (!objects) return at_line(shown_name(file), objects.error());
  if (objects->empty()) {
    return Error(Code::kInvalid, fmt::format("{} holds no object", shown_name(file)));
  }
  std::vector<FileObject> read;
  for (std::size_t i = 0; i < objects->size(); ++i) {
    read.push_back({std::move((*objects)[i]), shown_name(file), std::move(lines[i])});
  }
  return read;
}

}  // namespace

std::string shown_name(const std::string& file) {
  return file == "-" ? "standard input" : file;
}

Result<std::vector<Json>> read_objects(const std::string& file) {
  TRY(std::vector<FileObject> read, read_files({file}));
  std::vector<Json> objects;
  for (FileObject& one : read) objects.push_back(std::move(one.object));
  return objects;
}

Result<std::vector<FileObject>> read_files(const std::vector<std::string>& files) {
  std::vector<FileObject> objects;
  std::vector<std::string> problems;
  for (const std::string& file : files) {
    auto read = read_one_file(file);
    if (!read) {
      problems.push_back(read.error().message());
      continue;
    }
    for (FileObject& object : *read) {
      for (const char* field : {"apiVersion", "kind"}) {
        if (!string_at(object.object, field).empty()) continue;
        problems.push_back(fmt::format("{}: there is no {}: is it a Kubernetes object?",
                                       place_of(object, ""), field));
      }
      objects.push_back(std::move(object));
    }
  }
  if (!problems.empty()) return as_one_error(problems);
  return objects;
}

awaitable<Result<>> check_objects(Session& session, std::vector<FileObject> objects) {
  // What an object of these very files brings along is not there yet.
  const bool brings_kinds = has_kind(objects, "CustomResourceDefinition");
  const bool brings_namespaces = has_kind(objects, "Namespace");
  std::vector<std::string> problems;
  for (FileObject& object : objects) {
    const auto found = co_await find_resource(session.api(), object.object);
    if (found.failed_with(Code::kInvalid) && brings_kinds) continue;
    if (found.failed_with(Code::kInvalid)) {
      problems.push_back(fmt::format("{}: {}", place_of(object, "kind"), found.error().message()));
      continue;
    }
    if (!found) co_return found.error();
    const std::string ns = namespace_for(session, object.object, found->second);
    constexpr int kMostLooks = 5;
    for (int looks = 0; looks < kMostLooks; ++looks) {
      const auto tried = co_await session.api().try_create(found->first, ns, object.object);
      if (tried || (tried.failed_with(Code::kNotFound) && brings_namespaces)) break;
      if (!is_about_object(tried.error())) co_return tried.error();
      Findings findings = read_refusal(tried.error(), object);
      if (findings.problems.empty()) {
        findings.problems.push_back(
            fmt::format("{}: {}", place_of(object, ""), tried.error().message()));
      }
      problems.insert(problems.end(), findings.problems.begin(), findings.problems.end());
      if (!findings.look_again) break;
    }
  }
  if (!problems.empty()) co_return as_one_error(problems);
  co_return Ok();
}

awaitable<Result<FoundJob>> create_object(Session& session, Json object) {
  CO_TRY(const auto found, co_await find_resource(session.api(), object));
  std::string ns = namespace_for(session, object, found.second);
  CO_TRY(ObjectPtr created,
         co_await session.api().create(found.first, std::move(ns), std::move(object)));
  co_return FoundJob{found.first, std::move(created)};
}

bool is_job(const Json& object) {
  return string_at(object, "kind").ends_with("Job") && !replica_groups(object).empty();
}

}  // namespace trainyard::cli
