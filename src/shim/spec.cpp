#include "shim/spec.h"

#include <charconv>
#include <limits>
#include <sys/resource.h>

namespace trainyard::shim {
namespace {

std::string quoted(std::string_view text) {
  return '"' + std::string(text) + '"';
}

Failure bad_value(std::string_view key, std::string_view value, std::string_view expected) {
  return {"spec: " + std::string(key) + " is " + quoted(value) + ", expected " +
          std::string(expected)};
}

/// Cuts the text before the first ':' off `rest`. Without a ':' it returns nothing.
std::optional<std::string> cut_field(std::string_view& rest) {
  std::size_t colon = rest.find(':');
  if (colon == std::string_view::npos) return std::nullopt;
  std::string field(rest.substr(0, colon));
  rest.remove_prefix(colon + 1);
  return field;
}

/// Absolute and without "..": nothing that a symlink could turn into another place half-way.
bool is_plain_path(std::string_view path) {
  if (path.empty() || path.front() != '/') return false;
  while (!path.empty()) {
    path.remove_prefix(1);
    std::string_view part = path.substr(0, path.find('/'));
    if (part == "..") return false;
    path.remove_prefix(part.size());
  }
  return true;
}

MaybeFailure read_root(std::string_view value, Spec& spec) {
  constexpr std::string_view kForm = "overlay:UPPER:WORK:MERGED with absolute folders";
  std::string_view rest = value;
  auto kind = cut_field(rest);
  auto upper = cut_field(rest);
  auto work = cut_field(rest);
  if (!kind || *kind != "overlay" || !upper || !work || rest.find(':') != rest.npos ||
      !is_plain_path(*upper) || !is_plain_path(*work) || !is_plain_path(rest)) {
    return bad_value("root", value, kForm);
  }
  spec.root = Overlay{*upper, *work, std::string(rest)};
  return std::nullopt;
}

/// Of the root before it. On a record of its own: it is the user's, and may contain a colon.
MaybeFailure read_lower(std::string_view value, Spec& spec) {
  if (!spec.root || !is_plain_path(value)) {
    return bad_value("lower", value, "an absolute folder without .., after a root");
  }
  spec.root->lower = value;
  return std::nullopt;
}

MaybeFailure read_bind(std::string_view value, Spec& spec) {
  std::string_view rest = value;
  auto mode = cut_field(rest);
  auto source = cut_field(rest);
  if (!mode || (*mode != "ro" && *mode != "rw") || !source || !is_plain_path(*source) ||
      !is_plain_path(rest)) {
    return bad_value("bind", value, "ro|rw:SOURCE:TARGET with absolute paths");
  }
  spec.binds.push_back({*mode == "ro", *source, std::string(rest)});
  return std::nullopt;
}

/// Of the bind before it. On a record of its own: both may contain a colon.
MaybeFailure read_sub_path(std::string_view value, Spec& spec) {
  if (spec.binds.empty() || value.empty() || !is_plain_path("/" + std::string(value))) {
    return bad_value("subpath", value, "a relative path without .., after a bind");
  }
  spec.binds.back().sub_path = value;
  return std::nullopt;
}

MaybeFailure read_tmpfs(std::string_view value, Spec& spec) {
  std::string_view rest = value;
  auto size = cut_field(rest);
  auto bytes = size ? parse_number(*size) : std::nullopt;
  if (!bytes || !is_plain_path(rest)) {
    return bad_value("tmpfs", value, "SIZE_BYTES:TARGET with an absolute path");
  }
  spec.tmpfs.push_back({*bytes, std::string(rest)});
  return std::nullopt;
}

MaybeFailure read_log_sizes(std::string_view value, Spec& spec) {
  std::string_view rest = value;
  auto first = cut_field(rest);
  auto segment = first ? parse_number(*first) : std::nullopt;
  auto limit = parse_number(rest);
  if (!segment || *segment == 0 || !limit) {
    return bad_value("log", value, "SEGMENT_BYTES:LIMIT_BYTES");
  }
  spec.log = {*segment, *limit};
  return std::nullopt;
}

MaybeFailure read_cgroup(std::string_view value, Spec& spec) {
  if (!is_plain_path(value)) return bad_value("cgroup", value, "an absolute path");
  spec.cgroups.emplace_back(value);
  return std::nullopt;
}

MaybeFailure read_oom(std::string_view value, Spec& spec) {
  auto file = cut_field(value);
  if (!file || !is_plain_path(*file)) return bad_value("oom", value, "FILE:LIMIT");
  spec.oom_file = *file;
  spec.memory_limit = value;
  return std::nullopt;
}

MaybeFailure read_limit(std::string_view value, Spec& spec) {
  std::string_view rest = value;
  auto name = cut_field(rest);
  auto most = parse_number(rest);
  if (!name || !most || (*name != "processes" && *name != "data")) {
    return bad_value("limit", value, "processes:NUMBER or data:BYTES");
  }
  spec.limits.push_back({*name == "data" ? RLIMIT_DATA : RLIMIT_NPROC, *most});
  return std::nullopt;
}

MaybeFailure read_point(std::string_view value, Spec& spec) {
  if (!is_plain_path(value) || value == "/") return bad_value("point", value, "a folder below /");
  spec.points.emplace_back(value);
  return std::nullopt;
}

MaybeFailure read_mask(std::string_view value, Spec& spec) {
  if (!is_plain_path(value) || value == "/") return bad_value("mask", value, "a folder below /");
  spec.masks.emplace_back(value);
  return std::nullopt;
}

MaybeFailure read_env(std::string_view value, Spec& spec) {
  if (value.find('=') == std::string_view::npos) return bad_value("env", value, "NAME=VALUE");
  spec.env.emplace_back(value);
  return std::nullopt;
}

template <class Number>
MaybeFailure read_number(std::string_view key, std::string_view value, Number& number) {
  auto parsed = parse_number(value);
  if (!parsed || *parsed > std::numeric_limits<std::uint32_t>::max()) {
    return bad_value(key, value, "a whole number below 2^32");
  }
  number = static_cast<std::uint32_t>(*parsed);
  return std::nullopt;
}

MaybeFailure read_group(std::string_view value, Spec& spec) {
  std::uint32_t group = 0;
  if (auto failure = read_number("group", value, group)) return failure;
  spec.groups.push_back(group);
  return std::nullopt;
}

MaybeFailure read_capabilities(std::string_view value, Spec& spec) {
  spec.capabilities = parse_number(value);
  if (!spec.capabilities) return bad_value("capabilities", value, "a whole number");
  return std::nullopt;
}

MaybeFailure read_flag(std::string_view key, std::string_view value, bool& flag) {
  if (value != "0" && value != "1") return bad_value(key, value, "0 or 1");
  flag = value == "1";
  return std::nullopt;
}

MaybeFailure read_network(std::string_view value, Spec& spec) {
  if (value != "own") return bad_value("network", value, "own");
  spec.own_network = true;
  return std::nullopt;
}

MaybeFailure read_input(std::string_view value, Spec& spec) {
  if (value != "0" && value != "1" && value != "once") {
    return bad_value("stdin", value, "0, 1 or once");
  }
  spec.input = value == "0" ? Input::kNone : value == "1" ? Input::kOpen : Input::kOnce;
  return std::nullopt;
}

MaybeFailure read_record(std::string_view key, std::string_view value, Spec& spec) {
  if (key == "arg") return spec.args.emplace_back(value), std::nullopt;
  if (key == "env") return read_env(value, spec);
  if (key == "cwd") return spec.cwd = value, std::nullopt;
  if (key == "hostname") return spec.hostname = value, std::nullopt;
  if (key == "root") return read_root(value, spec);
  if (key == "lower") return read_lower(value, spec);
  if (key == "bind") return read_bind(value, spec);
  if (key == "subpath") return read_sub_path(value, spec);
  if (key == "tmpfs") return read_tmpfs(value, spec);
  if (key == "cgroup") return read_cgroup(value, spec);
  if (key == "oom") return read_oom(value, spec);
  if (key == "limit") return read_limit(value, spec);
  if (key == "mask") return read_mask(value, spec);
  if (key == "makecwd") return read_flag(key, value, spec.make_cwd);
  if (key == "point") return read_point(value, spec);
  if (key == "uid") return read_number(key, value, spec.uid);
  if (key == "gid") return read_number(key, value, spec.gid);
  if (key == "group") return read_group(value, spec);
  if (key == "capabilities") return read_capabilities(value, spec);
  if (key == "network") return read_network(value, spec);
  if (key == "devices") return spec.own_devices = value == "own", std::nullopt;
  if (key == "readonly") return spec.read_only_root = value == "1", std::nullopt;
  if (key == "grace") return read_number(key, value, spec.grace_seconds);
  if (key == "namespaces") return read_flag(key, value, spec.namespaces);
  if (key == "tty") return read_flag(key, value, spec.tty);
  if (key == "stdin") return read_input(value, spec);
  if (key == "log") return read_log_sizes(value, spec);
  return Failure{"spec: the key " + quoted(key) +
                 " is unknown to this shim; is it older than the server?"};
}

MaybeFailure check(const Spec& spec) {
  if (spec.cwd.empty() || spec.cwd.front() != '/') {
    return Failure{"workingDir " + quoted(spec.cwd) + " is not an absolute path"};
  }
  bool mounts = spec.root || !spec.binds.empty() || !spec.tmpfs.empty() || !spec.masks.empty();
  if (!spec.namespaces && mounts) {
    return Failure{"spec: volumes, masks and a private root need namespaces=1"};
  }
  if (!spec.namespaces && spec.own_network) {
    return Failure{"spec: a network of its own needs namespaces=1"};
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::uint64_t> parse_number(std::string_view text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.remove_suffix(1);
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  std::uint64_t number = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

MaybeFailure parse_base(std::string_view bytes, Spec& spec) {
  while (!bytes.empty()) {
    std::size_t key_end = bytes.find('\0');
    std::size_t value_end = key_end == bytes.npos ? bytes.npos : bytes.find('\0', key_end + 1);
    if (value_end == bytes.npos) return Failure{"spec: the file ends inside a record"};
    std::string_view key = bytes.substr(0, key_end);
    std::string_view value = bytes.substr(key_end + 1, value_end - key_end - 1);
    if (auto failure = read_record(key, value, spec)) return failure;
    bytes.remove_prefix(value_end + 1);
  }
  return check(spec);
}

MaybeFailure parse_spec(std::string_view bytes, Spec& spec) {
  if (auto failure = parse_base(bytes, spec)) return failure;
  if (spec.args.empty() || spec.args.front().empty()) {
    return Failure{"the container has no command: set command or args"};
  }
  return std::nullopt;
}

}  // namespace trainyard::shim
