#include "node/network/network.h"

#include "base/crypto/ids.h"

#include <fmt/format.h>

namespace trainyard::node {
namespace {

constexpr int kPodNetwork = 64;      // 127.64.x.y; 65 are the nodes
constexpr int kServiceNetwork = 66;  // 127.66.x.y

std::string label_key(const std::string& ns, const std::string& name, const std::string& value) {
  return fmt::format("{}/{}={}", ns, name, value);
}

std::string label_key(const ServicePlace& service) {
  const auto& [name, value] = *service.selector.begin();
  return label_key(service.ns, name, value);
}

}  // namespace

std::string Network::free_address(int network, const std::string& owner) const {
  constexpr std::uint64_t kAddresses = 256 * 254;
  const std::uint64_t start = fnv1a(owner);
  for (std::uint64_t i = 0; i < kAddresses; ++i) {
    const std::uint64_t number = (start % kAddresses + i) % kAddresses;
    std::string ip = fmt::format("127.{}.{}.{}", network, number / 254, number % 254 + 1);
    if (!taken_.contains(ip)) return ip;
  }
  return "127.0.0.1";  // 65,000 pods share one machine: then they share an address too
}

void Network::add_pod(const Json& pod) {
  const std::string uid(uid_of(pod));
  if (pods_.contains(uid)) return update_pod(pod);
  PodPlace place = read_pod_place(pod);
  if (place.ip.empty()) place.ip = free_address(kPodNetwork, uid);
  taken_.insert(place.ip);
  set_pod(uid, std::move(place));
}

void Network::update_pod(const Json& pod) {
  const std::string uid(uid_of(pod));
  const auto known = pods_.find(uid);
  if (known == pods_.end()) return;
  PodPlace place = read_pod_place(pod);
  place.ip = known->second.ip;  // it may not have been reported yet
  if (place == known->second) return;
  strike(uid, known->second);
  set_pod(uid, std::move(place));
}

void Network::set_pod(const std::string& uid, PodPlace place) {
  const auto known = pods_.insert_or_assign(uid, std::move(place)).first;
  enlist(known->first, known->second);
  tell();
}

void Network::remove_pod(const std::string& uid) {
  const auto known = pods_.find(uid);
  if (known == pods_.end()) return;
  strike(uid, known->second);
  taken_.erase(taken_.find(known->second.ip));
  pods_.erase(known);
  tell();
}

void Network::enlist(const std::string& uid, const PodPlace& pod) {
  for (const auto& [name, value] : pod.labels) {
    const std::string label = label_key(pod.ns, name, value);
    pods_by_label_[label].push_back(&uid);
    const auto found = by_label_.find(label);
    if (found == by_label_.end()) continue;
    for (const Key& key : found->second) {
      Service& service = services_.at(key);
      if (service.place.selects(pod)) service.members.insert(uid);
    }
  }
}

void Network::strike(const std::string& uid, const PodPlace& pod) {
  for (const auto& [name, value] : pod.labels) {
    const std::string label = label_key(pod.ns, name, value);
    const auto pods = pods_by_label_.find(label);
    std::erase_if(pods->second, [&](const std::string* listed) { return *listed == uid; });
    if (pods->second.empty()) pods_by_label_.erase(pods);
    const auto found = by_label_.find(label);
    if (found == by_label_.end()) continue;
    for (const Key& key : found->second) services_.at(key).members.erase(uid);
  }
}

void Network::put_service(const Json& service) {
  const Key key = key_of(service);
  ServicePlace place = read_service_place(service);
  const auto known = services_.find(key);
  if (known != services_.end() && known->second.place == place) return;
  if (known != services_.end()) remove_service(key);
  if (!place.selector.empty()) by_label_[label_key(place)].insert(key);
  Service& added = services_[key];
  added.place = std::move(place);
  if (!added.place.headless && !added.place.selector.empty()) {
    added.address = free_address(kServiceNetwork, fmt::format("{}", key));
    taken_.insert(added.address);
  }
  if (!added.place.selector.empty()) {
    const auto candidates = pods_by_label_.find(label_key(added.place));
    if (candidates != pods_by_label_.end()) {
      for (const std::string* uid : candidates->second) {
        if (added.place.selects(pods_.at(*uid))) added.members.insert(*uid);
      }
    }
  }
  tell();
}

void Network::remove_service(const Key& key) {
  const auto known = services_.find(key);
  if (known == services_.end()) return;
  if (!known->second.place.selector.empty()) {
    const auto listed = by_label_.find(label_key(known->second.place));
    listed->second.erase(key);
    if (listed->second.empty()) by_label_.erase(listed);
  }
  if (const std::string& address = known->second.address; !address.empty()) {
    taken_.erase(taken_.find(address));
  }
  services_.erase(known);
  tell();
}

void Network::set_served(const Key& key, bool served) {
  const auto known = services_.find(key);
  if (known == services_.end() || known->second.unserved != served) return;
  known->second.unserved = !served;
  tell();
}

bool Network::translates(const Service& service) const {
  if (service.address.empty()) return false;
  for (const ServicePort& port : service.place.ports) {
    if (port.protocol != "TCP") continue;
    if (port.target != 0 && port.target != port.port) return true;
    for (const std::string& uid : service.members) {
      const std::uint16_t target = target_port(port, pods_.at(uid));
      if (target != 0 && target != port.port) return true;
    }
  }
  return false;
}

const PodPlace* Network::find_pod(const std::string& uid) const {
  const auto known = pods_.find(uid);
  return known == pods_.end() ? nullptr : &known->second;
}

void Network::tell() const {
  for (const auto& listener : listeners_) listener();
}

}  // namespace trainyard::node
