#include "fuzz.h"

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

namespace trainyard::fuzz {

void require(bool holds, std::string_view invariant, std::string_view seen) {
  if (holds) return;
  std::fprintf(stderr, "INVARIANT BROKEN: %.*s\nseen: %.*s\n", static_cast<int>(invariant.size()),
               invariant.data(), static_cast<int>(seen.size()), seen.data());
  std::abort();
}

std::vector<std::string_view> lines_of(std::string_view input) {
  std::vector<std::string_view> lines;
  for (;;) {
    const std::size_t end = input.find('\n');
    lines.push_back(input.substr(0, end));
    if (end == std::string_view::npos) return lines;
    input.remove_prefix(end + 1);
  }
}

}  // namespace trainyard::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  // A copy of exactly this size, so that reading one byte too many is noticed; never null.
  const std::vector<char> bytes(data, data + size);
  trainyard::fuzz::run(size == 0 ? std::string_view("") : std::string_view(bytes.data(), size));
  return 0;
}
