#pragma once

#include "base/clock.h"
#include "object/json/json.h"

#include <optional>
#include <string>

/// What is told of a job when it has ended. Pure.
namespace trainyard::jobs {

/// The address that a job wants to be told at: its author's choice.
inline constexpr const char* kWebhookAnnotation = "trainyard.dev/webhook";
/// When all were told, or given up: so that no restart tells anything twice.
inline constexpr const char* kToldAnnotation = "trainyard.dev/end-told";

/// Succeeded or Failed; empty while the job goes on.
std::string end_of(const Json& job);
/// Nothing where the job does not say.
std::optional<WallTime> end_time(const Json& job);
/// For chats and programs: `text` is a sentence, the rest is for who wants to know more.
Json end_notice(const Json& job);

}  // namespace trainyard::jobs
