#pragma once

#include "base/clock.h"
#include "object/schema/kind.h"

#include <string>
#include <vector>

namespace trainyard::server {

/// What to do with fields that a kind does not know.
enum class FieldValidation : std::uint8_t { kIgnore, kWarn, kStrict };

/// What is the same for all steps of one request.
struct AdmissionContext {
  WallTime now;
  FieldValidation validation = FieldValidation::kWarn;
  std::vector<std::string>* warnings = nullptr;  // where to put them; may be null
  std::vector<std::string> duplicates{};         // keys that occur twice in what was sent
};

/// Which part of an object a write is about.
enum class Part : std::uint8_t { kMain, kStatus, kFinalize };

/// Turns what a user sent into what is stored: identity, defaults, pruning, validation. Pure.
/// Errors carry all problems at once, each with its field path.
Result<Json> admit_create(const Kind& kind, const std::string& ns, Json object,
                          const AdmissionContext& context);
Result<Json> admit_update(const Kind& kind, const Json& current, Json object, Part part,
                          const AdmissionContext& context);

}  // namespace trainyard::server
