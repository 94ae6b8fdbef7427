#pragma once

#include "base/clock.h"
#include "object/json/json.h"
#include "object/values/status.h"

#include <string>

namespace trainyard::workloads {

struct Condition {
  std::string type;
  std::string status;  // True, False or Unknown
  std::string reason;
  std::string message;
};

/// Writes a condition. Its lastTransitionTime moves only when its status changes.
void set_condition(JsonArray& conditions, const Condition& condition, WallTime now);
void remove_condition(JsonArray& conditions, std::string_view type);

}  // namespace trainyard::workloads
