#pragma once

#include "server/rules/faults.h"

namespace trainyard::server {

/// A container's {requests, limits}: known names, no negative amounts, no request above its limit.
void check_resources(const Json& resources, const std::string& path, Errors& errors);

/// Amounts of any kind, such as a quota's: none below zero.
void check_amounts(const JsonObject& amounts, const std::string& path, Errors& errors);

/// Whether a name is one of Kubernetes' own, such as cpu, and not example.com/thing.
bool is_native_resource(std::string_view name);

}  // namespace trainyard::server
