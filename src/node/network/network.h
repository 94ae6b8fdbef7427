#pragma once

#include "node/network/network_places.h"

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace trainyard::node {

/// Who can be found where on this machine: its pods, each with a loopback address of its own, and
/// the Services that lead to them. No I/O: Hosts writes down what follows from it, ServiceRelay
/// listens where it says.
class Network {
 public:
  struct Service {
    ServicePlace place;
    std::set<std::string> members;  // uids of the pods that it selects
    std::string address;            // of its own, for where it needs one; empty: it is headless
    bool unserved = false;          // the server cannot listen there
  };

  /// Takes up a pod and gives it an address: that of its status, or a new one.
  void add_pod(const Json& pod);
  /// Another state of a pod; of one that was not added, or is gone, nothing is to be known.
  void update_pod(const Json& pod);
  void remove_pod(const std::string& uid);
  void put_service(const Json& service);
  void remove_service(const Key& service);
  /// Whether the server can listen at the Service's own address. Where it cannot, its names mean
  /// its pods all the same, at their ports.
  void set_served(const Key& service, bool served);

  /// Told of every change that somebody could notice.
  void on_change(std::function<void()> listener) { listeners_.push_back(std::move(listener)); }

  /// nullptr: it is unknown.
  const PodPlace* find_pod(const std::string& uid) const;
  const std::map<std::string, PodPlace>& pods() const { return pods_; }  // by uid
  const std::map<Key, Service>& services() const { return services_; }
  /// Whether somebody has to stand between: a port of the Service is not that of its pods.
  bool translates(const Service& service) const;

 private:
  /// One of 127.NETWORK.0.1 to 127.NETWORK.255.254. The search begins at a place of the owner's
  /// own, so that after a restart a new one does not take what another, not yet heard of, has.
  std::string free_address(int network, const std::string& owner) const;
  void set_pod(const std::string& uid, PodPlace place);
  void enlist(const std::string& uid, const PodPlace& pod);
  void strike(const std::string& uid, const PodPlace& pod);
  void tell() const;

  std::map<std::string, PodPlace> pods_;
  std::map<Key, Service> services_;
  std::multiset<std::string> taken_;  // addresses
  /// Services by one label that they select by, "NS/NAME=VALUE": so that a pod need not be compared
  /// with all of them.
  std::map<std::string, std::set<Key>> by_label_;
  /// Uids, the keys of pods_, by all labels of the pods.
  std::map<std::string, std::vector<const std::string*>> pods_by_label_;
  std::vector<std::function<void()>> listeners_;
};

}  // namespace trainyard::node
