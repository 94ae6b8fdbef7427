#pragma once

#include "node/config.h"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>

namespace trainyard::node {

/// Groups that no system gives to anybody (systemd's UIDS-GIDS has nothing there), for what
/// follows.
inline constexpr std::int64_t kFirstNamespaceGroup = 0x70000000;
inline constexpr std::int64_t kNamespaceGroups = 0x100000;
bool is_namespace_group(std::int64_t group);
/// A group for a namespace that is none of `taken`, always the same one for as long as it is free.
std::int64_t choose_namespace_group(const std::string& ns, const std::set<std::int64_t>& taken);

/// The group by which the pods of a namespace share the files of its volumes, whomever they run as:
/// each pod has it, no other pod gets it, and the folders of ours let it write (volume_folder.h).
/// Those of namespaces that have volumes are kept by the folder of these: it belongs to the group.
class NamespaceGroups {
 public:
  explicit NamespaceGroups(const Paths& paths) : paths_(paths) {}

  /// Nothing: the server is not root, or may not give out such groups, as in some containers.
  std::optional<std::int64_t> of(const std::string& ns);
  /// Makes the folder of a namespace's volumes, from where on the group is kept.
  Result<> keep(const std::string& ns);

 private:
  void read_kept();

  Paths paths_;
  bool read_ = false;
  std::map<std::string, std::int64_t> groups_;
};

}  // namespace trainyard::node
