// GET pods?progress=true: how far the jobs have come that these pods belong to, one answer a job.
//
// With the selectors of a list of pods, and job=UID (any number; none: all). It is in the logs, so
// whoever asks must be allowed to read those; what event files add is for whom …/NAME/curves would
// tell it (rest_curves.cpp).
#include "server/rest/handlers.h"
#include "server/rest/log_folders.h"
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

awaitable<Result<>> list_progress(Call& call, Verbs& verbs, const Rbac& rbac,
                                  contract::JobProgresses& progresses) {
  CO_TRY_OK(
      rbac.check(call.user, Access{"get", kPods, "log", Key{call.route.key.ns, ""}, "", true}));
  CO_TRY(const ListRequest request, list_request(call.route, call.request.query));
  CO_TRY(Page page, verbs.list(*call.kind, request));
  std::vector<ObjectPtr> pods = std::move(page.listing.objects);
  choose_pods(call.request.query, pods);
  contract::LogFoldersOfPod folders = [&verbs, &rbac, &call](const Json& pod) {
    return log_folders_for(verbs, rbac, call.user, pod);
  };
  JsonArray items;
  for (const auto& told : co_await progresses.tell_progress(std::move(pods), std::move(folders))) {
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
  co_return co_await call.send(200, to_text(Json{{"items", std::move(items)}}));
}

}  // namespace

CallHandler handle_progress(const Sources& sources) {
  return handler(list_progress, sources.verbs, sources.rbac, sources.progresses);
}

}  // namespace trainyard::server
