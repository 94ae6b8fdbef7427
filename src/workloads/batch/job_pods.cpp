#include "workloads/batch/job_pods.h"

#include "workloads/apps/pods.h"
#include "workloads/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace trainyard::workloads {
namespace {

constexpr const char* kIndexName = "batch.kubernetes.io/job-completion-index";
constexpr const char* kIndexVariable = "JOB_COMPLETION_INDEX";
constexpr std::size_t kLongestHostName = 63;

void add_variable(Json& pod, const char* list, const std::string& value) {
  Json* containers = find(pod, list);
  if (containers == nullptr) return;
  for (Json& container : containers->get_array()) {
    JsonArray variables = array_at(container, "env");
    const bool set = std::any_of(variables.begin(), variables.end(), [](const Json& variable) {
      return string_at(variable, "name") == kIndexVariable;
    });
    if (set) continue;
    variables.push_back({{"name", kIndexVariable}, {"value", value}});
    container.get_object()["env"] = std::move(variables);
  }
}

void number_pod(Json& pod, const Json& job, std::int64_t index) {
  const std::string text = std::to_string(index);
  for (const char* map : {"metadata.labels", "metadata.annotations"}) {
    Json& values = make_path(pod, map);
    if (!values.is_object()) values = JsonObject();
    values.get_object()[kIndexName] = text;
  }
  const std::string name = fmt::format("{}-{}", name_of(job), text);
  make_path(pod, "metadata.generateName") = name + "-";
  const bool is_host_name = name.size() <= kLongestHostName && name.find('.') == std::string::npos;
  if (is_host_name) make_path(pod, "spec.hostname") = name;
  add_variable(pod, "spec.containers", text);
  add_variable(pod, "spec.initContainers", text);
}

}  // namespace

bool is_tracked(const Json& pod) {
  const JsonArray& finalizers = array_at(pod, "metadata.finalizers");
  return std::any_of(finalizers.begin(), finalizers.end(), [](const Json& finalizer) {
    return text_of(finalizer) == kTrackingFinalizer;
  });
}

Json untracking_patch(const Json& pod) {
  JsonArray others;
  for (const Json& finalizer : array_at(pod, "metadata.finalizers")) {
    if (text_of(finalizer) != kTrackingFinalizer) others.push_back(finalizer);
  }
  return {{"metadata",
           {{"uid", uid_of(pod)},
            {"resourceVersion", string_at(pod, "metadata.resourceVersion")},
            {"finalizers", others.empty() ? Json(nullptr) : Json(std::move(others))}}}};
}

std::optional<std::int64_t> completion_index(const Json& pod) {
  const std::string_view text = annotation_of(pod, kIndexName);
  std::int64_t index = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), index);
  if (text.empty() || parsed.ec != std::errc()) return std::nullopt;
  return index;
}

WallTime end_time(const Json& pod) {
  WallTime last;
  for (const Json& container : array_at(pod, "status.containerStatuses")) {
    const auto end = parse_time(string_at(container, "state.terminated.finishedAt"));
    if (end) last = std::max(last, *end);
  }
  if (last != WallTime()) return last;
  for (const char* field : {"metadata.deletionTimestamp", "metadata.creationTimestamp"}) {
    if (const auto time = parse_time(string_at(pod, field))) return *time;
  }
  return last;
}

std::int64_t restarts_of(const Json& pod) {
  std::int64_t restarts = 0;
  for (const char* list : {"status.initContainerStatuses", "status.containerStatuses"}) {
    for (const Json& container : array_at(pod, list)) {
      restarts += int_at(container, "restartCount");
    }
  }
  return restarts;
}

Json make_job_pod(const Json& job, std::optional<std::int64_t> index) {
  Json pod = pod_from_template(json_at(job, "spec.template"), job);
  JsonArray finalizers = array_at(pod, "metadata.finalizers");
  finalizers.emplace_back(kTrackingFinalizer);
  make_path(pod, "metadata.finalizers") = std::move(finalizers);
  Json& labels = make_path(pod, "metadata.labels");
  if (!labels.is_object()) labels = JsonObject();
  labels.get_object()[kJobNameLabel] = name_of(job);
  if (index) number_pod(pod, job, *index);
  return pod;
}

}  // namespace trainyard::workloads
