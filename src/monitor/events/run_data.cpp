#include "monitor/events/run_data.h"

#include "monitor/events/fields.h"
#include "monitor/events/tensor.h"

#include <fnmatch.h>

#include <algorithm>

namespace trainyard::monitor {
namespace {

constexpr std::size_t kMostKept = 50;           // of one tag, of what is no scalar
constexpr std::size_t kLongestTag = 1 << 10;    // bytes
constexpr std::size_t kLongestText = 16 << 10;  // bytes
constexpr std::size_t kSmallCurve = 256;        // points: not worth thinning

enum class Kind { kOther, kScalar, kHistogram, kImage, kText };

/// SummaryMetadata, as far as it says what a tag holds.
struct Metadata {
  std::string_view plugin;
  std::string_view content;
  std::uint64_t data_class = 0;
};

Metadata read_metadata(std::string_view message) {
  Metadata metadata;
  FieldReader fields(message);
  while (fields.next()) {
    if (fields.is_varint(4)) metadata.data_class = fields.varint();
    if (!fields.is_bytes(1)) continue;
    FieldReader plugin(fields.bytes());
    while (plugin.next()) {
      if (plugin.is_bytes(1)) metadata.plugin = plugin.bytes();
      if (plugin.is_bytes(2)) metadata.content = plugin.bytes();
    }
  }
  return metadata;
}

std::size_t held(const Histogram& histogram) {
  return sizeof histogram + histogram.buckets.capacity() * sizeof(HistogramBucket);
}
std::size_t held(const ImageFacts& image) {
  return sizeof image;
}
std::size_t held(const Text& text) {
  std::size_t sum = sizeof text;
  for (const std::string& one : text.texts) sum += sizeof one + one.capacity();
  return sum;
}
template <class Thing>
std::size_t held(const Kept<Thing>& kept) {
  std::size_t sum = 0;
  for (const Thing& thing : kept.things()) sum += held(thing);
  return sum;
}

}  // namespace

bool TagFilter::wants(std::string_view tag) const {
  if (only.empty()) return true;
  return std::any_of(only.begin(), only.end(), [&](const std::string& pattern) {
    if (pattern.find_first_of("*?[") == std::string::npos) return pattern == tag;
    return pattern == tag || ::fnmatch(pattern.c_str(), std::string(tag).c_str(), 0) == 0;
  });
}

/// Summary.Value, taken apart.
struct RunData::Value {
  std::string_view tag;
  std::optional<float> simple;
  std::string_view image;
  std::string_view histogram;
  std::string_view tensor;
  std::string_view metadata;
  bool has_image = false;
  bool has_histogram = false;
  bool has_tensor = false;

  bool read(std::string_view message) {
    FieldReader fields(message);
    while (fields.next()) {
      if (fields.is_bytes(1)) {
        tag = fields.bytes();
      } else if (fields.is_float(2)) {
        simple = fields.as_float();
      } else if (fields.is_bytes(4)) {
        image = fields.bytes();
        has_image = true;
      } else if (fields.is_bytes(5)) {
        histogram = fields.bytes();
        has_histogram = true;
      } else if (fields.is_bytes(8)) {
        tensor = fields.bytes();
        has_tensor = true;
      } else if (fields.is_bytes(9)) {
        metadata = fields.bytes();
      }
    }
    return fields.ok();
  }
  Kind kind() const {
    if (simple) return Kind::kScalar;
    if (has_histogram) return Kind::kHistogram;
    if (has_image) return Kind::kImage;
    if (!has_tensor) return Kind::kOther;
    const Metadata said = read_metadata(metadata);
    if (said.plugin == "scalars") return Kind::kScalar;
    if (said.plugin == "histograms") return Kind::kHistogram;
    if (said.plugin == "images") return Kind::kImage;
    if (said.plugin == "text") return Kind::kText;
    return said.data_class == 1 ? Kind::kScalar : Kind::kOther;
  }
};

void RunData::add(std::string_view event, RecordPlace place, ReadNotes& notes) {
  Moment when;
  std::string_view summary;
  std::string_view session;
  FieldReader fields(event);
  while (fields.next()) {
    if (fields.is_double(1)) {
      when.wall_time = fields.as_double();
    } else if (fields.is_varint(2)) {
      when.step = fields.integer();
    } else if (fields.is_bytes(5)) {
      summary = fields.bytes();
    } else if (fields.is_bytes(7)) {
      session = fields.bytes();
    }
  }
  if (!fields.ok()) {
    ++notes.odd_events;
    return;
  }
  if (!summary.empty()) add_summary(summary, when, place, notes);
  if (session.empty()) return;
  FieldReader log(session);
  while (log.next()) {
    if (!log.is_varint(1) || log.varint() != 1) continue;  // START
    // The first may come behind the first values, which another thread writes.
    if (has_session_ || when.step > 0) restart(when.step);
    has_session_ = true;
  }
}

void RunData::add_summary(std::string_view summary, const Moment& when, RecordPlace place,
                          ReadNotes& notes) {
  FieldReader fields(summary);
  while (fields.next()) {
    if (!fields.is_bytes(1)) continue;
    Value value;
    if (value.read(fields.bytes())) {
      add_value(value, when, place, notes);
    } else {
      ++notes.odd_values;
    }
  }
  if (!fields.ok()) ++notes.odd_events;
}

void RunData::add_value(const Value& value, const Moment& when, RecordPlace place,
                        ReadNotes& notes) {
  if (!filter_.wants(value.tag)) return;
  TagData* tag = find_tag(value, notes);
  if (tag == nullptr) return;
  if (auto* column = std::get_if<ScalarColumn>(&tag->data)) {
    std::optional<double> number = value.simple;
    if (!number && value.has_tensor) number = read_scalar_tensor(value.tensor);
    if (number) {
      column->add({when.step, when.wall_time, *number});
    } else {
      ++notes.odd_values;
    }
    return;
  }
  if (!add_other(*tag, value, when, place)) ++notes.odd_values;
}

template <class Thing>
bool RunData::keep(Kept<Thing>& kept, std::optional<Thing> thing, const Moment& when) {
  if (!thing) return false;
  thing->when = when;
  const std::size_t before = held(kept);
  if (other_bytes_ + held(*thing) <= limits_.other_bytes) kept.add(*std::move(thing));
  other_bytes_ += held(kept) - before;
  return true;
}

bool RunData::add_other(TagData& tag, const Value& value, const Moment& when, RecordPlace place) {
  if (auto* other = std::get_if<Other>(&tag.data)) {
    ++other->seen;
    if (value.metadata.empty()) return true;
    const Metadata said = read_metadata(value.metadata);
    if (said.plugin != "hparams" || limits_.only_scalars) return true;
    const std::size_t room = limits_.other_bytes - std::min(other_bytes_, limits_.other_bytes);
    auto found = read_hparams(said.content, room);
    if (!found) return false;
    other_bytes_ += std::min(room, said.content.size());
    for (auto& [name, one] : *found) hparams_.insert_or_assign(name, std::move(one));
    return true;
  }
  if (auto* histograms = std::get_if<Kept<Histogram>>(&tag.data)) {
    auto buckets =
        value.has_histogram ? read_histogram(value.histogram) : read_histogram_tensor(value.tensor);
    if (!buckets) return false;
    return keep(*histograms, {Histogram{when, *std::move(buckets)}}, when);
  }
  if (auto* images = std::get_if<Kept<ImageFacts>>(&tag.data)) {
    auto image = value.has_image ? read_image(value.image) : read_image_tensor(value.tensor);
    if (!image) return false;
    image->file = place.file;
    image->offset = place.offset;
    return keep(*images, std::move(image), when);
  }
  auto texts = read_text_tensor(value.tensor, kLongestText);
  if (!texts) return false;
  return keep(std::get<Kept<Text>>(tag.data), {Text{when, *std::move(texts)}}, when);
}

/// Programs write the same tags in the same order, step by step: what followed last time is right
/// nearly always, and a comparison is cheaper than a table.
TagData* RunData::guess_tag(std::string_view name) {
  if (tags_.empty()) return nullptr;
  const std::size_t guess = successors_[last_tag_];
  if (tags_[guess].tag != name) return nullptr;
  last_tag_ = guess;
  return &tags_[guess];
}

TagData* RunData::find_tag(const Value& value, ReadNotes& notes) {
  if (TagData* guessed = guess_tag(value.tag)) return guessed;
  const auto known = places_.find(value.tag);
  if (known == places_.end()) {
    if (value.tag.size() > kLongestTag || tags_.size() >= limits_.tags) {
      ++notes.refused_tags;
      return nullptr;
    }
    return new_tag(value);
  }
  if (!tags_.empty()) successors_[last_tag_] = known->second;
  last_tag_ = known->second;
  return &tags_[known->second];
}

TagData* RunData::new_tag(const Value& value) {
  TagData fresh{std::string(value.tag), Other{}};
  const Kind kind = value.kind();
  if (kind == Kind::kScalar) fresh.data = ScalarColumn();
  if (!limits_.only_scalars) {
    if (kind == Kind::kHistogram) fresh.data = Kept<Histogram>(kMostKept);
    if (kind == Kind::kImage) fresh.data = Kept<ImageFacts>(kMostKept);
    if (kind == Kind::kText) fresh.data = Kept<Text>(kMostKept);
  }
  tags_.push_back(std::move(fresh));
  const std::size_t place = tags_.size() - 1;
  name_bytes_ += sizeof(TagData) + value.tag.size();
  places_.emplace(tags_.back().tag, place);
  successors_.push_back(place);
  successors_[last_tag_] = place;
  last_tag_ = place;
  return &tags_.back();
}

std::size_t RunData::bytes() const {
  std::size_t sum = name_bytes_ + other_bytes_;
  for (const TagData& tag : tags_) {
    if (const ScalarColumn* column = tag.scalars()) sum += column->bytes();
  }
  return sum;
}

void RunData::thin(ReadNotes& notes) {
  for (TagData& tag : tags_) {
    auto* column = std::get_if<ScalarColumn>(&tag.data);
    if (column == nullptr || column->size() <= kSmallCurve) continue;
    if (column->size() == column->seen()) ++notes.thinned;
    column->thin();
  }
}

void RunData::forget_scalars() {
  for (TagData& tag : tags_) {
    if (auto* column = std::get_if<ScalarColumn>(&tag.data)) column->clear();
  }
}

/// The program has started again from a checkpoint: what it wrote from this step on, before it was
/// stopped, never happened.
void RunData::restart(std::int64_t step) {
  ++restarts_;
  const auto later = [step](const auto& thing) { return thing.when.step >= step; };
  for (TagData& tag : tags_) {
    if (auto* column = std::get_if<ScalarColumn>(&tag.data)) column->drop_from(step);
    const auto forget = [&](auto* kept) {
      if (kept == nullptr) return;
      other_bytes_ -= held(*kept);
      kept->drop(later);
      other_bytes_ += held(*kept);
    };
    forget(std::get_if<Kept<Histogram>>(&tag.data));
    forget(std::get_if<Kept<ImageFacts>>(&tag.data));
    forget(std::get_if<Kept<Text>>(&tag.data));
  }
}

}  // namespace trainyard::monitor
