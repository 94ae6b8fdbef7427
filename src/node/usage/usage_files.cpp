#include "node/usage/usage_files.h"

#include "base/files/files.h"
#include "base/files/folder_entries.h"
#include "base/log.h"
#include "monitor/series/series_block.h"

#include <algorithm>
#include <map>
#include <utility>

namespace trainyard::node {
namespace {

constexpr std::size_t kMostPods = 20'000;       // that are kept, however small
constexpr std::int64_t kOrphanAge = 3'600'000;  // files without a pod that are not just being made
constexpr std::uint64_t kLeastBytes = 8192;     // two blocks of the disk: less takes no less room

/// Whether what is kept has grown old enough for fewer rows since it was last written.
bool is_due(std::int64_t end, std::int64_t written, std::int64_t now) {
  return std::any_of(monitor::kUsageTiers.begin(), monitor::kUsageTiers.end(),
                     [&](const monitor::Tier& tier) {
                       // A row becomes part of a coarser one when that is over.
                       const std::int64_t of_age = end + tier.age + tier.step;
                       return written < of_age && of_age <= now;
                     });
}

}  // namespace

RecordedPod slim(const RecordedPod& pod) {
  RecordedPod few;
  few.key = pod.key;
  few.uid = pod.uid;
  few.owners = pod.owners;
  few.node = pod.node;
  few.begin = pod.begin;
  few.end = pod.end;
  return few;
}

bool UsageFiles::open() {
  if (store_) return true;
  auto opened = monitor::SeriesStore::open(folder_);
  if (!opened) {
    if (!std::exchange(failing_, true)) {
      log_error("usage is not recorded", {{"cause", opened.error().message()}});
    }
    return false;
  }
  store_ = *std::move(opened);
  return true;
}

Result<> UsageFiles::write_one(const Batch& batch) {
  const std::string& uid = batch.pod->uid;
  if (batch.describe) undescribed_.insert(uid);
  if (undescribed_.contains(uid)) {
    TRY_OK(store_->describe(uid, about_text(*batch.pod)));
    undescribed_.erase(uid);
  }
  const std::string block = monitor::write_block(batch.rows);
  return block.empty() ? Result<>(Ok()) : store_->append(uid, block);
}

void UsageFiles::write(const std::vector<Batch>& batches) {
  if (!open()) return;
  for (const Batch& batch : batches) {
    const auto written = write_one(batch);
    // Once is enough while it lasts: a full disk would be told of each second.
    if (!written && !failing_) {
      log_error("usage is not recorded", {{"cause", written.error().message()}});
    }
    failing_ = !written;
  }
}

void UsageFiles::compact(const std::string& uid, std::int64_t now) {
  if (!open()) return;
  if (const auto compacted = store_->compact(uid, now); !compacted) {
    log_warn("usage not compacted", {{"cause", compacted.error().message()}});
  }
}

std::optional<RecordedPod> UsageFiles::find(const std::string& uid) const {
  const auto text = read_file(folder_ / (uid + ".about"));
  auto pod = text ? read_about(*text) : Result<RecordedPod>(text.error());
  if (!pod || pod->uid != uid) return std::nullopt;
  return *std::move(pod);
}

std::string UsageFiles::read(const std::string& uid) const {
  auto bytes = read_file(folder_ / (uid + ".series"));
  return bytes ? *std::move(bytes) : std::string();
}

std::vector<RecordedPod> UsageFiles::load() const {
  std::vector<RecordedPod> pods;
  for (const auto& entry : FolderEntries(folder_)) {
    if (entry.path().extension() != ".about") continue;
    const auto pod = find(entry.path().stem());
    if (!pod) continue;
    RecordedPod few = slim(*pod);
    if (few.end == 0) {
      const std::string bytes = read(few.uid);
      const auto blocks = monitor::read_blocks(bytes).blocks;
      few.end = blocks.empty() ? few.begin : std::max(few.begin, blocks.back().span().end);
    }
    pods.push_back(std::move(few));
  }
  return pods;
}

UsageFiles::Tidied UsageFiles::tidy(const std::vector<RecordedPod>& ended,
                                    const std::vector<std::string>& running,
                                    const UsageRetention& retention, std::int64_t now) {
  Tidied tidied;
  if (!open()) return tidied;
  std::map<std::string, std::int64_t> ends;
  for (const RecordedPod& pod : ended) ends[pod.uid] = pod.end;
  const std::set<std::string> live(running.begin(), running.end());
  std::vector<monitor::KeptSeries> kept;
  for (monitor::KeptSeries& one : store_->list(false)) {
    if (live.contains(one.id)) continue;
    const auto end = ends.find(one.id);
    if (end == ends.end()) {
      if (now - one.written > kOrphanAge) store_->remove(one.id);
      continue;
    }
    const bool large = one.bytes > kLeastBytes;
    if (large && is_due(end->second, one.written, now)) tidied.to_compact.push_back(one.id);
    one.written = end->second;  // compaction makes nothing younger
    kept.push_back(std::move(one));
  }
  monitor::Retention limits;
  limits.age = std::chrono::milliseconds(retention.age).count();
  limits.bytes = static_cast<std::uint64_t>(std::max<std::int64_t>(retention.bytes, 0));
  limits.count = kMostPods;
  tidied.removed = monitor::outdated(std::move(kept), limits, now);
  for (const std::string& uid : tidied.removed) {
    store_->remove(uid);
    std::erase(tidied.to_compact, uid);
  }
  return tidied;
}

}  // namespace trainyard::node
