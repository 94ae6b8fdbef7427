#include "node/limits/capabilities.h"

#include "contract/capability_name.h"

#include <linux/capability.h>

namespace trainyard::node {
namespace {

struct Capability {
  std::string_view name;
  int number;
  bool given;  // without being asked for
};

/// All that a container can have. The others reach beyond it: with SYS_ADMIN one mounts, with
/// SYS_PTRACE one takes over the shim, with DAC_READ_SEARCH one opens files of the host by handle.
constexpr Capability kHarmless[] = {
    {"CHOWN", CAP_CHOWN, true},
    {"DAC_OVERRIDE", CAP_DAC_OVERRIDE, true},
    {"FOWNER", CAP_FOWNER, true},
    {"FSETID", CAP_FSETID, true},
    {"KILL", CAP_KILL, true},
    {"SETGID", CAP_SETGID, true},
    {"SETUID", CAP_SETUID, true},
    {"SETPCAP", CAP_SETPCAP, true},
    {"SETFCAP", CAP_SETFCAP, true},
    {"NET_BIND_SERVICE", CAP_NET_BIND_SERVICE, true},
    {contract::kRawNetwork, CAP_NET_RAW, true},
    {"SYS_CHROOT", CAP_SYS_CHROOT, true},
    {"AUDIT_WRITE", CAP_AUDIT_WRITE, true},
    // What training uses beside: memory that stays put for RDMA, threads bound to cores.
    {"IPC_LOCK", CAP_IPC_LOCK, true},
    {"SYS_NICE", CAP_SYS_NICE, true},
    {"SYS_RESOURCE", CAP_SYS_RESOURCE, false},
};

constexpr std::uint64_t bit(int number) {
  return std::uint64_t{1} << number;
}

/// In the machine's network a raw socket hears what goes over loopback, the tokens of people among
/// it: only who names it gets one there, which takes a cluster-admin (server/access/host_access.h).
bool must_be_named(const Capability& known, PodNetwork network) {
  return known.number == CAP_NET_RAW && network == PodNetwork::kOfTheMachine;
}

}  // namespace

Capabilities make_capabilities(const Json& security_context, PodNetwork network) {
  Capabilities made;
  for (const Capability& known : kHarmless) {
    if (known.given && !must_be_named(known, network)) made.mask |= bit(known.number);
  }
  for (const Json& word : array_at(security_context, "capabilities.drop")) {
    const std::string name = contract::capability_name(word);
    for (const Capability& known : kHarmless) {
      if (name == "ALL" || name == known.name) made.mask &= ~bit(known.number);
    }
  }
  for (const Json& word : array_at(security_context, "capabilities.add")) {
    const std::string name = contract::capability_name(word);
    bool found = false;
    for (const Capability& known : kHarmless) {
      if (name != known.name && (name != "ALL" || must_be_named(known, network))) continue;
      made.mask |= bit(known.number);
      found = name != "ALL";
    }
    if (!found) made.refused.push_back(name);
  }
  return made;
}

}  // namespace trainyard::node
