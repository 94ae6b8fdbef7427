#include "monitor/events/event_run.h"

#include <algorithm>
#include <cstring>

namespace trainyard::monitor {

void ReadBuffer::resize(std::size_t size, std::size_t kept) {
  if (size == size_) return;
  auto bytes = std::make_unique_for_overwrite<char[]>(size);
  if (kept > 0) std::memcpy(bytes.get(), bytes_.get(), kept);
  bytes_ = std::move(bytes);
  size_ = size;
}

EventRun::EventRun(std::string name, TagFilter filter, RunLimits limits)
    : name_(std::move(name)),
      filter_(std::move(filter)),
      limits_(limits),
      data_(filter_, limits_) {}

ReadNotes EventRun::notes() const {
  ReadNotes notes = notes_;
  for (std::size_t i = 0; i < files_.size(); ++i) {
    if (files_[i].unfinished) ++notes.unfinished_files;
    if (!files_[i].unreadable) continue;
    ++notes.unreadable_files;
    notes.example = paths_[i];
  }
  return notes;
}

void EventRun::set_files(std::vector<std::string> paths) {
  const auto gone = [&](const std::string& path) {
    return !std::binary_search(paths.begin(), paths.end(), path);
  };
  // Files come at the end, as their names hold the time. Any other change: all anew.
  const bool grown =
      paths.size() >= paths_.size() && std::equal(paths_.begin(), paths_.end(), paths.begin());
  if (!grown) {
    if (std::any_of(paths_.begin(), paths_.end(), gone)) ++notes_.rereadings;
    begin_anew();
  }
  paths_ = std::move(paths);
  files_.resize(paths_.size());
}

void EventRun::refresh(LogFolder& folder, ReadBuffer& buffer,
                       const std::function<void(EventRun&)>& progress) {
  if (read_all(folder, buffer, progress)) return;
  begin_anew();
  files_.resize(paths_.size());
  read_all(folder, buffer, progress);
}

void EventRun::begin_anew() {
  generation_ += data_.restarts() + 1;
  files_.clear();
  data_ = RunData(filter_, limits_);
}

/// False when a file is not the one that was read: what it said is among the rest and cannot be
/// taken out alone.
bool EventRun::read_all(LogFolder& folder, ReadBuffer& buffer,
                        const std::function<void(EventRun&)>& progress) {
  for (std::uint32_t i = 0; i < files_.size(); ++i) {
    File& file = files_[i];
    auto opened = folder.open(paths_[i]);
    file.unreadable = !opened;
    if (!opened) continue;
    if (file.offset > 0 && !is_still(file, **opened)) {
      ++notes_.rereadings;
      return false;
    }
    file.identity = (*opened)->identity();
    read_file(i, **opened, buffer, progress);
  }
  return true;
}

bool EventRun::is_still(const File& file, LogFile& opened) const {
  if (file.identity != opened.identity() || opened.size() < file.offset) return false;
  const auto word = word_before(opened, file.offset);
  return word && *word == file.last_word;
}

/// The four bytes before a place, nothing when they cannot be read; 0 where there are none.
std::optional<std::uint32_t> EventRun::word_before(LogFile& opened, std::uint64_t offset) {
  std::uint32_t word = 0;
  if (offset < sizeof word) return word;
  const auto got = opened.read(offset - sizeof word, reinterpret_cast<char*>(&word), sizeof word);
  if (!got || *got != sizeof word) return std::nullopt;
  return word;
}

void EventRun::read_file(std::uint32_t number, LogFile& opened, ReadBuffer& buffer,
                         const std::function<void(EventRun&)>& progress) {
  File& file = files_[number];
  const std::uint64_t size = opened.size();  // what comes behind is for the next time
  const std::uint64_t before = file.offset;
  std::size_t held = 0;  // bytes from file.offset on, in the buffer
  buffer.resize(ReadBuffer::kUsual, 0);
  while (file.offset + held < size) {
    const std::size_t room =
        std::min<std::uint64_t>(buffer.size() - held, size - file.offset - held);
    const auto got = opened.read(file.offset + held, buffer.data() + held, room);
    file.unreadable = !got;
    if (!got || *got == 0) break;  // truncated meanwhile
    held += *got;
    bytes_read_ += *got;
    const RecordProgress done =
        file.records.read({buffer.data(), held}, size - file.offset, notes_,
                          [&](std::string_view record, std::uint64_t at) {
                            data_.add(record, {number, file.offset + at}, notes_);
                          });
    const std::size_t inside = std::min<std::uint64_t>(done.used, held);
    std::memmove(buffer.data(), buffer.data() + inside, held - inside);
    held -= inside;
    file.offset += done.used;
    if (done.used > 0) progress(*this);
    if (done.needed > size - file.offset) break;
    if (done.needed > buffer.size()) {
      buffer.resize(done.needed, held);
    } else if (buffer.size() > ReadBuffer::kUsual && held < ReadBuffer::kUsual) {
      buffer.resize(ReadBuffer::kUsual, held);
    }
  }
  if (file.offset != before) file.last_word = word_before(opened, file.offset).value_or(0);
  file.unfinished = file.offset < size && !file.unreadable;
}

}  // namespace trainyard::monitor
