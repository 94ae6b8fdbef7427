#include "cli/arena/views/load_jobs.h"

#include "cli/arena/installed.h"
#include "cli/arena/pod_role.h"
#include "cli/command/job_facts.h"
#include "client/watching/parallel.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <optional>

namespace trainyard::cli::arena {
namespace {

/// What no list shows, and most of what a list is long for.
const std::vector<std::string> kNotShownOfJobs{"managedFields", "template"};
const std::vector<std::string> kNotShownOfPods{"managedFields", "volumes", "volumeMounts",
                                               "env",           "args",    "command",
                                               "tolerations",   "affinity"};

/// Where only phase, node and role of a pod are shown.
const std::vector<std::string> kNotShownInBrief{
    "managedFields",     "spec",   "annotations", "ownerReferences",      "conditions",
    "containerStatuses", "podIPs", "hostIPs",     "initContainerStatuses"};

/// One request of several that are made together.
struct ListRequest {
  Resource resource;
  client::ListOptions options;
  std::vector<std::string> not_shown;
  Result<client::Listing> answer;
};

awaitable<Result<>> ask(client::RemoteApi& api, ListRequest& request) {
  request.answer = co_await api.list_without(request.resource, request.options, request.not_shown);
  co_return Ok();
}

/// Two at a time: while one answer is read the server writes the next.
Result<> ask_all(Session& session, std::vector<ListRequest>& requests) {
  return session.run(client::run_parallel(
      requests.size(), 2, [&](std::size_t index) { return ask(session.api(), requests[index]); }));
}

Error not_allowed(const Error& error, const std::string& ns) {
  if (error.code() != Code::kForbidden) return error;
  return Error(Code::kForbidden,
               fmt::format("you may not list jobs in {}: {}",
                           ns.empty() ? "all namespaces" : "namespace " + ns, error.message()));
}

std::vector<ListRequest> requests_for(const JobQuery& query, const std::string& ns) {
  std::vector<ListRequest> requests;
  std::vector<std::string> names;
  for (const TrainingType& type : query.types) {
    client::ListOptions options;
    options.ns = ns;
    options.labels = fmt::format("app={},release", type.name);
    requests.push_back({type.resource, std::move(options), kNotShownOfJobs, {}});
    names.push_back(type.name);
  }
  client::ListOptions pods;
  pods.ns = ns;
  pods.labels = fmt::format("app in ({}),release", fmt::join(names, ","));
  if (!query.gpus_and_ends) pods.fields = kLivePods;
  requests.push_back(
      {kPods, std::move(pods), query.gpus_and_ends ? kNotShownOfPods : kNotShownInBrief, {}});
  return requests;
}

/// namespace/type/job → its pods.
using PodsOfJobs = std::map<std::string, std::vector<ObjectPtr>>;

PodsOfJobs sort_out(const std::vector<ObjectPtr>& pods) {
  PodsOfJobs sorted;
  for (const ObjectPtr& pod : pods) {
    const Json& body = pod->body();
    if (!is_of_kubeflow(body)) continue;
    sorted[fmt::format("{}/{}/{}", namespace_of(body), label_of(body, "app"),
                       label_of(body, "release"))]
        .push_back(pod);
  }
  return sorted;
}

void sort_by_name(std::vector<ObjectPtr>& pods) {
  std::sort(pods.begin(), pods.end(), [](const ObjectPtr& a, const ObjectPtr& b) {
    return name_of(a->body()) < name_of(b->body());
  });
}

Error nothing_there(const std::string& name, const std::string& ns, const std::string& type) {
  return Error(Code::kNotFound,
               fmt::format("Not found training job {}{} in namespace {}: `arena list` shows the "
                           "jobs that are there, `arena submit` makes one",
                           name, type.empty() ? "" : " of type " + type, ns));
}

/// Who left a record and no job can only clean up.
void warn_of_leftover(Context& context, Session& session, const std::string& name,
                      const std::vector<TrainingType>& types) {
  for (const TrainingType& type : types) {
    const auto record =
        session.run(session.api().get(kConfigMaps, Key{context.ns(), record_name(name, type)}));
    if (!record || label_of((*record)->body(), "createdBy") != "arena") continue;
    context.log().warn(fmt::format(
        "the job {} is gone, but its record is left: `arena delete {}` removes it", name, name));
  }
}

}  // namespace

Result<std::vector<ObjectPtr>> load_all(Context& context, const Resource& resource,
                                        bool all_namespaces, const std::string& labels,
                                        const std::string& fields) {
  TRY(Session* const session, context.session());
  client::ListOptions options;
  options.ns = all_namespaces ? "" : context.ns();
  options.labels = labels;
  options.fields = fields;
  const std::vector<std::string> not_shown =
      resource == kPods ? kNotShownOfPods : std::vector<std::string>{"managedFields"};
  TRY(client::Listing listing,
      session->run(session->api().list_without(resource, options, not_shown)));
  return std::move(listing.items);
}

Result<std::vector<TrainingJob>> load_jobs(Context& context, const JobQuery& query) {
  TRY(Session* const session, context.session());
  TRY(const Visibility visibility, context.visibility(query.all_namespaces));
  const std::string ns = query.all_namespaces ? "" : context.ns();
  std::vector<ListRequest> requests = requests_for(query, ns);
  TRY_OK(ask_all(*session, requests));
  if (!requests.back().answer) return not_allowed(requests.back().answer.error(), ns);
  PodsOfJobs pods = sort_out(requests.back().answer->items);
  std::vector<TrainingJob> jobs;
  std::vector<Error> refused;
  for (std::size_t i = 0; i < query.types.size(); ++i) {
    const auto& answer = requests[i].answer;
    if (!answer && is_not_installed(*session, query.types[i].resource, answer.error())) continue;
    if (answer.failed_with(Code::kForbidden)) {
      refused.push_back(not_allowed(answer.error(), ns));
      continue;
    }
    if (!answer) return answer.error();
    for (const ObjectPtr& object : answer->items) {
      if (!visibility.sees(object->body())) continue;
      TrainingJob job{query.types[i], object, {}};
      const auto found = pods.find(fmt::format("{}/{}/{}", job.ns(), job.type.name, job.name()));
      if (found != pods.end()) job.pods = std::move(found->second);
      sort_by_name(job.pods);
      jobs.push_back(std::move(job));
    }
  }
  // A type that one may not see is no reason to show nothing of the others.
  if (!refused.empty() && refused.size() == query.types.size()) return refused.front();
  for (const Error& one : refused) context.log().warn(one.message());
  return jobs;
}

Result<TrainingJob> load_job(Context& context, const std::string& name, const std::string& type) {
  TRY(Session* const session, context.session());
  TRY(const std::vector<TrainingType> types, types_meant(type));
  TRY(const Visibility visibility, context.visibility(false));
  std::vector<TrainingJob> found;
  std::optional<Error> refused;
  for (const TrainingType& one : types) {
    auto object = session->run(session->api().get(one.resource, Key{context.ns(), name}));
    if (!object && is_not_installed(*session, one.resource, object.error())) continue;
    if (object.failed_with(Code::kForbidden)) {
      refused = object.error();
      continue;
    }
    if (!object) return std::move(object).error();
    found.push_back({one, *std::move(object), {}});
  }
  if (found.empty() && refused) return *refused;
  if (found.empty()) {
    warn_of_leftover(context, *session, name, types);
    return nothing_there(name, context.ns(), type);
  }
  if (found.size() > 1) {
    return Error(Code::kConflict,
                 fmt::format("there is more than one training job {}: `arena list` shows them, "
                             "--type says which is meant",
                             name));
  }
  TrainingJob job = std::move(found.front());
  if (!visibility.sees(job.body())) return not_yours(name);
  // Jobs that were made by other means have Kubeflow's label alone.
  const bool of_arena = label_of(job.body(), "release") == name;
  TRY(std::vector<ObjectPtr> pods,
      load_all(
          context, kPods, false,
          fmt::format("{}={}", of_arena ? "release" : "training.kubeflow.org/job-name", name)));
  std::erase_if(pods, [&](const ObjectPtr& pod) {
    return !is_pod_of(job.body(), pod->body()) && !is_instance_of(pod->body(), job.type.name, name);
  });
  sort_by_name(pods);
  job.pods = std::move(pods);
  return job;
}

}  // namespace trainyard::cli::arena
