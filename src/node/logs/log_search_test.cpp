#include "node/logs/log_search.h"

#include "base/files/test_folder.h"
#include "base/files/unique_fd.h"
#include "node/logs/log_records.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fcntl.h>
#include <fstream>

namespace trainyard::node {
namespace {

/// Each answer of the bisection is checked against a walk through the whole file.
TEST(OffsetOfTime, FindsWhatAWalkFinds) {
  TestFolder folder;
  std::string log;
  std::vector<std::pair<std::string, std::int64_t>> records;  // time, offset
  for (int i = 0; i < 400; ++i) {
    // Several records share a time, as a piece of output does; some are long.
    std::string time = fmt::format("2026-03-01T10:{:02}:{:02}.{:06}", i / 90, i / 3 % 60, i / 6);
    records.emplace_back(time, static_cast<std::int64_t>(log.size()));
    const std::size_t length = i % 17 == 0 ? 16384 : static_cast<std::size_t>(i % 5);
    log += time + "000Z stdout F " + std::string(length, 'x') + "\n";
  }
  std::sort(records.begin(), records.end());
  std::ofstream(folder.path() / "log", std::ios::binary) << log;
  const UniqueFd file(::open((folder.path() / "log").c_str(), O_RDONLY | O_CLOEXEC));
  const auto size = static_cast<std::int64_t>(log.size());
  std::vector<std::string> asked = {"2026-01-01T00:00:00.000000", "2026-12-01T00:00:00.000000"};
  for (const auto& [time, offset] : records) asked.push_back(time);
  for (const std::string& since : asked) {
    std::int64_t expected = size;
    for (const auto& [time, offset] : records) {
      if (time >= since) expected = std::min(expected, offset);
    }
    EXPECT_EQ(offset_of_time(file.get(), since), expected) << since;
  }
}

TEST(OffsetOfTime, AnEmptyLogHasNoTime) {
  TestFolder folder;
  std::ofstream(folder.path() / "log");
  const UniqueFd file(::open((folder.path() / "log").c_str(), O_RDONLY | O_CLOEXEC));
  EXPECT_EQ(offset_of_time(file.get(), "2026-01-01T00:00:00.000000"), 0);
}

}  // namespace
}  // namespace trainyard::node
