#pragma once

#include "object/schema/kind.h"

namespace trainyard::server {

/// Whether objects of this version of a kind may look other than what is stored.
bool differs_from_stored(const Kind& kind);
/// The same of an object that was stored at this revision.
bool differs_from_stored(const Kind& kind, std::int64_t revision);

/// What is stored, as this version of the kind shows it: another apiVersion, for events of the
/// group events.k8s.io other names of the same fields, and for what was stored before a user's
/// definition was changed the defaults of now.
Json to_version(const Kind& kind, Json stored, std::int64_t revision);
/// What is written in this version, as it is stored: with the defaults of the stored version.
Json to_stored(const Kind& kind, Json object);

}  // namespace trainyard::server
