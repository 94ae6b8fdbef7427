#pragma once

#include "node/network/network.h"

#include <cstdint>
#include <map>
#include <string>

namespace trainyard::node {

/// The hosts files of pods, from one state of the network. Pods of a namespace find each other by
/// their names, and Services by theirs; from other namespaces the longer forms of names are known.
/// Made for a moment: the network must not change while it is used.
class HostsText {
 public:
  explicit HostsText(const Network& network);

  /// The text of a pod's file.
  std::string of(const std::string& uid);
  /// Another number for another text, at less cost than the text.
  std::uint64_t hash_of(const std::string& uid);

 private:
  struct Section {
    std::string inside;   // what the namespace's own pods see of it
    std::string outside;  // what others do
  };
  void add_pod(const PodPlace& pod);
  void add_service(const Network::Service& service);
  struct Body {
    std::string text;  // all that the pods of a namespace see
    std::uint64_t hash = 0;
  };
  const Body& body_for(const std::string& ns);
  std::string own_lines(const PodPlace& pod) const;

  const Network& network_;
  std::map<std::string, Section> sections_;  // by namespace
  std::map<std::string, Body> bodies_;       // by namespace
};

}  // namespace trainyard::node
