#include "node/logs/log_archive.h"

#include "base/files/files.h"
#include "base/files/folder_entries.h"
#include "base/log.h"
#include "node/logs/log_segments.h"
#include "object/values/metadata.h"

#include <boost/asio/post.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <ranges>
#include <utility>

namespace trainyard::node {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> folders_in(const fs::path& folder) {
  std::vector<fs::path> found;
  std::error_code failed;
  for (const auto& entry : FolderEntries(folder)) {
    if (entry.is_directory(failed)) found.push_back(entry.path());
  }
  std::sort(found.begin(), found.end());
  return found;
}

/// The numbers of a container's runs that have a log, in order.
std::vector<int> runs_in(const fs::path& container) {
  std::vector<int> runs;
  for (const fs::path& run : folders_in(container)) {
    const std::string name = run.filename();
    if (name.find_first_not_of("0123456789") != std::string::npos || name.size() > 9) continue;
    if (!list_segments(run).empty()) runs.push_back(std::stoi(name));
  }
  std::sort(runs.begin(), runs.end());
  return runs;
}

std::int64_t log_bytes(const fs::path& run) {
  std::int64_t bytes = 0;
  std::error_code failed;
  for (const std::uint64_t segment : list_segments(run)) {
    const auto size = fs::file_size(run / segment_name(segment), failed);
    if (!failed) bytes += static_cast<std::int64_t>(size);
  }
  return bytes;
}

/// Renames, since both are below one data folder. The bytes that it took.
std::int64_t move_logs(const fs::path& from, const fs::path& to) {
  std::int64_t bytes = 0;
  std::error_code failed;
  for (const fs::path& container : folders_in(from)) {
    for (const int number : runs_in(container)) {
      const fs::path run = container / std::to_string(number);
      const std::int64_t size = log_bytes(run);
      if (size == 0) continue;
      const fs::path kept = to / container.filename() / std::to_string(number);
      if (!make_folders(kept, 0700)) continue;
      for (const std::uint64_t segment : list_segments(run)) {
        fs::rename(run / segment_name(segment), kept / segment_name(segment), failed);
      }
      // What tells the numbers of lines whose files are gone; not every log has one.
      fs::rename(run / kLineNotes, kept / kLineNotes, failed);
      bytes += size;
    }
  }
  return bytes;
}

}  // namespace

void LogArchive::remember(const Json& pod) const {
  const std::string uid(uid_of(pod));
  const fs::path file = paths_.identity(uid);
  std::error_code missing;
  if (fs::file_size(file, missing) > 0 && !missing) return;
  if (!make_folders(file.parent_path(), 0700)) return;
  const Json* labels = find(pod, "metadata.labels");
  const JsonArray& containers = array_at(pod, "spec.containers");
  const Json identity{{"namespace", namespace_of(pod)},
                      {"name", name_of(pod)},
                      {"uid", uid},
                      {"main", containers.size() == 1 ? string_at(containers.front(), "name") : ""},
                      {"labels", labels == nullptr ? Json(JsonObject()) : *labels}};
  // Not synced: a log is worth less than the time that would take at every start of a pod.
  std::ofstream(file, std::ios::binary) << to_text(identity);
}

void LogArchive::keep(const std::string& uid) {
  load();
  const auto text = read_file(paths_.identity(uid));
  auto identity = text ? parse_json(*text) : Result<Json>(text.error());
  if (!identity || !identity->is_object()) return;
  const fs::path folder = paths_.kept_pod(std::string(string_at(*identity, "namespace")),
                                          std::string(string_at(*identity, "name")), uid);
  const std::int64_t bytes = move_logs(paths_.containers(uid), folder);
  if (bytes == 0) return;
  identity->get_object()["kept"] = format_time_micro(clock_.wall());
  identity->get_object()["bytes"] = bytes;
  std::ofstream(folder / "pod", std::ios::binary) << to_text(*identity);
  add(folder);
  remove(take_surplus());
}

void LogArchive::add(const fs::path& folder) {
  const auto text = read_file(folder / "pod");
  const auto identity = text ? parse_json(*text) : Result<Json>(text.error());
  const auto kept = parse_time(identity ? string_at(*identity, "kept") : "");
  KeptPod pod;
  pod.folder = folder;
  if (kept) {
    pod.ns = string_at(*identity, "namespace");
    pod.name = string_at(*identity, "name");
    pod.uid = string_at(*identity, "uid");
    if (const Json* labels = find(*identity, "labels")) pod.labels = *labels;
    pod.main = string_at(*identity, "main");
    pod.kept = *kept;
    pod.bytes = int_at(*identity, "bytes");
  }
  // What a crash left without its note is nobody's: the first to go.
  const auto place =
      std::upper_bound(pods_.begin(), pods_.end(), pod.kept,
                       [](WallTime when, const KeptPod& other) { return when < other.kept; });
  bytes_ += pod.bytes;
  pods_.insert(place, std::move(pod));
}

void LogArchive::load() {
  if (std::exchange(loaded_, true)) return;
  for (const fs::path& ns : folders_in(paths_.logs())) {
    for (const fs::path& name : folders_in(ns)) {
      for (const fs::path& uid : folders_in(name)) add(uid);
    }
  }
}

void LogArchive::prune() {
  load();
  Folders doomed = std::exchange(left_, {});
  std::ranges::move(take_surplus(), std::back_inserter(doomed));
  remove(std::move(doomed));
}

LogArchive::Folders LogArchive::take_surplus() {
  Folders surplus;
  const WallTime oldest = clock_.wall() - retention_.age;
  auto stays = pods_.begin();
  while (stays != pods_.end() && (stays->kept < oldest || bytes_ > retention_.bytes)) {
    surplus.push_back(stays->folder);
    bytes_ -= stays->bytes;
    ++stays;
  }
  pods_.erase(pods_.begin(), stays);
  return surplus;
}

void LogArchive::remove(Folders folders) {
  if (folders.empty()) return;
  boost::asio::post(where_, [loop = loop_, self = self_, remove = remove_,
                             folders = std::move(folders)]() mutable {
    Folders left;
    for (const fs::path& folder : folders) {
      const Result<> removed = remove(folder);
      if (removed) continue;
      log_warn("old log not removed", {{"cause", removed.error().message()}});
      left.push_back(folder);
    }
    boost::asio::post(loop, [self, folders = std::move(folders), left = std::move(left)] {
      if (*self == nullptr) return;
      (*self)->forget(folders);
      (*self)->left_.insert((*self)->left_.end(), left.begin(), left.end());
    });
  });
}

/// The folders above stay while they hold others. Here, where others are made, too.
void LogArchive::forget(const Folders& removed) const {
  std::error_code not_empty;
  for (const fs::path& folder : removed) {
    fs::remove(folder.parent_path(), not_empty);
    fs::remove(folder.parent_path().parent_path(), not_empty);
  }
}

std::optional<KeptPod> LogArchive::newest(const Key& pod, const std::string& except) {
  load();
  for (const KeptPod& kept : pods_ | std::views::reverse) {
    if (kept.ns == pod.ns && kept.name == pod.name && kept.uid != except) return kept;
  }
  return std::nullopt;
}

std::optional<KeptPod> LogArchive::by_uid(const Key& pod, const std::string& uid) {
  load();
  for (const KeptPod& kept : pods_) {
    if (kept.uid == uid && kept.ns == pod.ns && kept.name == pod.name) return kept;
  }
  return std::nullopt;
}

std::vector<KeptPod> LogArchive::list(const std::string& ns) {
  load();
  std::vector<KeptPod> found;
  std::copy_if(pods_.begin(), pods_.end(), std::back_inserter(found),
               [&](const KeptPod& pod) { return pod.ns == ns; });
  return found;
}

Result<fs::path> kept_run(const KeptPod& pod, const std::string& container, std::optional<int> run,
                          bool previous) {
  std::vector<fs::path> containers = folders_in(pod.folder);
  std::string names;
  for (const fs::path& one : containers) {
    names += (names.empty() ? "" : " ") + one.filename().string();
  }
  // Of a pod that never got beyond its init containers, one of them is all there is.
  const bool has_main = std::any_of(containers.begin(), containers.end(),
                                    [&](const auto& one) { return one.filename() == pod.main; });
  const std::string wanted = container.empty() && has_main ? pod.main : container;
  if (!wanted.empty()) {
    std::erase_if(containers, [&](const fs::path& one) { return one.filename() != wanted; });
  }
  if (containers.size() != 1) {
    return Error(Code::kBadRequest,
                 fmt::format("the pod {} is gone; logs are kept of its containers [{}]: name one",
                             pod.name, names));
  }
  if (run) return containers.front() / std::to_string(*run);
  const std::vector<int> runs = runs_in(containers.front());
  const std::size_t back = previous ? 2 : 1;
  if (runs.size() < back) {
    return Error(Code::kBadRequest, fmt::format("previous terminated container \"{}\" in pod "
                                                "\"{}\" not found",
                                                containers.front().filename().string(), pod.name));
  }
  return containers.front() / std::to_string(runs[runs.size() - back]);
}

}  // namespace trainyard::node
