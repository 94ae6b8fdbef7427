#pragma once

#include "object/json/json.h"

#include <string_view>

/// What is read in the status of pods, jobs and other objects.
namespace trainyard {

/// Whether a phase is one that never changes again: of a pod, and of a job.
bool is_final(std::string_view phase);
bool has_ended(const Json& object);

/// The condition of that type, or nullptr.
const Json* find_condition(const JsonArray& conditions, std::string_view type);
/// Of the object's status.conditions.
const Json* find_condition(const Json& object, std::string_view type);
/// Whether the object has that condition, and it is True.
bool has_condition(const Json& object, std::string_view type);

}  // namespace trainyard
