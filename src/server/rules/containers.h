#pragma once

#include "server/rules/faults.h"

#include <set>

namespace trainyard::server {

/// What the containers of a pod have to do with the rest of it and with each other.
struct PodContext {
  std::set<std::string> volumes;
  std::set<std::string> names;       // of containers seen so far
  std::set<std::string> host_ports;  // taken so far
  bool host_network = false;
};

enum class ContainerRole : std::uint8_t { kMain, kInit };

/// Names, ports, variables, mounts, resources, probes and hooks of the containers in a list.
void check_containers(const JsonArray& containers, ContainerRole role, const std::string& path,
                      PodContext& pod, Errors& errors);

/// A Service's or a probe's handler: exactly one of exec, httpGet, tcpSocket, grpc, sleep.
void check_handler(const Json& handler, const std::string& path, Errors& errors);

// rules/environment.cpp
void check_environment(const Json& container, const std::string& path, Errors& errors);

}  // namespace trainyard::server
