#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace trainyard {

/// The inodes of the sockets that listen on a port, from the text of /proc/net/tcp or tcp6.
std::vector<std::uint64_t> listening_sockets(std::string_view table, std::uint16_t port);

/// Whether a program may listen on a TCP port of all addresses of this machine, as torch does: of
/// both kinds, since an IPv6 socket takes connections of both.
bool port_is_free(std::uint16_t port);

/// Keeps a TCP port of this machine from other servers of Trainyard's that are about to give it
/// away, long before somebody listens there. Lasts as long as what is returned, and no longer than
/// this process; nullptr: another server has it.
std::shared_ptr<const void> claim_port(std::uint16_t port);

/// Who listens on a TCP port of this machine: "python3, process 4711". Empty when nobody is found:
/// the processes of other users cannot be looked into.
std::string port_holder(std::uint16_t port);

}  // namespace trainyard
