#include "server/job_rules/job_rule_parts.h"

#include <fmt/format.h>

/// The rules of what is around jobs: TensorBoards and notebooks, gangs and queues.
namespace trainyard::server {
namespace {

/// The name becomes a label of the pod.
void check_name_as_label(const Json& object, Findings& findings) {
  constexpr std::size_t kLongest = 63;
  if (name_of(object).size() <= kLongest) return;
  findings.invalid("metadata.name", Json(name_of(object)), "must be no more than 63 characters");
}

bool leaves_its_folder(std::string_view path) {
  while (!path.empty()) {
    const std::size_t slash = path.find('/');
    if (path.substr(0, slash) == "..") return true;
    path = slash == std::string_view::npos ? std::string_view() : path.substr(slash + 1);
  }
  return false;
}

void check_folders(const Json& claim, const std::string& path, Findings& findings) {
  for (const char* spelling : {"subPath", "subpath"}) {
    std::size_t index = 0;
    for (const Json& folder : array_at(claim, spelling)) {
      const std::string folder_path = fmt::format("{}.{}[{}]", path, spelling, index++);
      const JsonString& text = folder.get_string();
      if (leaves_its_folder({text.data(), text.size()})) {
        findings.invalid(folder_path, folder, "must not contain '..'");
      }
    }
  }
}

}  // namespace

void check_tensorboard_spec(const Json& object, const std::string& path, Findings& findings) {
  const Json* spec = find(object, path);
  if (spec == nullptr) return;
  const JsonArray& claims = array_at(*spec, "logDir.pvc");
  for (std::size_t i = 0; i < claims.size(); ++i) {
    check_folders(claims[i], fmt::format("{}.logDir.pvc[{}]", path, i), findings);
  }
  if (claims.empty() && find(*spec, "logDir.s3") == nullptr &&
      find(*spec, "logDir.http") == nullptr && array_at(*spec, "trainingLogFilesets").empty()) {
    findings.required(path + ".logDir",
                      "must name at least one place with event files, in pvc, s3 or http");
  }
  const std::string requests = path + ".resources.requests";
  const std::string limits = path + ".resources.limits";
  check_amounts(object, requests, findings);
  check_amounts(object, limits, findings);
  check_not_above(object, requests, limits, "limit", findings);
}

void check_tensorboard(const Json& board, PodSpecCheck, Findings& findings) {
  check_name_as_label(board, findings);
  check_tensorboard_spec(board, "spec", findings);
}

void check_notebook(const Json& notebook, PodSpecCheck check_pod_spec, Findings& findings) {
  check_name_as_label(notebook, findings);
  PodsOfType pod;
  pod.path = "spec";
  pod.pod = find(notebook, "spec.template.spec");
  check_pod_specs({pod}, check_pod_spec, findings);
  check_container({pod}, "notebook", findings);
}

void check_pod_group(const Json& group, PodSpecCheck, Findings& findings) {
  check_amounts(group, "spec.minResources", findings);
}

void check_queue(const Json& queue, PodSpecCheck, Findings& findings) {
  const std::string capability = "spec.capability";
  const std::string deserved = "spec.deserved";
  const std::string guarantee = "spec.guarantee.resource";
  for (const std::string& amounts : {capability, deserved, guarantee}) {
    check_amounts(queue, amounts, findings);
  }
  check_not_above(queue, deserved, capability, "capability", findings);
  check_not_above(queue, guarantee, capability, "capability", findings);
  check_not_above(queue, guarantee, deserved, "deserved amount", findings);
  if (const Json* parent = find(queue, "spec.parent");
      parent != nullptr && string_at(queue, "spec.parent") == name_of(queue)) {
    findings.invalid("spec.parent", *parent, "a queue cannot be a part of itself");
  }
}

}  // namespace trainyard::server
