#include "server/kinds/versions.h"

#include <array>

namespace trainyard::server {
namespace {

struct Renamed {
  std::string_view core;
  std::string_view events;
};

/// An event's fields in the core group and in events.k8s.io.
constexpr std::array<Renamed, 7> kEventFields{{{"involvedObject", "regarding"},
                                               {"message", "note"},
                                               {"reportingComponent", "reportingController"},
                                               {"source", "deprecatedSource"},
                                               {"firstTimestamp", "deprecatedFirstTimestamp"},
                                               {"lastTimestamp", "deprecatedLastTimestamp"},
                                               {"count", "deprecatedCount"}}};

bool is_other_version(const Kind& kind) {
  return kind.resource.api_version() != kind.storage_api_version;
}

bool is_event_view(const Kind& kind) {
  return kind.resource.group == "events.k8s.io";
}

std::string_view renamed(std::string_view name, bool to_core) {
  for (const Renamed& field : kEventFields) {
    if (name == (to_core ? field.events : field.core)) return to_core ? field.core : field.events;
  }
  return name;
}

Json rename_fields(Json event, bool to_core) {
  JsonObject result;
  for (auto& member : event.get_object()) {
    result[renamed(member.key(), to_core)] = std::move(member.value());
  }
  return result;
}

}  // namespace

bool differs_from_stored(const Kind& kind) {
  return is_other_version(kind) || kind.defaults_since > 0;
}

bool differs_from_stored(const Kind& kind, std::int64_t revision) {
  return is_other_version(kind) || revision < kind.defaults_since;
}

Json to_version(const Kind& kind, Json stored, std::int64_t revision) {
  if (!stored.is_object()) return stored;
  if (revision < kind.defaults_since) kind.storage_schema->apply_defaults(stored);
  if (!is_other_version(kind)) return stored;
  if (is_event_view(kind)) stored = rename_fields(std::move(stored), false);
  stored.get_object()["apiVersion"] = kind.resource.api_version();
  return stored;
}

Json to_stored(const Kind& kind, Json object) {
  if (!is_other_version(kind) || !object.is_object()) return object;
  if (is_event_view(kind)) object = rename_fields(std::move(object), true);
  object.get_object()["apiVersion"] = kind.storage_api_version;
  if (kind.custom) kind.storage_schema->apply_defaults(object);
  return object;
}

}  // namespace trainyard::server
