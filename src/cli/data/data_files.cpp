// The files in volumes: `trainyard data ls | cp | cat | rm`, and the end of a volume.

#include "base/files/files.h"
#include "base/files/shared_folder.h"
#include "cli/command/commands.h"
#include "cli/command/print.h"
#include "cli/data/copy_files.h"
#include "cli/data/data_place.h"
#include "cli/terminal/progress_bar.h"
#include "cli/terminal/text_table.h"
#include "client/claim_folder.h"
#include "client/remote/remote_volume_files.h"
#include "object/json/utf8.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <tuple>
#include <utility>

namespace trainyard::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kPrintedAtOnce = 1 << 20;

/// The files of the namespace's volumes.
class Volumes {
 public:
  explicit Volumes(Session& session) : session_(session), files_(session.api()) {}

  client::VolumeFiles& files() { return files_; }
  Key key(const DataPlace& place) const { return Key{session_.ns(), place.volume}; }
  std::unique_ptr<CopySide> side(const DataPlace& place) { return volume_side(files_, key(place)); }

 private:
  Session& session_;
  client::RemoteVolumeFiles files_;
};

/// The server knows paths below a volume; who typed it knows the volume's name before it.
Error about_place(const DataPlace& place, const Error& cause) {
  if (place.path.empty() || !cause.message().starts_with(place.path)) return cause;
  return Error(cause.code(), place.volume + ":" + cause.message());
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

awaitable<Result<>> print_all(client::VolumeFiles& files, Key volume, std::string path) {
  CO_TRY(const auto file, co_await files.open(std::move(volume), std::move(path)));
  for (std::int64_t at = 0;;) {
    CO_TRY(const std::string part, co_await file->read(at, kPrintedAtOnce));
    if (part.empty()) co_return Ok();
    at += static_cast<std::int64_t>(part.size());
    if (std::fwrite(part.data(), 1, part.size(), stdout) != part.size()) {
      co_return io_error("writing to", "standard output", errno);
    }
  }
}

/// A place, opened for reading: what is to be copied of it.
struct Source {
  std::unique_ptr<CopySide> side;
  std::string path;
  std::vector<CopyItem> items;
};

/// Of this machine: a folder itself, or the folder that a file is in.
Result<std::pair<std::unique_ptr<CopySide>, std::string>> open_local(const DataPlace& place) {
  std::error_code failed;
  const fs::path path = fs::canonical(place.path, failed);
  if (failed) return about_path(place.path, Error(Code::kNotFound, ""));
  const bool folder = fs::is_directory(path, failed);
  TRY(SharedFolder opened, SharedFolder::open(folder ? path : path.parent_path()));
  return std::pair(local_side(std::move(opened)), folder ? "" : path.filename().string());
}

Result<Source> open_source(Session& session, Volumes& volumes, const DataPlace& place) {
  Source source;
  if (place.volume.empty()) {
    TRY(std::tie(source.side, source.path), open_local(place));
  } else {
    source.side = volumes.side(place);
    source.path = place.path;
  }
  auto items = session.run(list_copy(*source.side, source.path));
  if (!items) return about_place(place, items.error());
  source.items = *std::move(items);
  return source;
}

/// Where copies go to: a folder, and, for one that gets another name, that name.
struct Target {
  std::unique_ptr<CopySide> side;
  std::string folder;
  std::string name;
};

Error needs_folder(const DataPlace& place) {
  return Error(Code::kInvalid,
               fmt::format("{} is no folder: several files need one to go to", place.text()));
}

/// Makes folders that are missing. With `several`, it must be a folder.
Result<Target> local_target(const DataPlace& place, bool several) {
  Target target;
  fs::path folder = place.path;
  std::error_code failed;
  if (!fs::is_directory(folder, failed)) {
    if (!place.must_be_folder) {
      if (several) return needs_folder(place);
      target.name = folder.filename();
      folder = folder.parent_path();
    }
    if (folder.empty()) folder = ".";
    TRY_OK(make_folders(folder, 0777));
  }
  TRY(SharedFolder opened, SharedFolder::open(folder));
  target.side = local_side(std::move(opened));
  return target;
}

Result<Target> volume_target(Session& session, Volumes& volumes, const DataPlace& place,
                             bool several) {
  Target target;
  target.side = volumes.side(place);
  target.folder = place.path;
  const auto there = session.run(target.side->look(place.path));
  if (there && there->type == FileType::kFolder) return target;
  if (!there && (place.path.empty() || !there.failed_with(Code::kNotFound))) return there.error();
  if (!place.must_be_folder) {
    if (several) return needs_folder(place);
    target.name = fs::path(place.path).filename();
    target.folder = fs::path(place.path).parent_path();
  }
  const auto made = session.run(make_folders_in(*target.side, target.folder));
  if (!made) return about_place(place, made.error());
  return target;
}

/// In one volume, the copy would be part of what is copied.
Result<> check_apart(const DataPlace& from, const DataPlace& to, const std::string& copy) {
  if (from.volume != to.volume || from.volume.empty()) return Ok();
  const bool inside = from.path.empty() || copy == from.path || copy.starts_with(from.path + "/");
  if (!inside) return Ok();
  return Error(Code::kInvalid, fmt::format("{} cannot be copied into itself", from.text()));
}

std::string below(const std::string& folder, const std::string& name) {
  return folder.empty() ? name : folder + "/" + name;
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
  Volumes volumes(*session);
  const std::unique_ptr<CopySide> side = volumes.side(place);
  const auto found = session->run(side->look(place.path));
  if (!found) return about_place(place, found.error());
  std::vector<FileFacts> files;
  if (found->type == FileType::kFolder) {
    TRY(files, session->run(side->list(place.path)));
  } else {
    files.push_back(*found);
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
  Volumes volumes(*session);
  const auto printed = session->run(print_all(volumes.files(), volumes.key(place), place.path));
  if (!printed) return about_place(place, printed.error());
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
  const bool any_volume = std::any_of(parsed.begin(), parsed.end(),
                                      [](const DataPlace& place) { return !place.volume.empty(); });
  if (!any_volume) {
    return Error(
        Code::kInvalid,
        "none of these is in a volume: write NAME:PATH, or use cp for files of this machine");
  }
  const DataPlace to = std::move(parsed.back());
  parsed.pop_back();
  TRY(const std::unique_ptr<Session> session, Session::open(flags));
  Volumes volumes(*session);
  // First what can be wrong without anything having been made.
  std::vector<Source> sources;
  for (const DataPlace& place : parsed) {
    TRY(Source source, open_source(*session, volumes, place));
    sources.push_back(std::move(source));
  }
  const bool several = parsed.size() > 1;
  TRY(const Target target, to.volume.empty() ? local_target(to, several)
                                             : volume_target(*session, volumes, to, several));
  std::vector<std::string> copies;
  for (const DataPlace& place : parsed) {
    copies.push_back(below(target.folder, target.name.empty() ? own_name(place) : target.name));
    TRY_OK(check_apart(place, to, copies.back()));
  }
  ProgressBar bar("copying", [&] {
    std::uint64_t bytes = 0;
    for (const Source& source : sources) bytes += bytes_of(source.items);
    return bytes;
  });
  for (std::size_t i = 0; i < sources.size(); ++i) {
    const auto copied = session->run(
        copy_items(*sources[i].side, sources[i].path, std::move(sources[i].items), *target.side,
                   copies[i], [&](std::uint64_t bytes) { bar.add(bytes); }));
    if (!copied) return copied.error();
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
  Volumes volumes(*session);
  const auto removed =
      session->run(volumes.files().remove(volumes.key(place), place.path, recursive));
  if (removed.failed_with(Code::kConflict)) {
    return Error(Code::kInvalid,
                 fmt::format("{} is a folder: add -r to remove all in it", place.text()));
  }
  if (!removed) return about_place(place, removed.error());
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
