#include "monitor/metrics_text.h"

#include <gtest/gtest.h>

#include <array>
#include <limits>

namespace trainyard::monitor {
namespace {

using Type = MetricsText::Type;

TEST(MetricsText, HasHelpTypeAndSamples) {
  MetricsText metrics;
  metrics.family("requests_total", Type::kCounter, "How many there were.");
  metrics.sample({{"code", "200"}, {"verb", "GET"}}, 3);
  metrics.sample({{"code", "404"}, {"verb", "GET"}}, 1);
  metrics.one("up", Type::kGauge, "It is.", 1);
  EXPECT_EQ(metrics.text(),
            "# HELP requests_total How many there were.\n"
            "# TYPE requests_total counter\n"
            "requests_total{code=\"200\",verb=\"GET\"} 3\n"
            "requests_total{code=\"404\",verb=\"GET\"} 1\n"
            "# HELP up It is.\n"
            "# TYPE up gauge\n"
            "up 1\n");
}

std::string line_of(std::string_view label, double value) {
  MetricsText metrics;
  metrics.family("m", Type::kGauge, "");
  metrics.sample({{"l", label}}, value);
  const std::string& text = metrics.text();
  return text.substr(text.find("m{"));
}

TEST(MetricsText, EscapesLabelValues) {
  const std::pair<std::string, std::string> cases[] = {
      {"plain", "plain"},
      {"a\"b", "a\\\"b"},
      {"a\\b", "a\\\\b"},
      {"two\nlines", "two\\nlines"},
      {"tab\there", "tab\there"},
      {"训练", "训练"},
      {"\xFF", "\uFFFD"},
      {"cut \xE8\xAE", "cut \uFFFD\uFFFD"},
      {"\xED\xA0\x80", "\uFFFD\uFFFD\uFFFD"},
      {"\xC0\x80", "\uFFFD\uFFFD"},
      {"", ""},
  };
  for (const auto& [label, written] : cases) {
    EXPECT_EQ(line_of(label, 1), "m{l=\"" + written + "\"} 1\n");
  }
}

TEST(MetricsText, WritesNumbersThatCanBeReadBack) {
  const std::pair<double, std::string> cases[] = {
      {0, "0"},
      {0.1, "0.1"},
      {1e9, "1000000000"},
      {1.5e9, "1500000000"},
      {123456789012345, "123456789012345"},
      {1e20, "1e+20"},
      {-2.5, "-2.5"},
      {std::numeric_limits<double>::infinity(), "+Inf"},
      {-std::numeric_limits<double>::infinity(), "-Inf"},
      {std::numeric_limits<double>::quiet_NaN(), "NaN"},
  };
  for (const auto& [value, written] : cases) {
    EXPECT_EQ(line_of("x", value), "m{l=\"x\"} " + written + "\n");
  }
}

TEST(MetricsText, NamesAreAlwaysNames) {
  MetricsText metrics;
  metrics.family("1 bad-name", Type::kGauge, "back\\slash\nand \"quotes\"");
  metrics.sample({{"my-label:", "x"}}, 1);
  EXPECT_EQ(metrics.text(),
            "# HELP _1_bad_name back\\\\slash\\nand \"quotes\"\n# TYPE _1_bad_name gauge\n"
            "_1_bad_name{my_label_=\"x\"} 1\n");
}

TEST(MetricsText, AFamilyThatComesAgainIsLeftOut) {
  MetricsText metrics;
  metrics.one("a", Type::kGauge, "", 1);
  const std::string before = metrics.text();
  metrics.family("a", Type::kCounter, "again");
  metrics.sample({{"x", "y"}}, 2);
  EXPECT_EQ(metrics.text(), before);
}

TEST(MetricsText, HistogramsCountUpToEachBound) {
  static constexpr std::array<double, 2> kBounds{0.1, 1};
  MetricHistogram histogram(kBounds);
  for (const double value : {0.05, 0.1, 0.5, 7.0}) histogram.observe(value);
  MetricsText metrics;
  metrics.family("took_seconds", Type::kHistogram, "h");
  const MetricsText::Label label{"verb", "GET"};
  metrics.sample(MetricsText::Labels(&label, 1), histogram);
  EXPECT_EQ(metrics.text().substr(metrics.text().find("took_seconds_bucket")),
            "took_seconds_bucket{verb=\"GET\",le=\"0.1\"} 2\n"
            "took_seconds_bucket{verb=\"GET\",le=\"1\"} 3\n"
            "took_seconds_bucket{verb=\"GET\",le=\"+Inf\"} 4\n"
            "took_seconds_sum{verb=\"GET\"} 7.65\n"
            "took_seconds_count{verb=\"GET\"} 4\n");
}

}  // namespace
}  // namespace trainyard::monitor
