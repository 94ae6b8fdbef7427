#pragma once

#include "object/values/metadata.h"

#include <cstdint>
#include <string>
#include <vector>

namespace trainyard::workloads {

/// A short name for a pod template. `collisions`: how often that name was taken already.
std::string template_hash(const Json& pod_template, std::int64_t collisions);

/// Whether two templates ask for the same pods; the label with their hash does not count.
bool same_template(const Json& a, const Json& b);

/// The set that a Deployment's template asks for now, or nullptr; of several the oldest.
ObjectPtr find_new_set(const Json& deployment, const std::vector<ObjectPtr>& sets);

/// The revision in an object's annotation; 0 when there is none.
std::int64_t revision_of(const Json& object);

/// The annotations that the new set shall have: those of the Deployment that are not about itself,
/// and its revision; a set that is taken up again keeps in mind which ones it was.
JsonObject annotations_for_set(const Json& deployment, const JsonObject& before,
                               std::int64_t revision);

/// The ReplicaSet for the Deployment's template.
Json make_replica_set(const Json& deployment, std::int64_t replicas, std::int64_t max_replicas,
                      std::int64_t revision);

}  // namespace trainyard::workloads
