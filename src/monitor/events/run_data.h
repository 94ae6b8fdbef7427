#pragma once

#include "monitor/events/kept.h"
#include "monitor/events/read_notes.h"
#include "monitor/events/scalar_column.h"
#include "monitor/events/summaries.h"

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <variant>
#include <vector>

namespace trainyard::monitor {

/// Values that are seen and not kept: sounds, precision-recall curves, what plugins have of their
/// own.
struct Other {
  std::uint64_t seen = 0;
};

/// All that one run says under one tag. Its first value says what it is.
struct TagData {
  std::string tag;
  std::variant<Other, ScalarColumn, Kept<Histogram>, Kept<ImageFacts>, Kept<Text>> data;

  const ScalarColumn* scalars() const { return std::get_if<ScalarColumn>(&data); }
};

/// Which tags are read; what others say is passed over.
struct TagFilter {
  std::vector<std::string> only;  // empty: all

  bool wants(std::string_view tag) const;
};

/// What a run may take in memory beside the points of its curves.
struct RunLimits {
  bool only_scalars = false;  // of the rest nothing is kept but that it is there
  std::size_t tags = 10'000;
  std::size_t other_bytes = 8 << 20;
};

/// Where a record is.
struct RecordPlace {
  std::uint32_t file = 0;
  std::uint64_t offset = 0;
};

/// What one run has written, gathered event by event. Whatever the events are, it takes a bounded
/// amount of memory: of all but scalars a few are kept, and who reads looks at bytes() for those.
class RunData {
 public:
  explicit RunData(TagFilter filter = {}, RunLimits limits = {})
      : filter_(std::move(filter)), limits_(limits) {}

  void add(std::string_view event, RecordPlace place, ReadNotes& notes);

  const std::deque<TagData>& tags() const { return tags_; }
  const HParams& hparams() const { return hparams_; }
  /// How often the program has started again and points were forgotten.
  std::uint64_t restarts() const { return restarts_; }
  /// About what it holds, in memory.
  std::size_t bytes() const;
  /// Leaves about half of the points of the larger curves, which are counted where that is new.
  void thin(ReadNotes& notes);
  /// Forgets the points but not the tags, whose later values do not say again what they are.
  void forget_scalars();

 private:
  struct Value;
  void add_summary(std::string_view summary, const Moment& when, RecordPlace place,
                   ReadNotes& notes);
  void add_value(const Value& value, const Moment& when, RecordPlace place, ReadNotes& notes);
  /// Nothing when it cannot be kept.
  TagData* find_tag(const Value& value, ReadNotes& notes);
  TagData* guess_tag(std::string_view name);
  TagData* new_tag(const Value& value);
  bool add_other(TagData& tag, const Value& value, const Moment& when, RecordPlace place);
  template <class Thing>
  bool keep(Kept<Thing>& kept, std::optional<Thing> thing, const Moment& when);
  void restart(std::int64_t step);

  TagFilter filter_;
  RunLimits limits_;
  std::deque<TagData> tags_;
  std::unordered_map<std::string_view, std::size_t> places_;  // by the names in tags_
  std::vector<std::size_t> successors_;  // of each tag, the one that came after it last time
  std::size_t last_tag_ = 0;
  HParams hparams_;
  std::uint64_t restarts_ = 0;
  bool has_session_ = false;  // a program has said that it starts
  std::size_t name_bytes_ = 0;
  std::size_t other_bytes_ = 0;
};

}  // namespace trainyard::monitor
