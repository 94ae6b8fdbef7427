// GET pods?progress=true: how far the jobs have come that these pods belong to, one answer a job.
//
// With the selectors of a list of pods, and job=UID (any number; none: all). It is in the logs, so
// whoever asks must be allowed to read those; what event files add is for whom …/NAME/curves would
// tell it (rest_curves.cpp).
#include "server/rest/rest.h"
#include "server/wire/request_options.h"

#include <algorithm>
#include <set>

namespace trainyard::server {
namespace {

/// Leaves the pods of the jobs that are asked for.
void choose_pods(const http::Query& query, std::vector<ObjectPtr>& pods) {
  std::set<std::string_view> jobs;
  for (const auto& [name, value] : query.all()) {
    if (name == "job") jobs.insert(value);
  }
  if (jobs.empty()) return;
  std::erase_if(pods, [&](const ObjectPtr& pod) {
    const Json* owner = controller_of(pod->body());
    return owner == nullptr || !jobs.contains(string_at(*owner, "uid"));
  });
}

}  // namespace

awaitable<Result<>> RestHandler::list_progress(Call& call) {
  CO_TRY_OK(
      check_access(call.user, Access{"get", kPods, "log", Key{call.route.key.ns, ""}, "", true}));
  CO_TRY(const ListRequest request, list_request(call.route, call.request.query));
  CO_TRY(Page page, verbs_.list(*call.kind, request));
  std::vector<ObjectPtr> pods = std::move(page.listing.objects);
  choose_pods(call.request.query, pods);
  contract::LogFoldersOfPod folders = [this, &call](const Json& pod) {
    return log_folders_for(call.user, pod);
  };
  JsonArray items;
  for (const auto& told : co_await progresses_.tell_progress(std::move(pods), std::move(folders))) {
    const Json& pod = told.pod->body();
    const Json* owner = controller_of(pod);
    items.push_back({{"metadata",
                      {{"name", name_of(pod)},
                       {"namespace", namespace_of(pod)},
                       {"uid", uid_of(pod)},
                       {"labels", object_at(pod, "metadata.labels")}}},
                     {"owner", owner == nullptr ? "" : string_at(*owner, "uid")},
                     {"progress", told.progress}});
  }
  co_return co_await send(call, 200, to_text(Json{{"items", std::move(items)}}));
}

std::vector<contract::LogFolderSource> RestHandler::log_folders_for(const User& user,
                                                                    const Json& pod) const {
  const Json* owner = controller_of(pod);
  if (owner == nullptr) return {};
  const auto& kinds = verbs_.kinds().all();
  const auto kind = std::find_if(kinds.begin(), kinds.end(), [&](const KindPtr& each) {
    return each->kind == string_at(*owner, "kind") &&
           each->resource.api_version() == string_at(*owner, "apiVersion");
  });
  if (kind == kinds.end() || !contract::may_have_logs((*kind)->resource)) return {};
  const Key job{std::string(namespace_of(pod)), std::string(string_at(*owner, "name"))};
  if (!rbac_.check(user, Access{"get", (*kind)->resource, "", job, "", true})) return {};
  const auto found = verbs_.get(**kind, job);
  // A pod may outlive its job, and another one have its name.
  if (!found || uid_of((*found)->body()) != string_at(*owner, "uid")) return {};
  contract::LogPlaces places = contract::find_log_places((*found)->body());
  if (!check_log_folders(user, job.ns, places)) return {};
  return std::move(places.folders);
}

}  // namespace trainyard::server
