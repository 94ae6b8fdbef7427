#include "cli/jobs/debug_copy.h"

#include "cli/command/job_facts.h"

#include <fmt/format.h>

namespace trainyard::cli {

Result<Json> debug_copy(const Json& job, const std::string& name) {
  if (is_kubeflow(job)) {
    return Error(Code::kInvalid,
                 fmt::format("{} has no debug mode; T9k's kinds, such as PyTorchTrainingJob, have "
                             "one",
                             string_at(job, "kind")));
  }
  Json copy{{"apiVersion", string_at(job, "apiVersion")}, {"kind", string_at(job, "kind")}};
  // What the server and its controllers wrote stays behind.
  Json metadata(JsonObject{});
  if (name.empty()) {
    metadata.as_object()["generateName"] = string_at(job, "metadata.generateName");
  } else {
    metadata.as_object()["name"] = name;
  }
  for (const char* field : {"namespace", "labels"}) {
    if (const Json* value = find(job, fmt::format("metadata.{}", field))) {
      metadata.as_object()[field] = *value;
    }
  }
  copy.as_object()["metadata"] = std::move(metadata);
  if (const Json* spec = find(job, "spec")) copy.as_object()["spec"] = *spec;
  make_path(copy, "spec.runMode.debug.enabled") = true;
  // One that is held brings up no pods to look into.
  if (find(copy, "spec.runMode.pause.enabled") != nullptr) {
    make_path(copy, "spec.runMode.pause.enabled") = false;
  }
  return copy;
}

}  // namespace trainyard::cli
