#pragma once

#include "contract/image_map.h"
#include "contract/web_apps.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace trainyard::workloads {

/// One word for programs, one sentence for people.
struct Problem {
  std::string reason;
  std::string message;
};

/// What an app needs, read from its spec.
struct AppForm {
  std::vector<std::pair<Resource, Json>> children;  // made before the pod, kept while suspended
  Json pod;
  std::vector<std::string> claims;    // that have to be there before the pod
  std::optional<Problem> refusal;     // why it cannot run at all
  std::vector<Problem> shortcomings;  // what it asks for and does not get
};

/// What is special about a kind of web app. Stateless.
class AppKind {
 public:
  virtual ~AppKind() = default;
  virtual const Resource& resource() const = 0;
  /// As YAML files write it: TensorBoard.
  virtual const char* name() const = 0;
  /// As paths and names of pods write it: tensorboard.
  virtual const char* word() const = 0;
  virtual AppForm read(const Json& app) const = 0;
  /// What to type when its program is not there; `map` says what the app's image means.
  virtual std::string how_to_install(const std::optional<contract::ImageMap>& map) const = 0;
};

/// Annotation of an app's pod: a hash of the spec that it was made from.
inline constexpr const char* kFormAnnotation = "trainyard.dev/app-form";

std::string app_pod_name(const AppKind& kind, const Json& app);
/// {apiVersion, kind, metadata} of something that belongs to an app and goes with it.
Json app_child(const AppKind& kind, const Json& app, const char* api_version, const char* kind_name,
               const std::string& name);
/// The app's pod with that spec, labelled, placed as the app's scheduler says, and with the hash.
Json app_pod(const AppKind& kind, const Json& app, JsonObject annotations, Json spec);

}  // namespace trainyard::workloads
