#pragma once

#include <string>
#include <string_view>
#include <vector>

/// What the fuzz targets share. Each target is one file that defines run(); libFuzzer calls it with
/// bytes that it makes up, guided by the code that they reach. README.md says how to use them.
namespace trainyard::fuzz {

/// One input. Must hold its invariants, whatever the bytes are, and remember nothing between calls.
void run(std::string_view input);

/// Ends the run, so that the input is kept, when an invariant does not hold. `seen` is what broke
/// it: it costs most of the time to make, so pass something that exists already.
void require(bool holds, std::string_view invariant, std::string_view seen = "");

/// The input's lines, for targets that take several texts. Never empty; the last one has no end.
std::vector<std::string_view> lines_of(std::string_view input);

}  // namespace trainyard::fuzz
