#pragma once

#include "node/capacity.h"
#include "node/pod_facts.h"
#include "node/volumes/config_objects.h"

#include <compare>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace trainyard::node {

// What volumes of the types configMap, secret, downwardAPI and projected show, decided without
// touching the disk.

/// One file of such a volume.
struct VolumeFile {
  std::string content;
  unsigned mode = 0644;
  bool for_user = false;  // belongs to the one user that all containers of the pod run as
  bool operator==(const VolumeFile&) const = default;
};
using VolumeFiles = std::map<std::string, VolumeFile>;  // by their paths below the volume

/// A token of the pod's service account, as a projected volume asks for it.
struct TokenWish {
  std::string audience;  // empty: this API
  std::int64_t seconds = 3600;
  auto operator<=>(const TokenWish&) const = default;
};
using FindToken = std::function<Result<std::string>(const TokenWish& wish)>;

struct FileSources {
  const Json& pod;
  const PodFacts& facts;
  const Capacity& capacity;
  FindConfig find_config;
  FindToken find_token;
};

/// Who owns the files of a pod's volumes.
struct FileOwner {
  std::optional<std::int64_t> user;   // whom all its containers run as, when that is said
  std::optional<std::int64_t> group;  // its fsGroup
};
FileOwner file_owner(const Json& pod);

/// Whether a volume is of one of these types.
bool holds_files(const Json& volume);
/// kNotFound in kubelet's words names what is missing; what is `optional` may be.
Result<VolumeFiles> plan_volume_files(const Json& volume, const FileSources& sources);
/// The tokens that plan_volume_files() will ask for.
std::vector<TokenWish> token_wishes(const Json& volume);

/// Where clients in a pod look for the token, the authority and the namespace.
inline constexpr const char* kAccountPath = "/var/run/secrets/kubernetes.io/serviceaccount";
/// The volume for that place. No volume of a user's can have its name.
inline constexpr const char* kAccountVolume = ".kube-api-access";
/// The names of what it shows.
std::set<std::string> account_files();
Json make_account_volume();
/// Whether a container mounts something there itself.
bool mounts_account(const Json& container);

}  // namespace trainyard::node
