#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace trainyard::monitor {

/// What a tensor in an event file holds, as far as curves, histograms and texts need it. Views are
/// into the bytes that it was read from.
struct Tensor {
  std::vector<double> numbers;  // of all number types; 64-bit integers as near as doubles are
  std::vector<std::string_view> strings;  // of the string type
  std::vector<std::int64_t> shape;
};

/// Nothing when the bytes are no tensor, or one of more than `most` elements.
std::optional<Tensor> read_tensor(std::string_view message, std::size_t most);

/// The number of a tensor that is one number. Without what read_tensor() allocates, since every
/// point of a curve may be such a tensor.
std::optional<double> read_scalar_tensor(std::string_view message);

/// Doubles of a repeated field: packed, or one alone.
bool append_doubles(std::string_view packed, std::size_t most, std::vector<double>& to);

}  // namespace trainyard::monitor
