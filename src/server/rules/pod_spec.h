#pragma once

#include "server/rules/faults.h"

namespace trainyard::server {

/// The rules of a pod's spec, in a pod or in a template. Says nothing of missing images: a job's
/// template may leave them to its controller.
void check_pod_spec(const Json& spec, const std::string& path, std::vector<FieldError>& errors);

/// A template of a built-in kind: labels, and a spec whose every container names its image.
void check_pod_template(const Json& pod_template, const std::string& path, Errors& errors);
void check_images(const Json& spec, const std::string& path, Errors& errors);

/// What an update may not change in a pod, which is all but a few fields.
void check_pod_update(const Json& before, const Json& after, Errors& errors);

}  // namespace trainyard::server
