#pragma once

#include "node/config.h"
#include "object/metadata.h"

#include <map>
#include <set>
#include <string>

namespace trainyard::node {

/// Gives every pod a loopback address of its own and keeps the pods' /etc/hosts, by which the pods
/// of a namespace find each other.
class Hosts {
 public:
  explicit Hosts(const Paths& paths) : paths_(paths) {}

  /// The pod's address: the one in its status, or a new one. Writes the hosts files.
  Result<std::string> add(const Json& pod);
  void remove(const std::string& uid);

  /// The text of the hosts file of pods in a namespace.
  std::string render(const std::string& ns) const;

 private:
  struct Entry {
    std::string ns;
    std::string ip;
    std::string names;  // pod name, and hostname.subdomain with its longer forms
  };
  std::string free_address(const std::string& uid) const;
  Result<> write_all(const std::string& ns) const;

  Paths paths_;
  std::map<std::string, Entry> entries_;  // by uid
};

}  // namespace trainyard::node
