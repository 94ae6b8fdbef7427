// The files in volumes: `trainyard data ls | cp | cat | rm`, and the end of a volume.

#include "base/beneath.h"
#include "base/files.h"
#include "cli/commands.h"
#include "cli/data_place.h"
#include "cli/file_tree.h"
#include "cli/text_table.h"

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <filesystem>
#include <map>
#include <sys/stat.h>
#include <unistd.h>

namespace trainyard::cli {
namespace {

namespace fs = std::filesystem;

const Resource kVolumes{"", "v1", "persistentvolumes"};
/// Not held up by a pipe that a job has left there.
constexpr int kReading = O_RDONLY | O_NONBLOCK | O_CLOEXEC;

Error no_such_volume(const Key& claim) {
  return Error(Code::kNotFound,
               fmt::format("there is no volume {} in namespace {}: `trainyard data list -A` shows "
                           "all",
                           claim.name, claim.ns));
}

/// A volume's folder on this machine.
awaitable<Result<std::string>> folder_of(client::RemoteApi& api, Key claim) {
  const auto found = co_await api.get(kVolumeClaims, claim);
  if (found.failed_with(Code::kNotFound)) co_return no_such_volume(claim);
  if (!found) co_return found.error();
  Key volume{"", std::string(string_at((*found)->body(), "spec.volumeName"))};
  if (volume.name.empty()) {
    co_return Error(Code::kUnavailable,
                    fmt::format("volume {} has no folder yet: `kubectl describe pvc {}` says why",
                                claim.name, claim.name));
  }
  CO_TRY(const ObjectPtr made, co_await api.get(kVolumes, std::move(volume)));
  const std::string_view path =
      string_at(made->body(), "spec.hostPath.path", string_at(made->body(), "spec.local.path"));
  if (!path.empty()) co_return std::string(path);
  co_return Error(Code::kUnsupported,
                  fmt::format("volume {} is no folder of this machine: mount it in a pod and use "
                              "`kubectl cp`",
                              claim.name));
}

Result<UniqueFd> open_volume(Session& session, const std::string& name) {
  TRY(const std::string folder, session.run(folder_of(session.api(), Key{session.ns(), name})));
  UniqueFd opened(::open(folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (opened.valid()) return opened;
  if (errno != ENOENT) return io_error("opening", folder, errno);
  return Error(Code::kNotFound,
               fmt::format("volume {} is the folder {}, which this machine does not have: where "
                           "the server runs on another, mount it in a pod and use `kubectl cp`",
                           name, folder));
}

/// In words that name the place as it was typed.
Error about(const DataPlace& place, const Error& cause) {
  if (cause.code() == Code::kNotFound) {
    return Error(Code::kNotFound, place.text() + ": there is no such file or folder");
  }
  if (cause.code() == Code::kInvalid) {
    return Error(Code::kInvalid, fmt::format("{} leads out of its volume: there is a link on the "
                                             "way",
                                             place.text()));
  }
  return cause;
}

Result<UniqueFd> open_there(const UniqueFd& volume, const DataPlace& place, int flags) {
  if (place.volume.empty()) {
    UniqueFd opened(::open(place.path.c_str(), flags | O_CLOEXEC));
    if (opened.valid()) return opened;
    return about(place, io_error("opening", place.path, errno));
  }
  auto opened = open_beneath(volume.get(), place.path, flags);
  if (opened) return opened;
  return about(place, opened.error());
}

Result<UniqueFd> open_source(Session& session, const DataPlace& place) {
  UniqueFd volume;
  if (!place.volume.empty()) {
    TRY(volume, open_volume(session, place.volume));
  }
  return open_there(volume, place, kReading);
}

Result<struct stat> status_of(const UniqueFd& file, const DataPlace& place) {
  struct stat status{};
  if (::fstat(file.get(), &status) == 0) return status;
  return io_error("looking at", place.text(), errno);
}

const char* type_of(const struct stat& status) {
  if (S_ISREG(status.st_mode)) return "file";
  if (S_ISDIR(status.st_mode)) return "folder";
  return S_ISLNK(status.st_mode) ? "link" : "special";
}

std::vector<std::string> row_of(const std::string& name, const struct stat& status) {
  const char* mark = S_ISDIR(status.st_mode) ? "/" : S_ISLNK(status.st_mode) ? "@" : "";
  return {name + mark, S_ISREG(status.st_mode) ? std::to_string(status.st_size) : "-"};
}

/// Files by their names, as a user sees a folder.
using Files = std::map<std::string, struct stat>;

bool print_files(const Flags& flags, const Files& files) {
  std::vector<std::string> names;
  JsonArray items;
  for (const auto& [name, status] : files) {
    names.push_back(name);
    JsonObject item{{"name", name}, {"type", type_of(status)}};
    if (S_ISREG(status.st_mode)) item["bytes"] = status.st_size;
    items.push_back(std::move(item));
  }
  return print_names(flags, names) || print_value(flags, items);
}

Result<> print_all(const UniqueFd& file, const DataPlace& place) {
  std::array<char, 65536> buffer{};
  while (true) {
    const ssize_t got = ::read(file.get(), buffer.data(), buffer.size());
    if (got < 0) return io_error("reading", place.text(), errno);
    if (got == 0) return Ok();
    const auto length = static_cast<std::size_t>(got);
    if (std::fwrite(buffer.data(), 1, length, stdout) != length) {
      return io_error("writing to", "standard output", errno);
    }
  }
}

/// The folder that copies go to, and, for one that gets another name, that name.
struct Target {
  UniqueFd folder;
  std::string name;
};

/// Makes folders that are missing. With `several`, it must be a folder.
Result<Target> open_target(Session& session, const DataPlace& place, bool several) {
  UniqueFd volume;
  if (!place.volume.empty()) {
    TRY(volume, open_volume(session, place.volume));
  }
  constexpr int kFolder = O_RDONLY | O_DIRECTORY;
  Target target;
  if (auto there = open_there(volume, place, kFolder)) {
    target.folder = *std::move(there);
    return target;
  }
  DataPlace parent = place;
  if (!place.must_be_folder) {
    if (several) {
      return Error(Code::kInvalid,
                   fmt::format("{} is no folder: several files need one to go to", place.text()));
    }
    target.name = fs::path(place.path).filename();
    parent.path = fs::path(place.path).parent_path();
  }
  if (!place.volume.empty()) {
    auto made = make_folders_beneath(volume.get(), parent.path);
    if (!made) return about(place, made.error());
  } else {
    if (parent.path.empty()) parent.path = ".";
    TRY_OK(make_folders(parent.path, 0777));
  }
  TRY(target.folder, open_there(volume, parent, kFolder));
  return target;
}

std::string own_name(const DataPlace& place) {
  if (!place.volume.empty()) {
    return place.path.empty() ? place.volume : fs::path(place.path).filename().string();
  }
  std::error_code failed;
  return fs::canonical(place.path, failed).filename();
}

}  // namespace

Result<int> data_ls(const Flags& flags, const std::string& text) {
  TRY(const DataPlace place, parse_volume_place(text));
  TRY(const std::unique_ptr<Session> session, Session::open(flags));
  TRY(const UniqueFd opened, open_source(*session, place));
  TRY(const struct stat status, status_of(opened, place));
  Files files;
  if (S_ISDIR(status.st_mode)) {
    TRY(const auto names, names_in(opened.get(), place.text()));
    for (const std::string& name : names) {
      struct stat entry{};
      // One that a job has removed meanwhile is not there.
      if (::fstatat(opened.get(), name.c_str(), &entry, AT_SYMLINK_NOFOLLOW) == 0) {
        files[name] = entry;
      }
    }
  } else {
    files[own_name(place)] = status;
  }
  if (print_files(flags, files)) return 0;
  if (files.empty()) {
    fmt::print(stderr, "it is empty\n");
    return 0;
  }
  std::vector<std::vector<std::string>> rows;
  for (const auto& [name, entry] : files) rows.push_back(row_of(name, entry));
  fmt::print("{}", format_table({"NAME", "BYTES"}, rows));
  return 0;
}

Result<int> data_cat(const Flags& flags, const std::string& text) {
  TRY(const DataPlace place, parse_volume_place(text));
  TRY(const std::unique_ptr<Session> session, Session::open(flags));
  TRY(const UniqueFd opened, open_source(*session, place));
  TRY(const struct stat status, status_of(opened, place));
  if (!S_ISREG(status.st_mode)) {
    return Error(Code::kInvalid,
                 fmt::format("{} is no file{}", place.text(),
                             S_ISDIR(status.st_mode) ? ": `trainyard data ls` shows folders" : ""));
  }
  TRY_OK(print_all(opened, place));
  return 0;
}

Result<int> data_cp(const Flags& flags, const std::vector<std::string>& places) {
  if (places.size() < 2) {
    return Error(Code::kInvalid, "say from where and to where: trainyard data cp FILE NAME:PATH");
  }
  std::vector<DataPlace> parsed;
  for (const std::string& text : places) {
    TRY(DataPlace place, parse_place(text));
    parsed.push_back(std::move(place));
  }
  TRY(const std::unique_ptr<Session> session, Session::open(flags));
  const bool several = parsed.size() > 2;
  // First what can be wrong without anything having been made.
  std::vector<UniqueFd> sources;
  for (std::size_t i = 0; i + 1 < parsed.size(); ++i) {
    TRY(UniqueFd source, open_source(*session, parsed[i]));
    sources.push_back(std::move(source));
  }
  TRY(const Target target, open_target(*session, parsed.back(), several));
  for (std::size_t i = 0; i < sources.size(); ++i) {
    TRY_OK(copy_tree(sources[i], target.folder.get(),
                     target.name.empty() ? own_name(parsed[i]) : target.name));
  }
  return 0;
}

Result<int> data_rm(const Flags& flags, const std::string& text, bool recursive) {
  TRY(const DataPlace place, parse_volume_place(text));
  if (place.path.empty()) {
    return Error(Code::kInvalid, fmt::format("name a file: {}:PATH; the volume itself goes with "
                                             "`trainyard data delete {}`",
                                             place.volume, place.volume));
  }
  TRY(const std::unique_ptr<Session> session, Session::open(flags));
  TRY(const UniqueFd volume, open_volume(*session, place.volume));
  DataPlace parent = place;
  parent.path = fs::path(place.path).parent_path();
  TRY(const UniqueFd folder, open_there(volume, parent, O_RDONLY | O_DIRECTORY));
  const std::string name = fs::path(place.path).filename();
  struct stat status{};
  // A link is removed, not what it leads to.
  if (::fstatat(folder.get(), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) {
    return about(place, io_error("looking at", place.text(), errno));
  }
  if (S_ISDIR(status.st_mode) && !recursive) {
    return Error(Code::kInvalid,
                 fmt::format("{} is a folder: add -r to remove all in it", place.text()));
  }
  TRY_OK(remove_tree(folder.get(), name));
  return 0;
}

Result<int> data_delete(const Flags& flags, const std::vector<std::string>& names) {
  TRY(const std::unique_ptr<Session> session, Session::open(flags));
  for (const std::string& name : names) {
    const Key key{session->ns(), name};
    const auto removed = session->run(session->api().remove(kVolumeClaims, key, {}));
    if (removed.failed_with(Code::kNotFound)) return no_such_volume(key);
    if (!removed) return removed.error();
    fmt::print("volume {} deleted\n", name);
  }
  return 0;
}

}  // namespace trainyard::cli
