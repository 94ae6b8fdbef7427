#include "monitor/events/summaries.h"

#include "monitor/events/fields.h"
#include "monitor/events/tensor.h"

#include <algorithm>
#include <charconv>

namespace trainyard::monitor {
namespace {

constexpr std::size_t kMostBuckets = 10'000;
constexpr std::size_t kMostStrings = 10'000;

std::int64_t number_in(std::string_view text) {
  std::int64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

/// google.protobuf.Value, as far as hyperparameters are such.
std::optional<HParam> read_value(std::string_view message) {
  FieldReader fields(message);
  std::optional<HParam> value;
  while (fields.next()) {
    if (fields.is_double(2)) value = fields.as_double();
    if (fields.is_bytes(3)) value = std::string(fields.bytes());
    if (fields.is_varint(4)) value = fields.varint() != 0;
  }
  if (!fields.ok()) return std::nullopt;
  return value;
}

struct HistogramParts {
  double least = 0;
  double greatest = 0;
  std::vector<double> limits;
  std::vector<double> counts;
};

bool read_parts(std::string_view message, HistogramParts& parts) {
  FieldReader fields(message);
  bool sound = true;
  while (sound && fields.next()) {
    if (fields.is_double(1)) parts.least = fields.as_double();
    if (fields.is_double(2)) parts.greatest = fields.as_double();
    std::vector<double>* list = fields.number() == 6   ? &parts.limits
                                : fields.number() == 7 ? &parts.counts
                                                       : nullptr;
    if (list == nullptr) continue;
    if (fields.is_bytes(fields.number())) {
      sound = append_doubles(fields.bytes(), kMostBuckets, *list);
    } else if (fields.is_double(fields.number()) && list->size() < kMostBuckets) {
      list->push_back(fields.as_double());
    } else {
      sound = false;
    }
  }
  return sound && fields.ok() && parts.limits.size() == parts.counts.size();
}

}  // namespace

std::optional<std::vector<HistogramBucket>> read_histogram(std::string_view message) {
  HistogramParts parts;
  if (!read_parts(message, parts)) return std::nullopt;
  const auto filled = [](double count) { return count > 0; };
  const auto first = std::find_if(parts.counts.begin(), parts.counts.end(), filled);
  const auto last = std::find_if(parts.counts.rbegin(), parts.counts.rend(), filled).base();
  std::vector<HistogramBucket> buckets;
  for (auto count = first; count < last; ++count) {
    const auto i = static_cast<std::size_t>(count - parts.counts.begin());
    buckets.push_back({count == first ? parts.least : parts.limits[i - 1],
                       count + 1 == last ? parts.greatest : parts.limits[i], *count});
  }
  return buckets;
}

std::optional<std::vector<HistogramBucket>> read_histogram_tensor(std::string_view message) {
  const auto tensor = read_tensor(message, 3 * kMostBuckets);
  if (!tensor || tensor->numbers.size() % 3 != 0 || !tensor->strings.empty()) return std::nullopt;
  std::vector<HistogramBucket> buckets;
  for (std::size_t i = 0; i < tensor->numbers.size(); i += 3) {
    buckets.push_back({tensor->numbers[i], tensor->numbers[i + 1], tensor->numbers[i + 2]});
  }
  return buckets;
}

std::optional<ImageFacts> read_image(std::string_view message) {
  ImageFacts image;
  image.count = 1;
  FieldReader fields(message);
  while (fields.next()) {
    if (fields.is_varint(1)) image.height = fields.integer();
    if (fields.is_varint(2)) image.width = fields.integer();
    if (fields.is_bytes(4)) image.bytes = fields.bytes().size();
  }
  if (!fields.ok()) return std::nullopt;
  return image;
}

std::optional<ImageFacts> read_image_tensor(std::string_view message) {
  const auto tensor = read_tensor(message, kMostStrings);
  if (!tensor || tensor->strings.size() < 2) return std::nullopt;
  ImageFacts image;
  image.width = number_in(tensor->strings[0]);
  image.height = number_in(tensor->strings[1]);
  image.count = tensor->strings.size() - 2;
  for (std::size_t i = 2; i < tensor->strings.size(); ++i) image.bytes += tensor->strings[i].size();
  return image;
}

std::optional<std::vector<std::string>> read_text_tensor(std::string_view message,
                                                         std::size_t most) {
  const auto tensor = read_tensor(message, kMostStrings);
  if (!tensor || !tensor->numbers.empty()) return std::nullopt;
  std::vector<std::string> texts;
  for (const std::string_view text : tensor->strings) {
    texts.emplace_back(text.substr(0, most));
    most -= texts.back().size();
    if (most == 0) break;
  }
  return texts;
}

std::optional<HParams> read_hparams(std::string_view plugin_content, std::size_t most) {
  HParams found;
  FieldReader plugin(plugin_content);
  while (plugin.next()) {
    if (!plugin.is_bytes(3)) continue;  // session_start_info
    FieldReader session(plugin.bytes());
    while (session.next()) {
      if (!session.is_bytes(1)) continue;  // an entry of the map
      FieldReader entry(session.bytes());
      std::string_view name;
      std::optional<HParam> value;
      while (entry.next()) {
        if (entry.is_bytes(1)) name = entry.bytes();
        if (entry.is_bytes(2)) value = read_value(entry.bytes());
      }
      if (!entry.ok()) return std::nullopt;
      if (value && session.bytes().size() <= most) {
        most -= session.bytes().size();
        found.insert_or_assign(std::string(name), *std::move(value));
      }
    }
    if (!session.ok()) return std::nullopt;
  }
  if (!plugin.ok()) return std::nullopt;
  return found;
}

}  // namespace trainyard::monitor
