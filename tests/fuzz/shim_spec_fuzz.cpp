// The shim's spec: any file is read or refused, and what the node writes is read as it was meant.
#include "fuzz.h"
#include "node/run/run_spec.h"
#include "shim/spec.h"

namespace trainyard::fuzz {
namespace {

bool is_safe(const std::string& path) {
  return path.starts_with('/') && (path + "/").find("/../") == std::string::npos;
}

void check_paths(const shim::Spec& spec) {
  for (const shim::Bind& bind : spec.binds) {
    require(is_safe(bind.source) && is_safe(bind.target), "binds have plain paths", bind.target);
  }
  for (const shim::Tmpfs& tmpfs : spec.tmpfs) {
    require(is_safe(tmpfs.target), "so have tmpfs", tmpfs.target);
  }
  for (const std::string& mask : spec.masks) require(is_safe(mask), "so have masks", mask);
  require(!spec.args.empty() && !spec.args[0].empty(), "a container has a command");
  require(spec.cwd.starts_with('/'), "and starts in a folder", spec.cwd);
}

/// What a user can say: words, variables, a folder, a volume's place.
node::RunSpec make_spec(const std::vector<std::string_view>& lines) {
  node::RunSpec spec;
  spec.overlay = "/overlay";
  spec.working_dir = "/";
  for (const std::string_view line : lines) {
    const std::string text(line.substr(std::min<std::size_t>(1, line.size())));
    switch (line.empty() ? 'a' : line[0]) {
      case 'e':
        spec.environment.emplace_back("NAME", text);
        break;
      case 'w':
        spec.working_dir = "/" + text;
        break;
      case 'm':
        spec.mounts.push_back({.source = "/data", .target = "/" + text});
        break;
      default:
        spec.command.push_back(text);
    }
  }
  return spec;
}

}  // namespace

void run(std::string_view input) {
  shim::Spec any;
  if (!shim::parse_spec(input, any)) check_paths(any);

  const node::RunSpec wanted = make_spec(lines_of(input));
  const auto encoded = node::encode_run_spec(wanted);
  if (!encoded) return;
  shim::Spec spec;
  if (const auto failure = shim::parse_spec(*encoded, spec)) return;
  require(spec.args == wanted.command && spec.cwd == wanted.working_dir,
          "the shim runs what was asked for", input);
  require(spec.env.size() == wanted.environment.size(), "with its environment", input);
  require(spec.binds.size() == wanted.mounts.size(), "with its volumes and no other", input);
}

}  // namespace trainyard::fuzz
