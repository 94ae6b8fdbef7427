#include "node/images/python_site.h"

#include "base/files/files.h"
#include "embedded/python_site.h"
#include "object/values/metadata.h"

#include <algorithm>

namespace trainyard::node {
namespace {

/// All pods that jobs make have it (jobs/engine/form/names.h).
constexpr const char* kGroupAnnotation = "scheduling.k8s.io/group-name";

}  // namespace

bool is_of_job(const Json& pod) {
  return !annotation_of(pod, kGroupAnnotation).empty() &&
         !array_at(pod, "metadata.ownerReferences").empty();
}

void show_python_site(Variables& variables) {
  const auto path = std::find_if(variables.begin(), variables.end(), [](const auto& variable) {
    return variable.first == "PYTHONPATH";
  });
  if (path == variables.end()) {
    variables.emplace_back("PYTHONPATH", kPythonSitePath);
  } else {
    path->second.append(path->second.empty() ? "" : ":").append(kPythonSitePath);
  }
}

Result<> write_python_site(const std::filesystem::path& tools) {
  const std::filesystem::path folder = tools / "site";
  TRY_OK(make_folders(folder, 0755));
  return write_file_unsynced(folder / "sitecustomize.py", embedded::python_site().front().bytes,
                             0644);
}

}  // namespace trainyard::node
