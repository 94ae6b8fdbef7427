#include "monitor/events/run_data.h"

#include "monitor/events/event_writer.h"

#include <gtest/gtest.h>

#include <cmath>

namespace trainyard::monitor {
namespace {

using writing::event;
using writing::field;
using writing::little_endian;
using writing::scalar_event;
using writing::shown_by;

struct Written {
  RunData data;
  ReadNotes notes;

  void add(const std::string& bytes) { data.add(bytes, {}, notes); }
  /// A value of a tag in a tensor.
  void add_tensor(std::int64_t step, const std::string& tag, const std::string& tensor,
                  const std::string& metadata) {
    add(event(100.0 + static_cast<double>(step), step,
              field(1, field(1, tag) + field(8, tensor) + metadata)));
  }
  std::vector<double> values(const std::string& tag) const {
    std::vector<double> values;
    for (const TagData& one : data.tags()) {
      if (one.tag != tag || one.scalars() == nullptr) continue;
      ScalarColumn::Reader reader(*one.scalars());
      while (const auto point = reader.next()) values.push_back(point->value);
    }
    return values;
  }
  template <class Kind>
  const Kind* find(const std::string& tag) const {
    for (const TagData& one : data.tags()) {
      if (one.tag == tag) return std::get_if<Kind>(&one.data);
    }
    return nullptr;
  }
};

std::string tensor(std::uint64_t type, const std::string& content) {
  return field(1, type) + field(4, std::string_view(content));
}

using Values = std::vector<double>;

TEST(RunData, GathersScalarsByTag) {
  Written run;
  for (int step = 0; step < 4; ++step) {
    run.add(scalar_event(step, step, "loss", static_cast<float>(4 - step)));
    run.add(scalar_event(step, step, "accuracy", static_cast<float>(step)));
  }
  EXPECT_EQ(run.values("loss"), (Values{4, 3, 2, 1}));
  EXPECT_EQ(run.values("accuracy"), (Values{0, 1, 2, 3}));
  EXPECT_TRUE(run.notes.sentences().empty());
}

TEST(RunData, ReadsScalarsFromTensorsOfAllNumberTypes) {
  Written run;
  const std::string shown = shown_by("scalars");
  run.add_tensor(0, "x", tensor(1, little_endian(std::bit_cast<std::uint32_t>(1.5F), 4)), shown);
  run.add_tensor(1, "x", tensor(2, little_endian(std::bit_cast<std::uint64_t>(0.1), 8)), "");
  run.add_tensor(2, "x", field(1, std::uint64_t(1)) + field(5, 2.5F), "");
  run.add_tensor(3, "x", field(1, std::uint64_t(2)) + field(6, 0.2), "");
  run.add_tensor(4, "x", field(1, std::uint64_t(3)) + field(7, std::uint64_t(-7)), "");
  run.add_tensor(5, "x", tensor(19, little_endian(0x3e00, 2)), "");  // half
  run.add_tensor(6, "x", tensor(14, little_endian(0x4049, 2)), "");  // bfloat16
  run.add_tensor(7, "x", field(1, std::uint64_t(19)) + field(13, std::uint64_t(0xc000)), "");
  run.add_tensor(8, "x", tensor(9, little_endian(std::uint64_t(-3), 8)), "");
  run.add_tensor(9, "x", tensor(10, std::string(1, '\x01')), "");
  run.add_tensor(10, "x", field(1, std::uint64_t(9)) + field(10, std::string_view("\x05", 1)), "");
  EXPECT_EQ(run.values("x"), (Values{1.5, 0.1, 2.5, 0.2, -7, 1.5, 3.140625, -2, -3, 1, 5}));
  EXPECT_EQ(run.notes.odd_values, 0U);
}

TEST(RunData, CountsWhatDoesNotFit) {
  Written run;
  const std::string two = little_endian(0, 8);
  run.add_tensor(0, "x", tensor(1, two), shown_by("scalars"));     // two floats
  run.add_tensor(1, "x", tensor(1, "abc"), "");                    // three bytes
  run.add_tensor(2, "x", field(8, std::string_view("text")), "");  // a string
  run.add(event(0, 3, field(1, field(1, std::string_view("x")) + field(5, std::string_view("")))));
  EXPECT_EQ(run.notes.odd_values, 4U);
  run.add("\x0f");
  run.add(event(0, 0, "\x0a\x7f"));
  EXPECT_EQ(run.notes.odd_events, 2U);
  EXPECT_TRUE(run.values("x").empty());
}

TEST(RunData, ForgetsWhatWasWrittenBeforeARestart) {
  Written run;
  for (int step = 0; step < 10; ++step) run.add(scalar_event(step, step, "loss", 1));
  run.add(field(1, 50.0) + field(2, std::uint64_t(6)) + field(7, field(1, std::uint64_t(1))));
  for (int step = 6; step < 8; ++step) run.add(scalar_event(step, step, "loss", 2));
  EXPECT_EQ(run.values("loss"), (Values{1, 1, 1, 1, 1, 1, 2, 2}));
}

TEST(RunData, TakesTheFirstStartForNoRestart) {
  Written run;
  run.add(scalar_event(0, 0, "loss", 1));
  const std::string start = field(1, 50.0) + field(7, field(1, std::uint64_t(1)));
  run.add(start);
  run.add(scalar_event(1, 1, "loss", 2));
  EXPECT_EQ(run.values("loss"), (Values{1, 2}));
  run.add(start);
  EXPECT_TRUE(run.values("loss").empty());
}

TEST(RunData, ReadsBothFormsOfHistograms) {
  Written run;
  std::string limits;
  std::string counts;
  for (const double limit : {-1., 0., 1., 2., 9.})
    limits += little_endian(std::bit_cast<std::uint64_t>(limit), 8);
  for (const double count : {0., 3., 0., 5., 0.})
    counts += little_endian(std::bit_cast<std::uint64_t>(count), 8);
  const std::string histogram =
      field(1, -0.5) + field(2, 1.5) + field(6, limits) + field(7, counts);
  run.add(event(1, 7, field(1, field(1, std::string_view("w")) + field(5, histogram))));
  const auto* kept = run.find<Kept<Histogram>>("w");
  ASSERT_TRUE(kept != nullptr && kept->things().size() == 1);
  EXPECT_EQ(kept->things()[0].when.step, 7);
  EXPECT_EQ(kept->things()[0].buckets,
            (std::vector<HistogramBucket>{{-0.5, 0, 3}, {0, 1, 0}, {1, 1.5, 5}}));
  std::string rows;
  for (const double number : {0., 1., 4.})
    rows += little_endian(std::bit_cast<std::uint64_t>(number), 8);
  run.add_tensor(8, "v", tensor(2, rows), shown_by("histograms"));
  ASSERT_NE(run.find<Kept<Histogram>>("v"), nullptr);
  EXPECT_EQ(run.find<Kept<Histogram>>("v")->things()[0].buckets,
            (std::vector<HistogramBucket>{{0, 1, 4}}));
}

TEST(RunData, ReadsImagesTextsAndHyperparameters) {
  Written run;
  const std::string png(321, 'p');
  run.add(event(1, 2,
                field(1, field(1, std::string_view("i")) +
                             field(4, field(1, std::uint64_t(10)) + field(2, std::uint64_t(20)) +
                                          field(4, png)))));
  const auto* images = run.find<Kept<ImageFacts>>("i");
  ASSERT_TRUE(images != nullptr && images->things().size() == 1);
  EXPECT_EQ(images->things()[0].width, 20);
  EXPECT_EQ(images->things()[0].height, 10);
  EXPECT_EQ(images->things()[0].bytes, 321U);
  run.add_tensor(3, "t", field(1, std::uint64_t(7)) + field(8, std::string_view("**hello**")),
                 shown_by("text"));
  const auto* texts = run.find<Kept<Text>>("t");
  ASSERT_TRUE(texts != nullptr && texts->things().size() == 1);
  EXPECT_EQ(texts->things()[0].texts, std::vector<std::string>{"**hello**"});
  const auto entry = [](std::string_view name, const std::string& value) {
    return field(1, field(1, name) + field(2, value));
  };
  const std::string session = entry("lr", field(2, 0.5)) +
                              entry("net", field(3, std::string_view("big"))) +
                              entry("amp", field(4, std::uint64_t(1)));
  run.add(event(1, 0,
                field(1, field(1, std::string_view("_hparams_/session_start_info")) +
                             shown_by("hparams", field(3, session)))));
  EXPECT_EQ(run.data.hparams(), (HParams{{"lr", 0.5}, {"net", "big"}, {"amp", true}}));
}

TEST(RunData, IsBoundedWhateverComes) {
  RunLimits limits;
  limits.tags = 10;
  limits.other_bytes = 100'000;
  Written run{RunData({}, limits), {}};
  for (int i = 0; i < 100; ++i) run.add(scalar_event(0, 0, "tag" + std::to_string(i), 1));
  EXPECT_EQ(run.data.tags().size(), 10U);
  EXPECT_EQ(run.notes.refused_tags, 90U);
  Written texts{RunData({}, limits), {}};
  texts.add(scalar_event(0, 0, std::string(2000, 't'), 1));
  EXPECT_EQ(texts.notes.refused_tags, 1U);
  for (int i = 0; i < 1000; ++i) {
    texts.add_tensor(i, "t", field(1, std::uint64_t(7)) + field(8, std::string(5000, 'x')),
                     shown_by("text"));
  }
  EXPECT_LT(texts.data.bytes(), 120'000U);
}

TEST(RunData, KeepsOnlyTheTagsThatAreWanted) {
  Written run{RunData(TagFilter{{"train/*", "exact"}}), {}};
  for (const char* tag : {"train/loss", "test/loss", "exact", "exactly"})
    run.add(scalar_event(0, 0, tag, 1));
  std::vector<std::string> tags;
  for (const TagData& tag : run.data.tags()) tags.push_back(tag.tag);
  EXPECT_EQ(tags, (std::vector<std::string>{"train/loss", "exact"}));
}

TEST(RunData, KeepsSomeOfManyAndAlwaysTheLast) {
  Kept<int> kept(10);
  for (int i = 0; i < 1000; ++i) {
    kept.add(i);
    EXPECT_EQ(kept.things().back(), i);
    EXPECT_LE(kept.things().size(), 11U);
  }
  EXPECT_EQ(kept.things().front(), 0);
  EXPECT_EQ(kept.seen(), 1000U);
}

}  // namespace
}  // namespace trainyard::monitor
