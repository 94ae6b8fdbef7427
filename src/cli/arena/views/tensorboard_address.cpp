#include "cli/arena/views/tensorboard_address.h"

#include "cli/arena/nodes/node_facts.h"

#include <fmt/format.h>

#include <algorithm>

namespace trainyard::cli::arena {
namespace {

const Json* service_of(const TrainingJob& job, const std::vector<ObjectPtr>& services) {
  for (const ObjectPtr& service : services) {
    const Json& body = service->body();
    if (namespace_of(body) != job.ns() || label_of(body, "release") != job.name()) continue;
    // Two types may share a name; older records have no label that tells them apart.
    const std::string_view app = label_of(body, "app");
    if (app.empty() || app == job.type.name || !app.ends_with("job")) return &body;
  }
  return nullptr;
}

std::string first_ready_address(const std::vector<ObjectPtr>& nodes) {
  for (const ObjectPtr& node : nodes) {
    if (!node_is_ready(node->body())) continue;
    const std::string address = node_address(node->body());
    if (address != kUnknownAddress) return address;
  }
  return "";
}

}  // namespace

std::string tensorboard_address(const TrainingJob& job, const std::vector<ObjectPtr>& services,
                                const std::vector<ObjectPtr>& nodes) {
  const Json* service = service_of(job, services);
  if (service == nullptr) return "";
  const JsonArray& ports = array_at(*service, "spec.ports");
  if (ports.empty()) return "";
  if (string_at(*service, "spec.type") == "LoadBalancer") {
    const JsonArray& ingress = array_at(*service, "status.loadBalancer.ingress");
    if (ingress.empty()) return "";
    return fmt::format("http://{}:{}",
                       string_at(ingress.front(), "ip", string_at(ingress.front(), "hostname")),
                       int_at(ports.front(), "port"));
  }
  const std::int64_t port = int_at(ports.front(), "nodePort");
  const std::string address = first_ready_address(nodes);
  return port == 0 || address.empty() ? "" : fmt::format("http://{}:{}", address, port);
}

}  // namespace trainyard::cli::arena
