#include "node/run/run_spec.h"

#include <fmt/format.h>

namespace trainyard::node {
namespace {

Error unsayable(std::string_view what) {
  return Error(Code::kInvalid, fmt::format("{} cannot contain a NUL character", what));
}

}  // namespace

Result<std::string> encode_run_spec(const RunSpec& spec) {
  std::string out;
  std::string_view broken;  // a key whose value would end its record early
  const auto record = [&](std::string_view key, std::string_view value) {
    if (value.find('\0') != std::string_view::npos) broken = key;
    out += key;
    out += '\0';
    out += value;
    out += '\0';
  };
  for (const std::string& word : spec.command) record("arg", word);
  for (const auto& [name, value] : spec.environment) record("env", name + "=" + value);
  record("cwd", spec.working_dir);
  if (spec.make_working_dir) record("makecwd", "1");
  record("hostname", spec.hostname);
  record("grace", std::to_string(spec.grace_seconds));
  if (spec.input) record("stdin", spec.input_once ? "once" : "1");
  if (spec.tty) record("tty", "1");
  record("log", fmt::format("{}:{}", spec.log.segment, spec.log.limit));
  record("root", fmt::format("overlay:{}:{}:{}", (spec.overlay / "upper").string(),
                             (spec.overlay / "work").string(), (spec.overlay / "root").string()));
  if (!spec.root_tree.empty()) record("lower", spec.root_tree);
  if (spec.identity.uid) record("uid", std::to_string(*spec.identity.uid));
  if (spec.identity.gid) record("gid", std::to_string(*spec.identity.gid));
  for (const std::int64_t group : spec.identity.groups) record("group", std::to_string(group));
  if (spec.capabilities) record("capabilities", std::to_string(*spec.capabilities));
  if (spec.own_devices) record("devices", "own");
  if (spec.own_network) record("network", "own");
  if (spec.read_only_root) record("readonly", "1");
  const Confinement& confinement = spec.confinement;
  for (const auto& group : confinement.cgroups) record("cgroup", group.string());
  if (!confinement.oom_file.empty()) {
    record("oom", fmt::format("{}:{}", confinement.oom_file.string(), confinement.memory_limit));
  }
  for (const std::string& limit : confinement.own_limits) record("limit", limit);
  for (const auto& mask : spec.masks) record("mask", mask.string());
  for (const std::string& point : spec.mount_points) record("point", point);
  for (const Mount& mount : spec.mounts) {
    if (mount.type == Mount::Type::kTmpfs) {
      record("tmpfs", fmt::format("{}:{}", mount.size, mount.target));
    } else if (mount.source.find(':') != std::string::npos) {
      return Error(Code::kInvalid, fmt::format("the volume's path {} contains a colon, which parts "
                                               "source from target",
                                               mount.source));
    } else {
      record("bind",
             fmt::format("{}:{}:{}", mount.read_only ? "ro" : "rw", mount.source, mount.target));
      if (!mount.sub_path.empty()) record("subpath", mount.sub_path);
    }
  }
  if (broken.empty()) return out;
  if (broken == "bind" || broken == "tmpfs" || broken == "subpath") {
    return unsayable("mountPath and subPath");
  }
  return unsayable("command, variables and workingDir");
}

}  // namespace trainyard::node
