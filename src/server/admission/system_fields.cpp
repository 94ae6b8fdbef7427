#include "server/admission/system_fields.h"

#include "object/values/metadata.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace trainyard::server {
namespace {

/// When the system itself may write it.
enum class When : std::uint8_t {
  kAlways,
  /// Never with a new object: controllers make pods of what users have written into templates.
  kLater,
};

struct SystemAnnotation {
  std::string_view name;
  std::string_view by;  // for people
  When when = When::kAlways;
};

/// The list. Who lets others act upon another annotation puts it here.
constexpr std::array kAnnotations{
    // Of pods: numbers of GPUs; with the node, by the verb that binds.
    SystemAnnotation{"trainyard.dev/gpus", "the scheduler", When::kLater},
    SystemAnnotation{"trainyard.dev/restarts", "the job's controller"},
    SystemAnnotation{"trainyard.dev/app-form", "the controller of TensorBoards and notebooks"},
    // Of jobs.
    SystemAnnotation{"trainyard.dev/port", "the job's controller"},
    SystemAnnotation{"trainyard.dev/ports", "the job's controller"},
    SystemAnnotation{"trainyard.dev/end-told", "the server, when it has told of the job's end"},
    // Of TensorBoards and notebooks.
    SystemAnnotation{"trainyard.dev/last-used", "the server, when somebody uses the page"},
    // Of nodes.
    SystemAnnotation{"trainyard.dev/machine", "the node"},
    SystemAnnotation{"trainyard.dev/labels", "the node"},
    SystemAnnotation{"trainyard.dev/fake-gpus", "the node"},
};

const Json* annotation_in(const Json& object, std::string_view name) {
  const JsonObject& annotations = object_at(object, "metadata.annotations");
  return annotations.if_contains(name);
}

void remove_annotation(Json& object, std::string_view name) {
  Json* annotations = find(object, "metadata.annotations");
  if (annotations == nullptr || !annotations->is_object()) return;
  JsonObject& members = annotations->get_object();
  if (const auto found = members.find(name); found != members.end()) members.stable_erase(found);
  if (!members.empty()) return;
  JsonObject& metadata = find(object, "metadata")->get_object();
  metadata.stable_erase(metadata.find("annotations"));
}

void set_annotation(Json& object, std::string_view name, const Json& value) {
  Json& annotations = make_path(object, "metadata.annotations");
  if (!annotations.is_object()) annotations = JsonObject();
  annotations.get_object()[name] = value;
}

}  // namespace

bool is_system_annotation(std::string_view name) {
  return std::any_of(kAnnotations.begin(), kAnnotations.end(),
                     [&](const SystemAnnotation& one) { return one.name == name; });
}

void keep_system_fields(Writer writer, const Json* before, Json& object,
                        std::vector<std::string>* warnings) {
  for (const SystemAnnotation& one : kAnnotations) {
    const bool may = writer == Writer::kSystem && (before != nullptr || one.when == When::kAlways);
    if (may) continue;
    const Json* sent = annotation_in(object, one.name);
    const Json* kept = before == nullptr ? nullptr : annotation_in(*before, one.name);
    if (sent == nullptr && kept == nullptr) continue;
    if (sent != nullptr && kept != nullptr && *sent == *kept) continue;
    if (sent != nullptr && warnings != nullptr) {
      warnings->push_back(fmt::format("metadata.annotations[{}]: {}: only {} writes it", one.name,
                                      kept == nullptr ? "left out" : "stays as it was", one.by));
    }
    if (kept == nullptr) {
      remove_annotation(object, one.name);
    } else {
      set_annotation(object, one.name, *kept);
    }
  }
}

}  // namespace trainyard::server
