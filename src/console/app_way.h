#pragma once

#include "client/pod_ports.h"
#include "console/app_address.h"
#include "http/client.h"

#include <optional>

namespace trainyard::console {

/// The pod that serves the app, when its status says that it answers.
std::optional<Key> ready_pod(const Json& object);

/// How to reach what runs in that pod. `ports` must outlive the client that is made of it.
http::ClientOptions way_to(const AppAddress& app, const Key& pod, client::PodPorts& ports);

}  // namespace trainyard::console
