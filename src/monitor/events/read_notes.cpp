#include "monitor/events/read_notes.h"

#include <fmt/format.h>

namespace trainyard::monitor {

void ReadNotes::add(const ReadNotes& other) {
  damaged_records += other.damaged_records;
  damaged_places += other.damaged_places;
  skipped_bytes += other.skipped_bytes;
  large_records += other.large_records;
  odd_events += other.odd_events;
  odd_values += other.odd_values;
  refused_tags += other.refused_tags;
  unfinished_files += other.unfinished_files;
  unreadable_files += other.unreadable_files;
  links += other.links;
  rereadings += other.rereadings;
  thinned += other.thinned;
  if (example.empty()) example = other.example;
}

std::vector<std::string> ReadNotes::sentences() const {
  std::vector<std::string> told;
  const auto tell = [&](std::uint64_t count, const char* one, const char* more) {
    if (count > 0) told.push_back(fmt::format(fmt::runtime(count == 1 ? one : more), count));
  };
  tell(damaged_records, "{} record has a wrong checksum and was skipped",
       "{} records have wrong checksums and were skipped");
  if (damaged_places > 0) {
    told.push_back(fmt::format("{} bytes at {} {} are no records and were skipped", skipped_bytes,
                               damaged_places, damaged_places == 1 ? "place" : "places"));
  }
  tell(large_records, "{} record is too large and was skipped",
       "{} records are too large and were skipped");
  tell(odd_events, "{} record is no event and was skipped",
       "{} records are no events and were skipped");
  tell(odd_values, "{} value does not fit its tag and was skipped",
       "{} values do not fit their tags and were skipped");
  tell(refused_tags, "{} value of a tag that is too long or one too many was skipped",
       "{} values of tags that are too long or too many were skipped");
  tell(unfinished_files, "{} file ends within a record", "{} files end within a record");
  tell(unreadable_files, "{} file or folder could not be read",
       "{} files or folders could not be read");
  tell(links, "{} link was not followed", "{} links were not followed");
  tell(rereadings, "{} file was replaced or truncated and has been read anew",
       "{} files were replaced or truncated and have been read anew");
  tell(thinned, "{} curve has more points than are kept: its lowest and highest are",
       "{} curves have more points than are kept: their lowest and highest are");
  if (!told.empty() && (links > 0 || unreadable_files > 0) && !example.empty()) {
    told.back() += fmt::format(" (such as {})", example);
  }
  return told;
}

}  // namespace trainyard::monitor
