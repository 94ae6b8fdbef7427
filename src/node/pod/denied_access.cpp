#include "node/pod/denied_access.h"

#include "base/files/beneath.h"
#include "base/files/files.h"
#include "node/pod/termination_message.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <fcntl.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

namespace trainyard::node {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLongestMessage = 4096;  // of a status, in Kubernetes

bool tells_of_refusal(std::string_view line) {
  return line.find("ermission denied") != std::string_view::npos;
}

std::int64_t to_integer(std::string_view text) {
  return std::strtoll(std::string(text).c_str(), nullptr, 10);
}

/// "rw:SOURCE:TARGET": neither has a colon (run_spec.cpp).
std::optional<RunPlaces::Place> read_bind(std::string_view text) {
  const std::size_t first = text.find(':');
  const std::size_t last = text.rfind(':');
  if (first == std::string_view::npos || first == last) return std::nullopt;
  return RunPlaces::Place{std::string(text.substr(first + 1, last - first - 1)), "",
                          std::string(text.substr(last + 1))};
}

/// Whether `path` is `above` or lies below it; then `rest` is what follows.
bool lies_below(std::string_view path, std::string_view above, std::string& rest) {
  while (above.ends_with('/')) above.remove_suffix(1);
  if (above.empty() || !path.starts_with(above)) return false;
  path.remove_prefix(above.size());
  if (!path.empty() && path.front() != '/') return false;
  rest = path.empty() ? "" : path.substr(1);
  return true;
}

/// The innermost place that a path of the container's is in.
std::optional<DeniedPlace> place_of(std::string_view path, const RunPlaces& run) {
  std::optional<DeniedPlace> found;
  for (const RunPlaces::Place& place : run.places) {
    std::string rest;
    if (!lies_below(path, place.target, rest)) continue;
    if (found && found->place.target.size() >= place.target.size()) continue;
    found = DeniedPlace{place, std::move(rest)};
  }
  return found;
}

/// Absolute paths in a line, in quotes or not.
std::vector<std::string_view> paths_in(std::string_view line) {
  constexpr std::string_view kBefore = " \t'\"`(=:";
  std::vector<std::string_view> found;
  for (std::size_t at = 0; at < line.size(); ++at) {
    if (line[at] != '/') continue;
    // Of the typographic quotes, as coreutils write them, the last byte.
    const char before = at == 0 ? ' ' : line[at - 1];
    if (kBefore.find(before) == std::string_view::npos && before != '\x98') continue;
    const bool quoted = before == '\'' || before == '"' || before == '`';
    std::size_t end = quoted ? line.find(before, at) : line.find_first_of(" \t'\":)\xE2", at);
    end = std::min(end, line.size());
    found.push_back(line.substr(at, end - at));
    at = end;
  }
  return found;
}

struct Owned {
  std::string path;  // below the place
  struct stat status{};
};

bool may_search(const struct stat& folder, const RunPlaces& run) {
  if (run.uid == 0) return true;
  if (static_cast<std::int64_t>(folder.st_uid) == run.uid) return (folder.st_mode & S_IXUSR) != 0;
  const auto group = static_cast<std::int64_t>(folder.st_gid);
  if (std::find(run.groups.begin(), run.groups.end(), group) != run.groups.end()) {
    return (folder.st_mode & S_IXGRP) != 0;
  }
  return (folder.st_mode & S_IXOTH) != 0;
}

/// The first folder on the way that may not be passed, else what is at its end, or is to be made
/// there: the folder for it. Opened as volumes are: no link leads out of it.
std::optional<Owned> find_obstacle(const DeniedPlace& denied, const RunPlaces& run) {
  const UniqueFd root(::open(denied.place.source.c_str(), O_PATH | O_CLOEXEC));
  if (!root.valid()) return std::nullopt;
  std::optional<Owned> last;
  fs::path way;
  const auto look = [&] {
    Owned here;
    here.path = way.string();
    const auto opened = open_beneath(root.get(), way, O_PATH);
    if (!opened && !way.empty()) return false;
    if (::fstat(opened ? opened->get() : root.get(), &here.status) != 0) return false;
    last = std::move(here);
    return !S_ISDIR(last->status.st_mode) || may_search(last->status, run);
  };
  if (!look()) return last;
  for (const fs::path& part : fs::path(denied.place.sub_path) / denied.rest) {
    if (part.empty() || part == ".") continue;
    way /= part;
    if (!look()) break;
  }
  return last;
}

std::string name_of_user(uid_t uid) {
  std::array<char, 4096> buffer{};
  struct passwd entry{};
  struct passwd* found = nullptr;
  const bool known =
      ::getpwuid_r(uid, &entry, buffer.data(), buffer.size(), &found) == 0 && found != nullptr;
  return known ? fmt::format("{} (user {})", entry.pw_name, uid) : fmt::format("user {}", uid);
}

/// Volumes of ours are made so that all pods of the namespace may write to them: what cannot be
/// written has been made so by a pod, or by a version that did not.
std::string tell_ours(const std::string& what, const RunPlaces& run) {
  return fmt::format(
      "{}; the container ran as user {}: a pod that runs as root can change that "
      "(chmod -R g+rwX), and new volumes can be written by all pods",
      what, run.uid);
}

std::string tell_others(const std::string& what, const std::string& host, const Owned& owned,
                        const RunPlaces& run) {
  std::string remedy = fmt::format(
      "`setfacl -R -m u:{}:rwX,d:u:{}:rwX {}` on the machine lets it in", run.uid, run.uid, host);
  if (owned.status.st_uid != run.uid) {
    remedy += fmt::format(", securityContext.runAsUser: {} runs the container as its owner",
                          owned.status.st_uid);
  }
  return fmt::format(
      "{}, is {} on the machine, and the container ran as user {}; folders that are "
      "not the platform's are never changed by it: {}",
      what, host, run.uid, remedy);
}

std::string explain(std::string_view line, const RunPlaces& run, const Paths& paths) {
  const auto denied = find_denied_place(line, run);
  if (!denied) return {};
  std::string ignored;
  const bool ours = lies_below(denied->place.source, paths.volumes().string(), ignored);
  // Pods' own folders are everybody's, tools and names nobody's to write.
  if (!ours && lies_below(denied->place.source, paths.data_dir().string(), ignored)) return {};
  const auto owned = find_obstacle(*denied, run);
  if (!owned) return {};
  fs::path sub =
      fs::path(owned->path)
          .lexically_relative(denied->place.sub_path.empty() ? fs::path(".")
                                                             : fs::path(denied->place.sub_path));
  if (owned->path.empty() || sub == "." || sub.string().starts_with("..")) sub.clear();
  const std::string shown =
      (sub.empty() ? fs::path(denied->place.target) : fs::path(denied->place.target) / sub)
          .string();
  const std::string what = fmt::format("{} belongs to {}, group {}, with mode {:04o}", shown,
                                       name_of_user(owned->status.st_uid), owned->status.st_gid,
                                       owned->status.st_mode & 07777U);
  if (ours) return tell_ours(what, run);
  const fs::path source = denied->place.source;
  return tell_others(what, (owned->path.empty() ? source : source / owned->path).string(), *owned,
                     run);
}

}  // namespace

RunPlaces read_run_places(std::string_view spec, std::int64_t server_uid) {
  RunPlaces run;
  run.uid = server_uid;
  const auto next = [&] {
    const std::string_view word = spec.substr(0, spec.find('\0'));
    spec.remove_prefix(std::min(word.size() + 1, spec.size()));
    return word;
  };
  while (!spec.empty()) {
    const std::string_view key = next();
    const std::string_view value = next();
    if (key == "bind") {
      if (auto place = read_bind(value)) run.places.push_back(*std::move(place));
    } else if (key == "subpath" && !run.places.empty()) {
      run.places.back().sub_path = value;
    } else if (key == "cwd") {
      run.working_dir = value;
    } else if (key == "uid") {
      run.uid = to_integer(value);
    } else if (key == "gid" || key == "group") {
      run.groups.push_back(to_integer(value));
    }
  }
  return run;
}

std::string_view find_denied_line(std::string_view log) {
  while (!log.empty()) {
    const std::string_view line = log.substr(0, log.find('\n'));
    if (tells_of_refusal(line)) return line;
    log.remove_prefix(std::min(line.size() + 1, log.size()));
  }
  return {};
}

std::optional<DeniedPlace> find_denied_place(std::string_view line, const RunPlaces& run) {
  const std::vector<std::string_view> paths = paths_in(line);
  for (const std::string_view path : paths) {
    if (auto found = place_of(path, run)) return found;
  }
  // The program of a line such as "/bin/sh: 1: cannot create x: Permission denied" is no file that
  // was refused.
  const bool names_another = std::any_of(
      paths.begin(), paths.end(), [&](std::string_view path) { return !line.starts_with(path); });
  return names_another ? std::nullopt : place_of(run.working_dir, run);
}

void explain_denied(const fs::path& run_folder, const Paths& paths, RunState& state) {
  if (!state.has_ended() || state.exit_code == 0) return;
  const bool never_ran = state.reason == "StartError";
  const std::string log = never_ran ? state.message : last_lines_of(run_folder);
  const bool is_cause = tells_of_refusal(state.telling_line);
  const std::string line(is_cause ? state.telling_line : find_denied_line(log));
  if (line.empty()) return;
  const auto spec = read_file(run_folder / "spec");
  if (!spec) return;
  const std::string told = explain(line, read_run_places(*spec, ::geteuid()), paths);
  if (told.empty()) return;
  if (is_cause) state.telling_line += fmt::format(" ({})", told);
  std::string& message = state.message;
  if (!message.empty() && !message.ends_with('\n')) message += '\n';
  message += told;
  if (message.size() > kLongestMessage) message.erase(0, message.size() - kLongestMessage);
}

}  // namespace trainyard::node
