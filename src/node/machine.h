#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace trainyard::node {

/// What the kernel says of the machine, for its Node objects.
struct Machine {
  std::int64_t cpus = 1;
  std::int64_t memory_bytes = 0;
  std::int64_t disk_bytes = 0;  // of the disk that the data folder lies on
  std::string host;
  std::string architecture;  // as Kubernetes writes it: amd64, arm64
  std::string kernel;
  std::string os_image;
  std::string boot_id;
  std::string machine_id;
};

Machine look_at_machine(const std::filesystem::path& data_dir);

}  // namespace trainyard::node
