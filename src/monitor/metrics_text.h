#pragma once

#include <cstdint>
#include <initializer_list>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace trainyard::monitor {

/// How often something took how long: counts up to each bound, and a sum.
class MetricHistogram {
 public:
  /// `bounds` must grow, and stay.
  explicit MetricHistogram(std::span<const double> bounds)
      : bounds_(bounds), counts_(bounds.size() + 1) {}

  void observe(double value);
  std::span<const double> bounds() const { return bounds_; }
  /// Of those up to each bound and above the one before; the last is above all.
  const std::vector<std::uint64_t>& counts() const { return counts_; }
  double sum() const { return sum_; }

 private:
  std::span<const double> bounds_;
  std::vector<std::uint64_t> counts_;
  double sum_ = 0;
};

/// Figures in Prometheus' text format, version 0.0.4: families one after the other, each with its
/// help, its type and its samples. Whatever it is given, the text is well formed: names get `_` for
/// what they may not hold, label values are escaped, and a family that comes again is left out.
class MetricsText {
 public:
  enum class Type : std::uint8_t { kCounter, kGauge, kHistogram };
  using Label = std::pair<std::string_view, std::string_view>;
  using Labels = std::span<const Label>;

  static constexpr const char* kContentType = "text/plain; version=0.0.4; charset=utf-8";

  /// Begins a family; its samples follow.
  void family(std::string_view name, Type type, std::string_view help);
  void sample(Labels labels, double value);
  void sample(std::initializer_list<Label> labels, double value) {
    sample(Labels(labels.begin(), labels.size()), value);
  }
  void sample(Labels labels, const MetricHistogram& histogram);
  /// A family of one sample without labels.
  void one(std::string_view name, Type type, std::string_view help, double value);

  const std::string& text() const { return text_; }

 private:
  void line(std::string_view suffix, Labels labels, const Label* more, double value);

  std::string text_;
  std::string family_;  // empty: it was there before
  std::set<std::string, std::less<>> names_;
};

}  // namespace trainyard::monitor
