#pragma once

#include "object/kind.h"

namespace trainyard::server {

/// Whether this version of a kind looks other than what is stored.
bool differs_from_stored(const Kind& kind);

/// What is stored, as this version of the kind shows it: another apiVersion, and for events of the
/// group events.k8s.io other names of the same fields.
Json to_version(const Kind& kind, Json stored);
Json to_stored(const Kind& kind, Json object);

}  // namespace trainyard::server
