#pragma once

#include "node/volumes/config_objects.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace trainyard::node {

// What is in ConfigMaps and Secrets, with the errors that users of Kubernetes know.

/// The value of a configMapKeyRef or secretKeyRef. Nothing when it is missing and `optional`.
Result<std::optional<std::string>> config_value(ConfigKind kind, const Json& reference,
                                                const std::string& ns, const FindConfig& find);

/// All texts in what a configMapRef or secretRef names, in the order of their keys. Nothing when it
/// is missing and `optional`.
Result<std::vector<std::pair<std::string, std::string>>> config_values(ConfigKind kind,
                                                                       const Json& reference,
                                                                       const FindConfig& find);

}  // namespace trainyard::node
