#include "cli/jobs_view.h"

#include "object/status.h"

#include <fmt/format.h>

namespace trainyard::cli {
const std::vector<Resource>& job_resources() {
  static const std::vector<Resource> kResources{kPyTorchTrainingJobs};
  return kResources;
}

awaitable<Result<std::vector<ObjectPtr>>> list_jobs(client::RemoteApi& api, std::string ns) {
  std::vector<ObjectPtr> jobs;
  client::ListOptions options;
  options.ns = std::move(ns);
  for (const Resource& resource : job_resources()) {
    CO_TRY(client::Listing listing, co_await api.list(resource, options));
    jobs.insert(jobs.end(), listing.items.begin(), listing.items.end());
  }
  co_return jobs;
}

awaitable<Result<ObjectPtr>> find_job(client::RemoteApi& api, Key key) {
  for (const Resource& resource : job_resources()) {
    auto job = co_await api.get(resource, key);
    if (job || !job.failed_with(Code::kNotFound)) co_return job;
  }
  co_return Error(Code::kNotFound,
                  fmt::format("there is no job {} in namespace {}: `trainyard list -A` shows all",
                              key.name, key.ns));
}

Resource resource_of(const Json& job) {
  for (const Resource& resource : job_resources()) {
    if (resource.api_version() == string_at(job, "apiVersion")) return resource;
  }
  return kPyTorchTrainingJobs;
}

awaitable<Result<std::vector<ObjectPtr>>> list_pods_of(client::RemoteApi& api, Key job) {
  client::ListOptions options;
  options.ns = job.ns;
  options.labels = fmt::format("{}={}", kOwnerNameLabel, job.name);
  CO_TRY(client::Listing listing, co_await api.list(kPods, options));
  co_return std::move(listing.items);
}

std::string replica_summary(const Json& job) {
  std::string text;
  for (const Json& task : array_at(job, "status.tasks")) {
    std::size_t up = 0;
    for (const Json& replica : array_at(task, "replicas")) {
      const std::string_view phase = string_at(replica, "phase");
      up += phase == "Running" || phase == "Succeeded" ? 1 : 0;
    }
    text += fmt::format("{}{}: {}/{}", text.empty() ? "" : ", ", string_at(task, "type"), up,
                        array_at(task, "replicas").size());
  }
  return text.empty() ? "-" : text;
}

std::string explanation(const Json& job) {
  for (const char* type : {"Failed", "ReplicaFailure"}) {
    if (has_condition(job, type))
      return std::string(string_at(*find_condition(job, type), "message"));
  }
  return {};
}

std::string waiting_reason(const std::vector<ObjectPtr>& pods) {
  for (const ObjectPtr& pod : pods) {
    const Json& body = pod->body();
    const Json* placed = find_condition(body, "PodScheduled");
    if (placed != nullptr && string_at(*placed, "status") == "False") {
      return fmt::format("{} waits to be placed: {}", name_of(body), string_at(*placed, "message"));
    }
    for (const Json& container : array_at(body, "status.containerStatuses")) {
      const std::string_view message = string_at(container, "state.waiting.message");
      if (!message.empty()) return fmt::format("{} waits to start: {}", name_of(body), message);
    }
  }
  return {};
}

std::string age_of(const Json& object, WallTime now) {
  const auto created = parse_time(string_at(object, "metadata.creationTimestamp"));
  if (!created) return "<unknown>";
  return format_age(std::chrono::duration_cast<std::chrono::seconds>(now - *created));
}

}  // namespace trainyard::cli
