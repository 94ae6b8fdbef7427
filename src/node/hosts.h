#pragma once

#include "node/config.h"
#include "object/metadata.h"

#include <functional>
#include <map>
#include <set>
#include <string>

namespace trainyard::node {

/// Gives every pod a loopback address of its own and keeps the pods' /etc/hosts, by which the pods
/// of a namespace find each other.
class Hosts {
 public:
  explicit Hosts(const Paths& paths) : paths_(paths) {}

  /// The pod's address: the one in its status, or a new one. Writes its own hosts file; those of
  /// the others follow with write_changed().
  Result<std::string> add(const Json& pod);
  void remove(const std::string& uid);
  /// Told when write_changed() has something to do.
  void on_change(std::function<void()> listener) { listener_ = std::move(listener); }
  /// Brings the files of all pods up to date. Many changes at once cost no more than one.
  void write_changed();

  /// The text of the hosts file of pods in a namespace.
  std::string render(const std::string& ns) const;

 private:
  struct Entry {
    std::string ns;
    std::string ip;
    std::string names;  // pod name, and hostname.subdomain with its longer forms
  };
  std::string free_address(const std::string& uid) const;
  void set_changed(const std::string& ns);
  Result<> write_all(const std::string& ns) const;

  Paths paths_;
  std::map<std::string, Entry> entries_;  // by uid
  std::multiset<std::string> taken_;      // addresses
  std::set<std::string> changed_;         // namespaces whose files are to be written
  std::function<void()> listener_;
};

}  // namespace trainyard::node
