#include "node/network/hosts_text.h"

#include "base/crypto/ids.h"

#include <fmt/format.h>

namespace trainyard::node {
namespace {

constexpr const char* kHeader = "127.0.0.1 localhost\n::1 localhost ip6-localhost ip6-loopback\n";

/// web.demo web.demo.svc web.demo.svc.cluster.local
std::string long_forms(const std::string& name, const std::string& ns) {
  return fmt::format("{0}.{1} {0}.{1}.svc {0}.{1}.svc.cluster.local", name, ns);
}

bool is_service(const Network& network, const PodPlace& pod, const std::string& name) {
  return network.services().contains(Key{pod.ns, name});
}

/// The names of one word. Where a Service has the same, the word means the Service.
std::string short_names(const Network& network, const PodPlace& pod) {
  std::string names;
  if (!is_service(network, pod, pod.hostname)) names = pod.hostname;
  if (pod.name != pod.hostname && !is_service(network, pod, pod.name)) {
    names += (names.empty() ? "" : " ") + pod.name;
  }
  return names;
}

}  // namespace

HostsText::HostsText(const Network& network) : network_(network) {
  // Pods first: what an address is called is read from the first line that has it.
  for (const auto& [uid, pod] : network.pods()) {
    if (!pod.alone) add_pod(pod);
  }
  for (const auto& [key, service] : network.services()) add_service(service);
}

void HostsText::add_pod(const PodPlace& pod) {
  Section& section = sections_[pod.ns];
  std::string names = short_names(network_, pod);
  if (!pod.subdomain.empty()) {
    const std::string full = fmt::format("{}.{}", pod.hostname, pod.subdomain);
    const std::string forms = long_forms(full, pod.ns);
    names += fmt::format("{}{} {}", names.empty() ? "" : " ", full, forms);
    section.outside += fmt::format("{} {}\n", pod.ip, forms);
  }
  if (!names.empty()) section.inside += fmt::format("{} {}\n", pod.ip, names);
}

void HostsText::add_service(const Network::Service& service) {
  const ServicePlace& place = service.place;
  Section& section = sections_[place.ns];
  const std::string forms = long_forms(place.name, place.ns);
  const auto add = [&](const std::string& address) {
    section.inside += fmt::format("{} {} {}\n", address, place.name, forms);
    section.outside += fmt::format("{} {}\n", address, forms);
  };
  if (network_.translates(service) && !service.unserved) return add(service.address);
  for (const std::string& uid : service.members) {
    const PodPlace& pod = *network_.find_pod(uid);
    if (place.leads_to(pod)) add(pod.ip);
  }
}

const HostsText::Body& HostsText::body_for(const std::string& ns) {
  const auto [found, missing] = bodies_.try_emplace(ns);
  Body& body = found->second;
  if (!missing) return body;
  body.text = sections_[ns].inside;
  for (const auto& [other, section] : sections_) {
    if (other != ns) body.text += section.outside;
  }
  body.hash = fnv1a(body.text);
  return body;
}

/// Whatever others mean by it, its own host name is the pod's own address.
std::string HostsText::own_lines(const PodPlace& pod) const {
  if (!pod.alone && !is_service(network_, pod, pod.hostname)) return "";
  return fmt::format("{} {}\n", pod.ip, pod.hostname);
}

std::string HostsText::of(const std::string& uid) {
  const PodPlace* pod = network_.find_pod(uid);
  if (pod == nullptr) return kHeader;
  return kHeader + own_lines(*pod) + body_for(pod->ns).text + pod->aliases;
}

std::uint64_t HostsText::hash_of(const std::string& uid) {
  const PodPlace* pod = network_.find_pod(uid);
  if (pod == nullptr) return 1;
  return fnv1a(fmt::format("{}{}{}", own_lines(*pod), body_for(pod->ns).hash, pod->aliases));
}

}  // namespace trainyard::node
