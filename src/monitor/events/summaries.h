#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace trainyard::monitor {

/// When something was written, in the program's steps and on the clock.
struct Moment {
  std::int64_t step = 0;
  double wall_time = 0;
};

struct HistogramBucket {
  double left = 0;
  double right = 0;
  double count = 0;

  bool operator==(const HistogramBucket&) const = default;
};

struct Histogram {
  Moment when;
  std::vector<HistogramBucket> buckets;
};

/// Of images only the facts are kept; `offset` is where their record is in the run's file.
struct ImageFacts {
  Moment when;
  std::int64_t width = 0;
  std::int64_t height = 0;
  std::uint64_t count = 0;  // in one summary there may be several
  std::uint64_t bytes = 0;
  std::uint32_t file = 0;
  std::uint64_t offset = 0;
};

struct Text {
  Moment when;
  std::vector<std::string> texts;
};

using HParam = std::variant<double, bool, std::string>;
using HParams = std::map<std::string, HParam, std::less<>>;

// The messages that hold them. Nothing when the bytes make no sense.

/// HistogramProto: empty buckets at both ends are left out, the outer edges are least and greatest.
std::optional<std::vector<HistogramBucket>> read_histogram(std::string_view message);
/// A tensor of rows left, right, count.
std::optional<std::vector<HistogramBucket>> read_histogram_tensor(std::string_view message);
/// Summary.Image.
std::optional<ImageFacts> read_image(std::string_view message);
/// A tensor of strings: width, height, then the images.
std::optional<ImageFacts> read_image_tensor(std::string_view message);
/// A tensor of strings; those of more than `most` bytes are cut.
std::optional<std::vector<std::string>> read_text_tensor(std::string_view message,
                                                         std::size_t most);
/// What the plugin hparams says at the beginning of a session; empty for its other messages.
std::optional<HParams> read_hparams(std::string_view plugin_content, std::size_t most);

}  // namespace trainyard::monitor
