#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

namespace trainyard::monitor {

struct ScalarPoint {
  std::int64_t step = 0;
  double wall_time = 0;  // seconds since 1970
  double value = 0;

  bool operator==(const ScalarPoint&) const = default;
};

/// The points of one curve, exactly as they were written, in about eight bytes each: steps and
/// times as changes of their differences, values as the floats that they nearly always are.
class ScalarColumn {
 public:
  void add(const ScalarPoint& point);

  std::uint64_t size() const { return size_; }
  /// Of all that were added, also those that thin() has left out.
  std::uint64_t seen() const { return seen_; }
  std::size_t bytes() const { return bytes_; }
  /// The last that was added. Only when there are some.
  ScalarPoint last() const;
  /// Of the values that are numbers; the least is greater than the greatest when none is.
  double least() const { return least_; }
  double greatest() const { return greatest_; }

  /// Reads the points in the order of their adding. The column must stay as it is meanwhile.
  class Reader {
   public:
    explicit Reader(const ScalarColumn& column) : column_(column) {}
    std::optional<ScalarPoint> next();

   private:
    const ScalarColumn& column_;
    std::size_t block_ = 0;
    std::size_t at_ = 0;
    std::uint64_t given_ = 0;
    std::uint64_t step_ = 0;
    std::uint64_t step_change_ = 0;
    std::uint64_t time_ = 0;
    std::uint64_t time_change_ = 0;
  };

  /// Leaves about half of the points: of every four the lowest and the highest, so that no spike is
  /// lost however often it is done.
  void thin();
  /// Forgets points of this step and later ones, as a program asks for that starts from a
  /// checkpoint.
  void drop_from(std::int64_t step);
  void clear() { *this = ScalarColumn(); }

 private:
  struct Block {
    std::unique_ptr<unsigned char[]> bytes;
    std::uint32_t used = 0;
    std::uint32_t capacity = 0;
  };
  void append(const ScalarPoint& point);
  Block& room();
  /// Calls `change` for a new column without the points, and takes its place.
  void rebuild(bool wide, const std::function<void(ScalarColumn&)>& change);

  std::vector<Block> blocks_;
  std::size_t bytes_ = 0;
  std::uint64_t size_ = 0;
  std::uint64_t seen_ = 0;
  bool wide_ = false;  // values are doubles
  // Of the last point, as 64-bit patterns: differences wrap around, and so lose nothing.
  std::uint64_t step_ = 0;
  std::uint64_t step_change_ = 0;
  std::uint64_t time_ = 0;
  std::uint64_t time_change_ = 0;
  double value_ = 0;
  double least_ = std::numeric_limits<double>::infinity();
  double greatest_ = -std::numeric_limits<double>::infinity();
};

}  // namespace trainyard::monitor
