#include "cli/command/jobs_view.h"

#include "base/words/near_words.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace trainyard::cli {
namespace {

Error no_such_kind(const std::string& word, const std::vector<JobKind>& all) {
  std::vector<std::string> words;
  for (const JobKind& kind : all) words.push_back(word_for(kind, all));
  if (words.empty()) {
    return Error(Code::kInvalid, "the server knows no job kinds: are their definitions installed?");
  }
  return Error(Code::kInvalid, fmt::format("the server has no job kind {}: there are {}", word,
                                           fmt::join(words, ", ")));
}

/// Kinds whose definition is being removed, or that one may not see, are no reason to show nothing.
bool can_be_skipped(const Error& error) {
  return error.code() == Code::kNotFound || error.code() == Code::kForbidden;
}

/// For a job that was not found: where one of that name is, or which was probably meant. Best
/// effort: not everybody may look everywhere.
awaitable<std::string> hint_for(client::RemoteApi& api, std::string ns, std::string name) {
  auto jobs = co_await list_jobs(api, "");
  if (!jobs) jobs = co_await list_jobs(api, ns);
  if (!jobs) co_return "";
  std::vector<std::string> here;
  for (const FoundJob& job : *jobs) {
    if (job.key().ns == ns) here.push_back(job.key().name);
  }
  if (const std::string near = nearest_word(name, here); !near.empty()) {
    co_return fmt::format("did you mean {}? ", near);
  }
  for (const FoundJob& job : *jobs) {
    if (job.key().name != name) continue;
    co_return fmt::format("there is one in {}, add -n {}; ", job.key().ns, job.key().ns);
  }
  co_return "";
}

}  // namespace

awaitable<Result<std::vector<FoundJob>>> list_jobs(client::RemoteApi& api, std::string ns,
                                                   std::string labels) {
  CO_TRY(const std::vector<JobKind> kinds, co_await discover_job_kinds(api));
  client::ListOptions options;
  options.ns = std::move(ns);
  options.labels = std::move(labels);
  std::vector<FoundJob> jobs;
  std::optional<Error> refused;
  std::size_t read = 0;
  for (const JobKind& kind : kinds) {
    const auto listing = co_await api.list(kind.resource, options);
    if (!listing && !can_be_skipped(listing.error())) co_return listing.error();
    if (!listing) {
      refused = listing.error();
      continue;
    }
    ++read;
    for (const ObjectPtr& job : listing->items) jobs.push_back({kind.resource, job});
  }
  if (read == 0 && refused) co_return *refused;
  std::sort(jobs.begin(), jobs.end(), [](const FoundJob& a, const FoundJob& b) {
    const auto newer = string_at(b.body(), "metadata.creationTimestamp") <=>
                       string_at(a.body(), "metadata.creationTimestamp");
    return newer != 0 ? newer < 0 : name_of(a.body()) < name_of(b.body());
  });
  co_return jobs;
}

awaitable<Result<FoundJob>> find_job(client::RemoteApi& api, std::string ns, std::string text) {
  CO_TRY(const JobName wanted, parse_job_name(text));
  CO_TRY(const std::vector<JobKind> all, co_await discover_job_kinds(api));
  std::vector<FoundJob> found;
  std::vector<std::string> candidates;
  std::optional<Error> refused;
  bool looked = wanted.kind.empty();
  const Key key{ns, wanted.name};
  for (const JobKind& kind : all) {
    if (!wanted.kind.empty() && !is_meant(kind, wanted.kind)) continue;
    looked = true;
    const auto job = co_await api.get(kind.resource, key);
    if (!job && !can_be_skipped(job.error())) co_return job.error();
    if (job.failed_with(Code::kForbidden)) refused = job.error();
    if (!job) continue;
    found.push_back({kind.resource, *job});
    candidates.push_back(fmt::format("{}/{}", word_for(kind, all), wanted.name));
  }
  if (!looked || all.empty()) co_return no_such_kind(wanted.kind, all);
  if (found.size() == 1) co_return std::move(found.front());
  if (found.size() > 1) {
    co_return Error(Code::kInvalid,
                    fmt::format("there are {} jobs {} in namespace {}: say which, {}", found.size(),
                                wanted.name, ns, fmt::join(candidates, " or ")));
  }
  if (refused) co_return *refused;
  const std::string hint = co_await hint_for(api, ns, wanted.name);
  co_return Error(Code::kNotFound,
                  fmt::format("there is no job {} in namespace {}: {}`trainyard list -A` shows all",
                              text, ns, hint));
}

std::string pods_label(const Json& job) {
  return fmt::format("{}={}", is_kubeflow(job) ? kKubeflowJobLabel : kOwnerNameLabel, name_of(job));
}

awaitable<Result<std::vector<ObjectPtr>>> list_pods_of(client::RemoteApi& api, Json job) {
  client::ListOptions options;
  options.ns = namespace_of(job);
  options.labels = pods_label(job);
  CO_TRY(client::Listing listing, co_await api.list(kPods, options));
  // Jobs of other kinds may have the same name.
  std::erase_if(listing.items, [&](const ObjectPtr& pod) { return !is_pod_of(job, pod->body()); });
  std::sort(listing.items.begin(), listing.items.end(), [](const ObjectPtr& a, const ObjectPtr& b) {
    return replica_before(std::string(name_of(a->body())), std::string(name_of(b->body())));
  });
  co_return std::move(listing.items);
}

}  // namespace trainyard::cli
