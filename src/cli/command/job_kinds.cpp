#include "cli/command/job_kinds.h"

#include "base/words/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace trainyard::cli {
namespace {

constexpr std::array<std::string_view, 2> kJobGroups{"batch.tensorstack.dev", "kubeflow.org"};

bool knows(const std::vector<JobKind>& kinds, const JobKind& kind) {
  return std::any_of(kinds.begin(), kinds.end(), [&](const JobKind& known) {
    return known.kind == kind.kind && known.resource.group == kind.resource.group;
  });
}

}  // namespace

Result<JobName> parse_job_name(const std::string& text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string::npos && !text.empty()) return JobName{"", text};
  JobName name{text.substr(0, std::min(slash, text.size())),
               slash == std::string::npos ? "" : text.substr(slash + 1)};
  if (!name.kind.empty() && !name.name.empty() && name.name.find('/') == std::string::npos) {
    return name;
  }
  return Error(Code::kInvalid, fmt::format("\"{}\" names no job: write NAME or KIND/NAME", text));
}

std::vector<JobKind> job_kinds_in(const Json& resources) {
  const std::string group_version(string_at(resources, "groupVersion"));
  const std::size_t slash = group_version.find('/');
  std::vector<JobKind> kinds;
  if (slash == std::string::npos) return kinds;
  for (const Json& entry : array_at(resources, "resources")) {
    const std::string plural(string_at(entry, "name"));
    const std::string kind(string_at(entry, "kind"));
    if (!kind.ends_with("Job") || plural.find('/') != std::string::npos) continue;
    JobKind found;
    found.resource = {group_version.substr(0, slash), group_version.substr(slash + 1), plural};
    found.kind = kind;
    found.singular = string_at(entry, "singularName");
    if (found.singular.empty()) found.singular = lower(kind);
    for (const Json& name : array_at(entry, "shortNames")) {
      if (name.is_string()) found.short_names.emplace_back(name.get_string());
    }
    kinds.push_back(std::move(found));
  }
  return kinds;
}

bool is_meant(const JobKind& kind, std::string_view word) {
  const std::string wanted = lower(word);
  const std::size_t dot = wanted.find('.');
  if (dot != std::string::npos && wanted.substr(dot + 1) != kind.resource.group) return false;
  const std::string name = wanted.substr(0, dot);
  return name == lower(kind.kind) || name == kind.resource.plural || name == kind.singular ||
         std::find(kind.short_names.begin(), kind.short_names.end(), name) !=
             kind.short_names.end();
}

std::string word_for(const JobKind& kind, const std::vector<JobKind>& all) {
  const auto same = std::count_if(
      all.begin(), all.end(), [&](const JobKind& other) { return is_meant(other, kind.singular); });
  return same < 2 ? kind.singular : kind.singular + "." + kind.resource.group;
}

awaitable<Result<std::vector<JobKind>>> discover_job_kinds(client::RemoteApi& api) {
  CO_TRY(const Json groups, co_await api.get_path("/apis"));
  std::vector<JobKind> kinds;
  for (const Json& group : array_at(groups, "groups")) {
    const std::string_view name = string_at(group, "name");
    if (std::find(kJobGroups.begin(), kJobGroups.end(), name) == kJobGroups.end()) continue;
    // Newest first: of a kind that has several versions, the first counts.
    for (const Json& version : array_at(group, "versions")) {
      const std::string path = fmt::format("/apis/{}", string_at(version, "groupVersion"));
      CO_TRY(const Json resources, co_await api.get_path(path));
      for (JobKind& kind : job_kinds_in(resources)) {
        if (!knows(kinds, kind)) kinds.push_back(std::move(kind));
      }
    }
  }
  co_return kinds;
}

}  // namespace trainyard::cli
