#pragma once

#include "object/json/json.h"

#include <string>
#include <string_view>
#include <vector>

namespace trainyard::server {

/// Who writes.
enum class Writer : std::uint8_t {
  kUser,    // somebody who came by HTTP, an administrator too
  kSystem,  // our own scheduler, node and controllers
};

/// Annotations that others act upon as if they were facts: which GPUs a pod has, at which port a
/// job meets. Only the system writes them. All of them are in the one list in system_fields.cpp.
///
/// In what users send they are not refused, since everybody may send back what was read: a copy of
/// a job, `kubectl apply` of an export. What is stored stays (`before`; nullptr: the object is
/// new, and has none), and a warning says so where something else was asked for.
void keep_system_fields(Writer writer, const Json* before, Json& object,
                        std::vector<std::string>* warnings);

/// Whether that annotation is one of them.
bool is_system_annotation(std::string_view name);

}  // namespace trainyard::server
