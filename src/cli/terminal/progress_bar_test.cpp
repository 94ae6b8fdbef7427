#include "cli/terminal/progress_bar.h"

#include <gtest/gtest.h>

namespace trainyard::cli {
namespace {

TEST(BarText, ShowsThePartAndTheBytes) {
  EXPECT_EQ(bar_text("copying", 500, 1000, 60),
            "copying  [#############.............]   50 %  500 B of 1 kB");
  EXPECT_EQ(bar_text("copying", 0, 0, 20), "copying  100 %  0 B of 0 B");
}

TEST(BarText, FitsInTheTerminal) {
  for (const int width : {0, 1, 20, 40, 80, 200}) {
    for (const std::uint64_t done : {0ULL, 1ULL, 999'999'999ULL, 5'000'000'000ULL}) {
      const std::string text = bar_text("copying", done, 4'000'000'000, width);
      if (width >= 60) EXPECT_LT(text.size(), static_cast<std::size_t>(width)) << text;
    }
  }
}

TEST(BarText, NeverSaysMoreThanAll) {
  EXPECT_NE(bar_text("x", 3000, 1000, 80).find("100 %  3 kB of 3 kB"), std::string::npos);
}

TEST(StatusText, IsCutWhereTheTerminalEnds) {
  EXPECT_EQ(status_text("installing", "jupyterlab", 80), "installing  jupyterlab");
  EXPECT_EQ(status_text("installing", "jupyterlab", 16), "installing  jup");
  EXPECT_EQ(status_text("a", "é", 5), "a  ") << "no half of a letter";
  EXPECT_EQ(status_text("a", "b", 0), "");
}

TEST(BytesText, UsesTheUnitThatFits) {
  EXPECT_EQ(bytes_text(999), "999 B");
  EXPECT_EQ(bytes_text(34'000), "34 kB");
  EXPECT_EQ(bytes_text(2'700'000), "2.7 MB");
  EXPECT_EQ(bytes_text(1'200'000'000), "1.2 GB");
}

}  // namespace
}  // namespace trainyard::cli
