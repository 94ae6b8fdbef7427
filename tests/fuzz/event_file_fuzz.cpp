// Event files: whatever the bytes are, reading them in one piece and in two gives the same, and
// what is kept can be read back. Half of the inputs are taken as the events of sound records, since
// hardly any bytes that are made up have a right checksum.
#include "fuzz.h"
#include "monitor/events/event_run.h"
#include "monitor/events/event_writer.h"

#include <algorithm>

namespace trainyard::fuzz {
namespace {

using namespace monitor;

class MemoryFile final : public LogFile {
 public:
  explicit MemoryFile(std::string_view bytes) : bytes_(bytes) {}
  std::uint64_t size() const override { return bytes_.size(); }
  std::uint64_t identity() const override { return 1; }
  Result<std::size_t> read(std::uint64_t offset, char* into, std::size_t size) override {
    require(offset <= bytes_.size(), "nothing behind the end is asked for");
    return bytes_.copy(into, size, offset);
  }

 private:
  std::string_view bytes_;
};

class MemoryFolder final : public LogFolder {
 public:
  std::string_view bytes;
  Result<std::vector<std::string>> find(ReadNotes&) override {
    return std::vector<std::string>{"f"};
  }
  Result<std::unique_ptr<LogFile>> open(const std::string&) override {
    return {std::make_unique<MemoryFile>(bytes)};
  }
};

/// As records: a byte says how long the next event is.
std::string as_records(std::string_view input) {
  std::string file;
  while (!input.empty()) {
    const std::size_t size = static_cast<unsigned char>(input.front()) * 4U;
    input.remove_prefix(1);
    file += writing::record(input.substr(0, size));
    input.remove_prefix(std::min(size, input.size()));
  }
  return file;
}

/// What a run says, in a text that can be compared.
std::string told(const EventRun& run) {
  std::string text;
  for (const TagData& tag : run.data().tags()) {
    text += tag.tag + ":" + std::to_string(tag.data.index());
    const ScalarColumn* column = tag.scalars();
    if (column == nullptr) continue;
    ScalarColumn::Reader reader(*column);
    std::uint64_t count = 0;
    while (const auto point = reader.next()) {
      text += writing::field(1, static_cast<std::uint64_t>(point->step)) +
              writing::field(2, point->wall_time) + writing::field(3, point->value);
      ++count;
    }
    require(count == column->size(), "a curve has as many points as it says");
  }
  return text;
}

}  // namespace

void run(std::string_view input) {
  if (input.empty()) return;
  const bool sound = input.front() % 2 == 0;
  const std::size_t cut = static_cast<unsigned char>(input.front()) * 8U;
  const std::string file = sound ? as_records(input.substr(1)) : std::string(input.substr(1));
  MemoryFolder folder;
  ReadBuffer buffer;
  RunLimits limits;
  limits.tags = 20;
  limits.other_bytes = 10'000;
  EventRun whole("whole", {}, limits);
  EventRun parts("parts", {}, limits);
  for (EventRun* one : {&whole, &parts}) one->set_files({"f"});
  folder.bytes = file;
  whole.refresh(folder, buffer, [](EventRun&) {});
  folder.bytes = std::string_view(file).substr(0, std::min(cut, file.size()));
  parts.refresh(folder, buffer, [](EventRun&) {});
  folder.bytes = file;
  parts.refresh(folder, buffer, [](EventRun&) {});
  require(told(whole) == told(parts), "a file that grows says the same as one that is there");
  require(whole.notes().damaged_records == parts.notes().damaged_records &&
              whole.notes().skipped_bytes == parts.notes().skipped_bytes,
          "what is wrong is counted once");
  require(whole.data().tags().size() <= limits.tags, "tags are bounded");
  whole.thin();
  told(whole);
}

}  // namespace trainyard::fuzz
