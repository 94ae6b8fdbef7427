#pragma once

#include "base/clock.h"
#include "object/schema/kind.h"

#include <string>
#include <vector>

namespace trainyard {

/// What kubectl prints: a meta.k8s.io/v1 Table with a row for each object. `include` says how much
/// of each object goes along: None, Metadata (kubectl's default) or Object.
Json make_table(const Kind& kind, const std::vector<ObjectPtr>& objects, WallTime now,
                const std::string& include, bool with_columns);

/// Evaluates a column's JSONPath: .spec.a.b, ['x'], [0], [*] and [?(@.type=="Ready")]. The first
/// value found, or null.
Json evaluate_path(const Json& object, std::string_view path);

}  // namespace trainyard
