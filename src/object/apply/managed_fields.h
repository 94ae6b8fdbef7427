#pragma once

#include "object/json/json.h"
#include "object/schema/schema.h"

#include <string>

namespace trainyard {

/// Who writes: the name from ?fieldManager= or the client's User-Agent, the version that the
/// request speaks, the subresource that it goes to, and the time to note (RFC 3339).
struct FieldManager {
  std::string name;
  std::string api_version;
  std::string subresource;
  std::string time;
};

/// Notes in after.metadata.managedFields who owns which field, for everything but server-side
/// apply. `before` is the stored object, or nullptr when `after` is created. `after` is the object
/// as it will be stored: call this last, when defaults and what the request may not touch (status,
/// or all but status) are settled.
///
/// What the request itself says in managedFields counts as what was there before; [] and [{}]
/// forget everything. An object that exists and has no managedFields is not tracked until somebody
/// applies it.
void track_update(Json& after, const Json* before, const Schema& schema,
                  const FieldManager& manager);

/// Server-side apply: `current` (nullptr: to be created) with what the configuration says and
/// without what it no longer says, managedFields up to date. kConflict, with a cause for each
/// field, when others own fields whose values would change and `force` is not set. Leave out of the
/// configuration what the request may not touch (status, or all but status).
Result<Json> apply_configuration(const Json* current, const Json& configuration,
                                 const Schema& schema, const FieldManager& manager, bool force);

/// Takes the old times in managedFields back when nothing else differs, so that writing the same
/// again changes nothing. Call this when defaults have been filled in after apply_configuration.
void keep_times_when_unchanged(Json& after, const Json& before);

}  // namespace trainyard
