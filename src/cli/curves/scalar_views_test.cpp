#include "cli/curves/scalar_views.h"

#include "monitor/events/event_writer.h"

#include <gtest/gtest.h>

#include <cmath>

namespace trainyard::cli {
namespace {

using monitor::writing::scalar_event;

class ScalarViews : public testing::Test {
 protected:
  void add(std::int64_t step, double wall_time, const char* tag, float value) {
    data_.add(scalar_event(wall_time, step, tag, value), {}, notes_);
  }
  NamedRun run(std::string name = "a") const { return {std::move(name), &data_}; }
  static WriteText into(std::string& text) {
    return [&text](std::string_view more) { text += more; };
  }

  monitor::RunData data_;
  monitor::ReadNotes notes_;
};

TEST_F(ScalarViews, CsvHasEveryPointExactlyTagByTag) {
  add(1, 1700000000.25, "loss", 0.1F);
  add(1, 1700000000.25, "acc,\"uracy\"", 1);
  add(2, 1700000001, "loss", NAN);
  add(-3, 1e300, "loss", INFINITY);
  std::string text;
  write_csv(run("x/y"), into(text));
  EXPECT_EQ(text,
            "x/y,\"acc,\"\"uracy\"\"\",1,1700000000.25,1\n"
            "x/y,loss,1,1700000000.25,0.10000000149011612\n"
            "x/y,loss,2,1700000001,nan\n"
            "x/y,loss,-3,1e+300,inf\n");
}

TEST_F(ScalarViews, TheTableHasOneRowACurve) {
  add(1, 0, "loss", 4);
  add(2, 0, "loss", 0.5);
  EXPECT_EQ(scalar_table({run()}),
            "RUN   TAG    POINTS   STEP   VALUE   MIN   MAX\n"
            "a     loss   2        2      0.5     0.5   4\n");
  EXPECT_EQ(scalar_table({}), "");
}

TEST_F(ScalarViews, JsonCanBeReadBack) {
  add(1, 2.5, "loss", NAN);
  add(2, 3.5, "loss", 0.5);
  std::string text;
  write_json({run("a"), run("b")}, {"2 links were not followed"}, into(text));
  const auto parsed = parse_json(text);
  ASSERT_TRUE(parsed) << text;
  ASSERT_EQ(array_at(*parsed, "runs").size(), 2U);
  EXPECT_EQ(string_at(array_at(*parsed, "runs")[1], "run"), "b");
  const Json& curve = array_at(array_at(*parsed, "runs")[0], "scalars")[0];
  EXPECT_EQ(to_text(curve), R"({"tag":"loss","seen":2,"points":[[1,2.5,"NaN"],[2,3.5,0.5]]})");
  EXPECT_EQ(array_at(*parsed, "warnings").size(), 1U);
}

TEST_F(ScalarViews, PlotsAreOneATagWhereColoursTellRunsApart) {
  add(1, 0, "loss", 4);
  add(2, 0, "loss", 0.5);
  const auto count = [](const std::string& text, const std::string& part) {
    std::size_t found = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
      ++found;
    return found;
  };
  const std::vector<NamedRun> runs{run("a"), run("b")};
  std::string coloured;
  write_plots(runs, {60, true}, into(coloured));
  EXPECT_EQ(count(coloured, "└"), 1U);
  std::string plain;
  write_plots(runs, {60, false}, into(plain));
  EXPECT_EQ(count(plain, "└"), 2U);
  EXPECT_NE(plain.find("loss (b)\n"), std::string::npos) << plain;
}

}  // namespace
}  // namespace trainyard::cli
