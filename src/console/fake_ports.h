#pragma once

#include "client/pod_ports.h"

#include <string>
#include <vector>

namespace trainyard::console {

/// For tests: pods in which nobody listens.
class FakePorts final : public client::PodPorts {
 public:
  awaitable<Result<UniqueFd>> connect(Key pod, std::uint16_t port) override {
    dialled.push_back(pod.ns + "/" + pod.name + ":" + std::to_string(port));
    co_return Error(Code::kUnavailable, "nobody listens");
  }
  awaitable<Result<UniqueFd>> connect_file(Key pod, std::string volume, std::string file) override {
    dialled.push_back(pod.ns + "/" + pod.name + ":" + volume + "/" + file);
    co_return Error(Code::kUnavailable, "nobody listens");
  }
  std::vector<std::string> dialled;
};

}  // namespace trainyard::console
