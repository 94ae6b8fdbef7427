#include "monitor/metrics_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace trainyard::monitor {
namespace {

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

/// As names must be: letters, digits, `_`, and `:` for those of metrics.
std::string name_of(std::string_view text, bool colons) {
  std::string name;
  for (const char c : text) {
    const bool digit = c >= '0' && c <= '9';
    if (digit && name.empty()) name += '_';
    name += is_letter(c) || digit || (colons && c == ':') ? c : '_';
  }
  return name.empty() ? "_" : name;
}

/// The length of the UTF-8 sequence at the begin; 0 when there is none.
std::size_t sequence_at(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return 1;
  const std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0U) != 0x80) return 0;
  }
  // Longer than need be, halves of surrogates, and beyond the last one.
  if (first == 0xE0 && byte(1) < 0xA0) return 0;
  if (first == 0xED && byte(1) > 0x9F) return 0;
  if (first == 0xF0 && byte(1) < 0x90) return 0;
  if (first == 0xF4 && byte(1) > 0x8F) return 0;
  return length;
}

void append_escaped(std::string& out, std::string_view text, bool quotes) {
  while (!text.empty()) {
    const std::size_t length = sequence_at(text);
    if (length == 0) {
      out += "\uFFFD";
      text.remove_prefix(1);
      continue;
    }
    if (text[0] == '\n') {
      out += "\\n";
    } else {
      if (text[0] == '\\' || (quotes && text[0] == '"')) out += '\\';
      out += text.substr(0, length);
    }
    text.remove_prefix(length);
  }
}

std::string number(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "+Inf" : "-Inf";
  // Whole numbers without an exponent, as far as they are exact.
  if (value == std::trunc(value) && std::abs(value) < 9e15) return fmt::format("{:.0f}", value);
  return fmt::format("{}", value);
}

const char* type_name(MetricsText::Type type) {
  switch (type) {
    case MetricsText::Type::kCounter:
      return "counter";
    case MetricsText::Type::kGauge:
      return "gauge";
    case MetricsText::Type::kHistogram:
      return "histogram";
  }
  return "untyped";
}

void append_label(std::string& out, const MetricsText::Label& label, bool first) {
  out += first ? '{' : ',';
  out += name_of(label.first, false);
  out += "=\"";
  append_escaped(out, label.second, true);
  out += '"';
}

}  // namespace

void MetricHistogram::observe(double value) {
  const auto bound = std::lower_bound(bounds_.begin(), bounds_.end(), value);
  ++counts_[static_cast<std::size_t>(bound - bounds_.begin())];
  sum_ += value;
}

void MetricsText::family(std::string_view name, Type type, std::string_view help) {
  family_ = name_of(name, true);
  if (!names_.insert(family_).second) {
    family_.clear();
    return;
  }
  text_ += "# HELP " + family_ + ' ';
  append_escaped(text_, help, false);
  text_ += "\n# TYPE " + family_ + ' ' + type_name(type) + '\n';
}

void MetricsText::line(std::string_view suffix, Labels labels, const Label* more, double value) {
  if (family_.empty()) return;
  text_ += family_;
  text_ += suffix;
  bool first = true;
  for (const Label& label : labels) append_label(text_, label, std::exchange(first, false));
  if (more != nullptr) append_label(text_, *more, std::exchange(first, false));
  if (!first) text_ += '}';
  text_ += ' ';
  text_ += number(value);
  text_ += '\n';
}

void MetricsText::sample(Labels labels, double value) {
  line("", labels, nullptr, value);
}

void MetricsText::sample(Labels labels, const MetricHistogram& histogram) {
  std::uint64_t below = 0;
  for (std::size_t i = 0; i < histogram.counts().size(); ++i) {
    below += histogram.counts()[i];
    const std::string bound =
        i < histogram.bounds().size() ? number(histogram.bounds()[i]) : "+Inf";
    const Label up_to{"le", bound};
    line("_bucket", labels, &up_to, static_cast<double>(below));
  }
  line("_sum", labels, nullptr, histogram.sum());
  line("_count", labels, nullptr, static_cast<double>(below));
}

void MetricsText::one(std::string_view name, Type type, std::string_view help, double value) {
  family(name, type, help);
  sample(Labels(), value);
}

}  // namespace trainyard::monitor
