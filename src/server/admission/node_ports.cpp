#include "server/admission/node_ports.h"

#include "base/crypto/ids.h"
#include "object/values/field_errors.h"

#include <fmt/format.h>

namespace trainyard::server {
namespace {

bool needs_ports(const Json& service) {
  const std::string_view type = string_at(service, "spec.type");
  return type == "NodePort" ||
         (type == "LoadBalancer" && bool_at(service, "spec.allocateLoadBalancerNodePorts", true));
}

JsonArray* ports_of(Json& service) {
  Json* ports = find(service, "spec.ports");
  return ports != nullptr && ports->is_array() ? &ports->get_array() : nullptr;
}

bool is_same_port(const Json& a, const Json& b) {
  return string_at(a, "name") == string_at(b, "name") && int_at(a, "port") == int_at(b, "port") &&
         string_at(a, "protocol", "TCP") == string_at(b, "protocol", "TCP");
}

void keep_cluster_ip(const Json& before, Json& service) {
  const bool outside = string_at(before, "spec.type") == "ExternalName" ||
                       string_at(service, "spec.type") == "ExternalName";
  const std::string ip(string_at(before, "spec.clusterIP"));
  if (outside || ip.empty() || !string_at(service, "spec.clusterIP").empty()) return;
  make_path(service, "spec.clusterIP") = ip;
}

/// Takes away a field that means nothing any more and that the user has not touched.
void drop_left_over(const Json& before, Json& after, const char* field) {
  const Json* old = find(before, field);
  JsonObject& members = after.get_object();
  const auto kept = members.find(field);
  if (old != nullptr && kept != members.end() && *old == kept->value()) members.stable_erase(kept);
}

/// Who turns it into a Service of another type need not say what else goes.
void drop_left_overs(const Json& before, Json& service) {
  if (string_at(before, "spec.type") == string_at(service, "spec.type")) return;
  Json& spec = *find(service, "spec");
  const Json old_spec = object_at(before, "spec");
  if (string_at(spec, "type") != "LoadBalancer") {
    drop_left_over(old_spec, spec, "allocateLoadBalancerNodePorts");
  }
  if (needs_ports(service)) return;
  drop_left_over(old_spec, spec, "externalTrafficPolicy");
  JsonArray* ports = ports_of(service);
  if (ports == nullptr) return;
  for (Json& port : *ports) {
    for (const Json& old : array_at(before, "spec.ports")) {
      if (port.is_object() && is_same_port(port, old)) drop_left_over(old, port, "nodePort");
    }
  }
}

}  // namespace

void NodePorts::keep_given(const Json& before, Json& service) {
  const Json* spec = find(service, "spec");
  if (spec == nullptr || !spec->is_object()) return;
  keep_cluster_ip(before, service);
  drop_left_overs(before, service);
  JsonArray* ports = ports_of(service);
  if (ports == nullptr || !needs_ports(service)) return;
  for (Json& port : *ports) {
    for (const Json& old : array_at(before, "spec.ports")) {
      const std::int64_t given = int_at(old, "nodePort");
      if (given == 0 || !port.is_object() || !is_same_port(port, old)) continue;
      if (int_at(port, "nodePort") == 0) port.get_object()["nodePort"] = given;
    }
  }
}

NodePorts::Owners NodePorts::owners() const {
  Owners owners;
  for (const ObjectPtr& service : store_.list("services", "").objects) {
    for (const Json& port : array_at(service->body(), "spec.ports")) {
      if (const std::int64_t number = int_at(port, "nodePort"); number != 0) {
        owners[number] = key_of(service->body());
      }
    }
  }
  owners.insert(under_way_->begin(), under_way_->end());
  return owners;
}

/// 0 when all are taken.
std::int64_t NodePorts::choose(const Owners& taken) {
  constexpr std::int64_t kCount = kLast - kFirst + 1;
  // Not the lowest: a port that was just given up may still be known to somebody.
  const auto start = static_cast<std::int64_t>(fnv1a(random_hex(8)) % kCount);
  for (std::int64_t i = 0; i < kCount; ++i) {
    const std::int64_t port = kFirst + (start + i) % kCount;
    if (!taken.contains(port)) return port;
  }
  return 0;
}

std::vector<FieldError> NodePorts::assign(Json& service, Hold* hold) {
  std::vector<FieldError> errors;
  JsonArray* ports = ports_of(service);
  if (ports == nullptr || !needs_ports(service)) return errors;
  const Key key = key_of(service);
  Owners taken = owners();
  std::vector<std::int64_t> given;
  for (std::size_t i = 0; i < ports->size(); ++i) {
    Json& port = (*ports)[i];
    const std::string field = fmt::format("spec.ports[{}].nodePort", i);
    std::int64_t number = int_at(port, "nodePort");
    if (number == 0) {
      number = choose(taken);
      if (number == 0) {
        errors.push_back(field_errors::forbidden(field, "all ports of the range are in use"));
        return errors;
      }
      port.get_object()["nodePort"] = number;
    } else if (number < kFirst || number > kLast) {
      errors.push_back(field_errors::invalid(
          field, Json(number),
          fmt::format("provided port is not in the valid range. The range of valid ports is {}-{}",
                      kFirst, kLast)));
    } else if (const auto owner = taken.find(number);
               owner != taken.end() && owner->second != key) {
      errors.push_back(
          field_errors::invalid(field, Json(number), "provided port is already allocated"));
    }
    taken.emplace(number, key);
    given.push_back(number);
  }
  if (errors.empty() && hold != nullptr) reserve(given, key, *hold);
  return errors;
}

void NodePorts::reserve(const std::vector<std::int64_t>& ports, const Key& owner, Hold& hold) {
  for (const std::int64_t port : ports) {
    const auto entry = under_way_->emplace(port, owner);
    hold.add([under_way = under_way_, entry] { under_way->erase(entry); });
  }
}

}  // namespace trainyard::server
