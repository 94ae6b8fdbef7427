// Blocks of usage series: whatever a file holds, what is read of it makes sense, and what is made
// coarser or written anew can be read back.
#include "fuzz.h"
#include "monitor/crc32c.h"
#include "monitor/series/series_compaction.h"
#include "monitor/series/series_query.h"

namespace trainyard::fuzz {
namespace {

using namespace monitor;

std::string little_endian(std::uint32_t value) {
  std::string text;
  for (unsigned i = 0; i < 4; ++i) text += static_cast<char>(value >> (8 * i));
  return text;
}

/// With a header that fits: no input that is made up has a right checksum.
std::string as_block(std::string_view payload) {
  return "TYs1" + little_endian(static_cast<std::uint32_t>(payload.size())) +
         little_endian(crc32c(payload)) + std::string(payload);
}

std::vector<SeriesRow> rows_of(std::string_view bytes) {
  std::vector<SeriesRow> rows;
  for (const SeriesBlock& block : read_blocks(bytes).blocks) {
    for (SeriesRow& row : block.all()) rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace

void run(std::string_view input) {
  if (input.empty()) return;
  const bool sound = input.front() % 2 == 0;
  input.remove_prefix(1);
  const std::string file = sound ? as_block(input) : std::string(input);
  const BlockFile read = read_blocks(file);
  require(read.sound_bytes <= file.size() && read.damaged_bytes <= file.size(),
          "no more is read than there is");
  for (const SeriesBlock& block : read.blocks) {
    const std::vector<SeriesRow> rows = block.all();
    for (std::size_t i = 1; i < rows.size(); ++i) {
      require(rows[i - 1].span.end <= rows[i].span.begin, "rows follow each other in time");
    }
    if (rows.empty()) continue;
    const std::string again = write_block(rows);
    const BlockFile written = read_blocks(again);
    require(written.blocks.size() == 1 && written.damaged_bytes == 0, "it can be written anew");
    require(written.blocks[0].times() == block.times(), "with the same times");
  }
  const std::string compacted = compact(file, kUsageTiers, 1'700'000'000'000);
  require(read_blocks(compacted).damaged_bytes == 0, "what is compacted is sound");
  require(rows_of(compacted).size() <= rows_of(file).size(), "and no more than before");
  (void)read_steps(read.blocks, 0, {1'600'000'000'000, 3'600'000, 100});
}

}  // namespace trainyard::fuzz
