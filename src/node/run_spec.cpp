#include "node/run_spec.h"

#include <fmt/format.h>

namespace trainyard::node {

std::string encode_run_spec(const RunSpec& spec) {
  std::string out;
  const auto record = [&](std::string_view key, std::string_view value) {
    out += key;
    out += '\0';
    out += value;
    out += '\0';
  };
  for (const std::string& word : spec.command) record("arg", word);
  for (const auto& [name, value] : spec.environment) record("env", name + "=" + value);
  record("cwd", spec.working_dir);
  record("hostname", spec.hostname);
  record("grace", std::to_string(spec.grace_seconds));
  record("root", fmt::format("overlay:{}:{}:{}", (spec.overlay / "upper").string(),
                             (spec.overlay / "work").string(), (spec.overlay / "root").string()));
  for (const auto& mask : spec.masks) record("mask", mask.string());
  for (const Mount& mount : spec.mounts) {
    if (mount.type == Mount::Type::kTmpfs) {
      record("tmpfs", fmt::format("{}:{}", mount.size, mount.target));
    } else {
      record("bind",
             fmt::format("{}:{}:{}", mount.read_only ? "ro" : "rw", mount.source, mount.target));
    }
  }
  return out;
}

}  // namespace trainyard::node
