// The files in volumes: `trainyard data ls | cp | cat | rm`, and the end of a volume.

#include "base/files/beneath.h"
#include "base/files/file_tree.h"
#include "base/files/files.h"
#include "base/files/shared_folder.h"
#include "cli/command/commands.h"
#include "cli/command/print.h"
#include "cli/data/data_place.h"
#include "cli/terminal/progress_bar.h"
#include "cli/terminal/text_table.h"
#include "client/claim_folder.h"
#include "object/json/utf8.h"

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <filesystem>
#include <optional>
#include <unistd.h>

namespace trainyard::cli {
namespace {

namespace fs = std::filesystem;

/// Not held up by a pipe that a job has left there.
constexpr int kReading = O_RDONLY | O_NONBLOCK | O_CLOEXEC;

Result<SharedFolder> open_volume(Session& session, const std::string& name) {
  TRY(const client::ClaimFolder found,
      session.run(client::find_claim_folder(session.api(), Key{session.ns(), name})));
  auto opened = SharedFolder::open(found.path);
  if (opened || !opened.failed_with(Code::kNotFound)) return opened;
  return Error(Code::kNotFound,
               fmt::format("volume {} is the folder {}, which this machine does not have: where "
                           "the server runs on another, mount it in a pod and use `kubectl cp`",
                           name, found.path));
}

/// `volume` is nothing for a place on this machine.
Result<UniqueFd> open_there(const std::optional<SharedFolder>& volume, const DataPlace& place,
                            int flags) {
  if (!volume) {
    UniqueFd opened(::open(place.path.c_str(), flags | O_CLOEXEC));
    if (opened.valid()) return opened;
    return about_path(place.text(), io_error("opening", place.path, errno));
  }
  auto opened = open_beneath(volume->descriptor(), place.path, flags);
  if (opened) return opened;
  return about_path(place.text(), opened.error());
}

Result<std::optional<SharedFolder>> volume_of(Session& session, const DataPlace& place) {
  if (place.volume.empty()) return {std::nullopt};
  TRY(SharedFolder volume, open_volume(session, place.volume));
  return {std::move(volume)};
}

Result<UniqueFd> open_source(Session& session, const DataPlace& place) {
  TRY(const std::optional<SharedFolder> volume, volume_of(session, place));
  return open_there(volume, place, kReading);
}

const char* word_for(FileType type) {
  switch (type) {
    case FileType::kFile:
      return "file";
    case FileType::kFolder:
      return "folder";
    case FileType::kLink:
      return "link";
    case FileType::kSpecial:
      return "special";
  }
  return "";
}

std::vector<std::string> row_of(const FileFacts& file) {
  const char* mark = file.type == FileType::kFolder ? "/" : file.type == FileType::kLink ? "@" : "";
  return {file.name + mark, file.type == FileType::kFile ? std::to_string(file.bytes) : "-"};
}

bool print_files(const Flags& flags, const std::vector<FileFacts>& files) {
  std::vector<std::string> names;
  JsonArray items;
  for (const FileFacts& file : files) {
    names.push_back(file.name);
    JsonObject item{{"name", as_utf8(file.name)}, {"type", word_for(file.type)}};
    if (file.type == FileType::kFile) item["bytes"] = file.bytes;
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
  TRY(const std::optional<SharedFolder> volume, volume_of(session, place));
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
  if (volume) {
    auto made = make_folders_beneath(volume->descriptor(), parent.path);
    if (!made) return about_path(place.text(), made.error());
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
  TRY(const SharedFolder volume, open_volume(*session, place.volume));
  TRY(const FileFacts found, volume.look(place.path));
  std::vector<FileFacts> files;
  if (found.type == FileType::kFolder) {
    TRY(FolderPage page, volume.list(place.path, "", SIZE_MAX));
    files = std::move(page.entries);
  } else {
    files.push_back(found);
  }
  if (print_files(flags, files)) return 0;
  if (files.empty()) {
    fmt::print(stderr, "it is empty\n");
    return 0;
  }
  std::vector<std::vector<std::string>> rows;
  for (const FileFacts& file : files) rows.push_back(row_of(file));
  fmt::print("{}", format_table({"NAME", "BYTES"}, rows));
  return 0;
}

Result<int> data_cat(const Flags& flags, const std::string& text) {
  TRY(const DataPlace place, parse_volume_place(text));
  TRY(const std::unique_ptr<Session> session, Session::open(flags));
  TRY(const SharedFolder volume, open_volume(*session, place.volume));
  TRY(const UniqueFd opened, volume.open_file(place.path));
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
  ProgressBar bar("copying", [&] {
    std::uint64_t bytes = 0;
    for (const UniqueFd& source : sources) bytes += bytes_in(source);
    return bytes;
  });
  for (std::size_t i = 0; i < sources.size(); ++i) {
    TRY_OK(copy_tree(sources[i], target.folder.get(),
                     target.name.empty() ? own_name(parsed[i]) : target.name,
                     [&](std::uint64_t bytes) { bar.add(bytes); }));
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
  TRY(const SharedFolder volume, open_volume(*session, place.volume));
  const auto removed = volume.remove(place.path, recursive);
  if (removed.failed_with(Code::kConflict)) {
    return Error(Code::kInvalid,
                 fmt::format("{} is a folder: add -r to remove all in it", place.text()));
  }
  if (!removed) return removed.error();
  return 0;
}

Result<int> data_delete(const Flags& flags, const std::vector<std::string>& names) {
  TRY(const std::unique_ptr<Session> session, Session::open(flags));
  for (const std::string& name : names) {
    const Key key{session->ns(), name};
    const auto removed = session->run(session->api().remove(kVolumeClaims, key, {}));
    if (removed.failed_with(Code::kNotFound)) return client::no_such_volume(key);
    if (!removed) return removed.error();
    fmt::print("volume {} deleted\n", name);
  }
  return 0;
}

}  // namespace trainyard::cli
