#include "cli/creation.h"

#include "base/files.h"
#include "object/yaml.h"

#include <fmt/format.h>

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

}  // namespace

std::string shown_name(const std::string& file) {
  return file == "-" ? "standard input" : file;
}

Result<std::vector<Json>> read_objects(const std::string& file) {
  std::string text;
  if (file == "-") {
    text.assign(std::istreambuf_iterator<char>(std::cin), {});
  } else {
    TRY(text, read_file(file));
  }
  auto objects = parse_yaml(text);
  if (!objects) return std::move(objects).error().within(shown_name(file));
  if (objects->empty()) {
    return Error(Code::kInvalid, fmt::format("{} holds no object", shown_name(file)));
  }
  std::size_t number = 0;
  for (const Json& object : *objects) {
    ++number;
    for (const char* field : {"apiVersion", "kind"}) {
      if (!string_at(object, field).empty()) continue;
      return Error(Code::kInvalid,
                   fmt::format("{}: document {} has no {}: is it a Kubernetes object?",
                               shown_name(file), number, field));
    }
  }
  return objects;
}

awaitable<Result<FoundJob>> create_object(Session& session, Json object) {
  CO_TRY(const auto found, co_await find_resource(session.api(), object));
  std::string ns(namespace_of(object));
  if (ns.empty()) ns = session.ns();
  if (!found.second) ns.clear();
  CO_TRY(ObjectPtr created,
         co_await session.api().create(found.first, std::move(ns), std::move(object)));
  co_return FoundJob{found.first, std::move(created)};
}

bool is_job(const Json& object) {
  return string_at(object, "kind").ends_with("Job") && !replica_groups(object).empty();
}

}  // namespace trainyard::cli
