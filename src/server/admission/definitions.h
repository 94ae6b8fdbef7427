#pragma once

#include "server/admission/admission.h"
#include "server/kinds/kind_table.h"

namespace trainyard::server {

/// The finalizer of a definition that still has objects.
inline constexpr const char* kDefinitionCleanUp = "customresourcecleanup.apiextensions.k8s.io";

/// Checks a CustomResourceDefinition that a user brings (`before`: the one it replaces) and writes
/// the status that says it is served, as it is from the moment it is stored.
Result<> admit_definition(const KindTable& kinds, const Json* before, Json& definition,
                          const AdmissionContext& context);

/// Says in a definition's conditions that its objects are going, and it after them.
void note_termination(Json& definition, WallTime now);

/// One of our own kinds as clients see it: there since ever, and served.
ObjectPtr built_in_definition(Json definition);

}  // namespace trainyard::server
