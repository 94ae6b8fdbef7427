#pragma once

#include "base/clock.h"

#include <cstdint>
#include <functional>
#include <string>

namespace trainyard::cli {

/// `copying  [#########...........]  45 %  1.2 of 2.7 GB`. Pure.
std::string bar_text(const std::string& what, std::uint64_t done, std::uint64_t total, int width);
/// 1.2 GB, 34 kB.
std::string bytes_text(std::uint64_t bytes);
/// `[####....]` of so many places.
std::string bar_of(double part, int places);

/// Shows on standard error how far something has come that takes a while: only where that is a
/// terminal, and only when it has taken a moment already. Gone when it goes.
class ProgressBar {
 public:
  /// `total` in bytes, asked for only where somebody looks.
  ProgressBar(std::string what, const std::function<std::uint64_t()>& total);
  ~ProgressBar() { clear(); }
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  void add(std::uint64_t bytes);
  /// Makes room for lines that stay.
  void clear();

 private:
  void draw();

  SystemClock clock_;
  std::string what_;
  bool shown_ = false;  // it may be: this is a terminal
  bool drawn_ = false;
  std::uint64_t total_ = 0;
  std::uint64_t done_ = 0;
  TimePoint next_;
};

/// One line on standard error that says what is being done; for work whose end is not known. Only
/// where that is a terminal. Gone when it goes.
class StatusLine {
 public:
  explicit StatusLine(std::string what);
  ~StatusLine() { clear(); }
  StatusLine(const StatusLine&) = delete;
  StatusLine& operator=(const StatusLine&) = delete;

  /// Whether anybody sees it.
  bool is_shown() const { return shown_; }
  void show(const std::string& text);
  /// Makes room for lines that stay.
  void clear();

 private:
  std::string what_;
  bool shown_ = false;
  bool drawn_ = false;
  std::string last_;
};

/// `what  text`, cut where the terminal ends. Pure.
std::string status_text(const std::string& what, const std::string& text, int width);

/// Columns of the terminal that standard error, or output, is.
int terminal_width();

}  // namespace trainyard::cli
