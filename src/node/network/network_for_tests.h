#pragma once

#include "object/values/metadata.h"

#include <string>

namespace trainyard::node {

/// For tests: a ready pod with the label app=NAME.
inline Json place_of_pod(const std::string& name, const std::string& ns = "demo") {
  return {{"metadata",
           {{"name", name}, {"namespace", ns}, {"uid", "u-" + name}, {"labels", {{"app", name}}}}},
          {"spec", JsonObject()},
          {"status", {{"conditions", JsonArray{{{"type", "Ready"}, {"status", "True"}}}}}}};
}

/// The same, not ready.
inline Json unready(Json pod) {
  make_path(pod, "status.conditions") = JsonArray();
  return pod;
}

/// For tests: a Service for app=APP with one port.
inline Json place_of_service(const std::string& name, const std::string& app,
                             const std::string& ns = "demo") {
  return {{"metadata", {{"name", name}, {"namespace", ns}}},
          {"spec", {{"selector", {{"app", app}}}, {"ports", JsonArray{{{"port", 80}}}}}}};
}

}  // namespace trainyard::node
