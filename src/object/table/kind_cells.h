#pragma once

#include "base/clock.h"
#include "object/json/json.h"

#include <string>
#include <string_view>

namespace trainyard {

// What kubectl's rows say of nodes, services, events and others, as texts.

/// Ready, NotReady or Unknown, with ,SchedulingDisabled for a node that is cordoned.
std::string node_status_text(const Json& node);
/// The roles that its labels give it, or <none>.
std::string node_roles_text(const Json& node);
/// Its first address of the type, or <none>.
std::string node_address_text(const Json& node, std::string_view type);

std::string service_ports_text(const Json& service);
std::string service_external_text(const Json& service);
/// Up to three addresses, then how many more.
std::string endpoints_text(const Json& endpoints);
/// The same of an EndpointSlice, which tells ports and addresses apart.
std::string slice_ports_text(const Json& slice);
std::string slice_endpoints_text(const Json& slice);

/// Events have two forms, that of the core group and that of events.k8s.io; both are understood.
std::string event_object_text(const Json& event);
std::string event_source_text(const Json& event);
std::string event_message_text(const Json& event);
std::string event_first_text(const Json& event, WallTime now);
std::string event_last_text(const Json& event, WallTime now);
std::int64_t event_count(const Json& event);

std::string job_status_text(const Json& job);
std::string job_completions_text(const Json& job);
std::string job_duration_text(const Json& job, WallTime now);

/// used/hard of each bound; `part` is limits, or requests for all the others.
std::string quota_text(const Json& quota, std::string_view part);
/// RWO,RWX and the like.
std::string access_modes_text(const JsonArray& modes);
/// A binding's subjects of one kind.
std::string subjects_text(const Json& binding, std::string_view kind);
/// The amount that all containers of a PodMetrics use together.
std::string usage_text(const Json& metrics, std::string_view resource);

}  // namespace trainyard
