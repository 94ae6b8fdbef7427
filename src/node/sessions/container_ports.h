#pragma once

#include "client/api.h"
#include "client/pod_ports.h"
#include "node/config.h"
#include "node/network/dial.h"

#include <filesystem>

namespace trainyard::node {

/// Connects to a port in the private network of the container that runs in `run_folder`
/// (ContainerRun::folder()): its shim hands out a socket that belongs there.
awaitable<Result<boost::asio::ip::tcp::socket>> dial_inside(Executor loop, Clock& clock,
                                                            std::filesystem::path run_folder,
                                                            std::uint16_t port,
                                                            std::chrono::nanoseconds timeout);

/// Connects to a socket file in a folder that others write to. What lies there must be the socket
/// itself: a link could lead to any socket of the machine, which the server may use and they not.
Result<UniqueFd> dial_file(const std::filesystem::path& folder, const std::string& file);

/// Ways into the pods on this machine. Needs no worker.
class ContainerPorts final : public client::PodPorts {
 public:
  ContainerPorts(Executor loop, client::Api& api, Clock& clock, const NodeConfig& config)
      : loop_(std::move(loop)), api_(api), clock_(clock), paths_(config.data_dir) {}

  awaitable<Result<UniqueFd>> connect(Key pod, std::uint16_t port) override;
  awaitable<Result<UniqueFd>> connect_file(Key pod, std::string volume, std::string file) override;

 private:
  awaitable<Result<ObjectPtr>> find_running(Key pod);
  awaitable<Result<boost::asio::ip::tcp::socket>> connect_inside(ObjectPtr pod, std::uint16_t port);

  Executor loop_;
  client::Api& api_;
  Clock& clock_;
  Paths paths_;
};

}  // namespace trainyard::node
