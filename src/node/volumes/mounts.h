#pragma once

#include "client/claim_folder.h"
#include "node/config.h"
#include "node/variables.h"
#include "object/json/json.h"

#include <functional>
#include <string>
#include <vector>

namespace trainyard::node {

/// One thing to mount into a container.
struct Mount {
  enum class Type : std::uint8_t { kBind, kTmpfs };
  Type type = Type::kBind;
  std::string source;  // a host path, for kBind
  std::string target;  // a path in the container
  bool read_only = false;
  std::int64_t size = 0;       // bytes, for kTmpfs; 0: the kernel's default
  bool make_source = false;    // a folder of the pod's own: make it first
  std::string sub_path = {};   // below the source, which it must not lead out of
  std::string volume = {};     // its name in the pod
  std::string host_type = {};  // what a hostPath must be, such as DirectoryOrCreate
  bool of_machine = false;     // the source is somebody's on this machine: a hostPath, a claim's
  bool may_be_made = false;    // it is a hostPath of no type: where nothing is, a folder is made
  bool in_memory = false;      // the source is to be memory, of that size, mounted by the server
  bool fixed = false;          // nothing may be made in the source, not even by us
  bool ours = false;           // the source is a claim's folder that we have made (volume_folder.h)
};

using client::ClaimFolder;
/// kNotFound when there is no such claim (yet).
using FindClaim = std::function<Result<ClaimFolder>(const std::string& claim)>;

/// Whether the server can mount memory that the containers of a pod share. Where it cannot, the
/// only container that mounts a volume has its own, and several share a folder on disk.
enum class SharedMemory : std::uint8_t { kYes, kNo };

/// The mounts of a container, in order. kNotFound while a claim is missing: the pod waits for it.
/// kInvalid for volumes that cannot be had. `variables` are those that subPathExpr may name.
Result<std::vector<Mount>> plan_mounts(const Json& pod, const Json& container, const Paths& paths,
                                       const FindClaim& find_claim, const Variables& variables = {},
                                       SharedMemory shared_memory = SharedMemory::kYes);

}  // namespace trainyard::node
