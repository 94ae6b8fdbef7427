#pragma once

#include "base/files/unique_fd.h"
#include "base/result.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace trainyard::node {

/// Where the server listens.
struct ListenAddress {
  std::string host;
  std::uint16_t port = 0;
};

/// The server's ports, kept while it is gone: pods share the machine's network, and one that
/// listened in the server's place would be told the secrets of whoever comes back to an open page.
/// A tiny process (src/shim/keeper.h) has the listening sockets too, gives them to the next server,
/// and ends with the last of server and pods. It is reached at DATA_DIR/keeper.
class PortKeeper {
 public:
  /// That of the data folder, begun if there is none.
  static Result<PortKeeper> open(const std::filesystem::path& data_dir,
                                 const std::filesystem::path& shim);

  /// Gives up what is kept of other places than these, which the server is about to listen on.
  Result<> want(const std::vector<ListenAddress>& wanted);
  /// The socket that listens there since an earlier server; not valid when there is none.
  UniqueFd take(const ListenAddress& wanted);
  /// To be called with all sockets that listen. Of those on 127.0.0.1 the port of ::1 is kept as
  /// well: browsers look there first for the name localhost.
  Result<> keep(const std::vector<int>& listeners);
  /// Whoever has this open is somebody whom the ports are kept from, or for.
  int life() const { return life_.get(); }

 private:
  Result<> connect(const std::filesystem::path& data_dir);
  Result<> begin(const std::filesystem::path& data_dir, const std::filesystem::path& shim);
  Result<> receive();
  Result<> send(const std::vector<int>& sockets);

  UniqueFd connection_;
  UniqueFd life_;
  std::vector<UniqueFd> kept_;
};

}  // namespace trainyard::node
