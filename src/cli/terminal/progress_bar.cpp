#include "cli/terminal/progress_bar.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <sys/ioctl.h>
#include <unistd.h>

namespace trainyard::cli {
namespace {

using namespace std::chrono_literals;

constexpr auto kPatience = 300ms;  // what takes less needs no bar
constexpr auto kPause = 100ms;     // between two looks of it

}  // namespace

std::string bytes_text(std::uint64_t bytes) {
  const auto number = static_cast<double>(bytes);
  if (bytes < 1'000) return fmt::format("{} B", bytes);
  if (bytes < 1'000'000) return fmt::format("{:.0f} kB", number / 1e3);
  if (bytes < 1'000'000'000) return fmt::format("{:.1f} MB", number / 1e6);
  return fmt::format("{:.1f} GB", number / 1e9);
}

std::string bar_of(double part, int places) {
  const double bounded = std::clamp(part, 0.0, 1.0);
  const auto full = static_cast<std::size_t>(bounded * places);
  return "[" + std::string(full, '#') + std::string(static_cast<std::size_t>(places) - full, '.') +
         "]";
}

std::string bar_text(const std::string& what, std::uint64_t done, std::uint64_t total, int width) {
  // Files may have grown since they were counted.
  const std::uint64_t most = std::max(done, total);
  const double part = most == 0 ? 1.0 : static_cast<double>(done) / static_cast<double>(most);
  const std::string numbers =
      fmt::format("{:3.0f} %  {} of {}", 100 * part, bytes_text(done), bytes_text(most));
  const int places = std::min(40, width - static_cast<int>(what.size() + numbers.size()) - 7);
  if (places < 5) return fmt::format("{}  {}", what, numbers);
  return fmt::format("{}  {}  {}", what, bar_of(part, places), numbers);
}

ProgressBar::ProgressBar(std::string what, const std::function<std::uint64_t()>& total)
    : what_(std::move(what)), shown_(::isatty(STDERR_FILENO) != 0) {
  if (!shown_) return;
  total_ = total();
  next_ = clock_.now() + kPatience;
}

void ProgressBar::clear() {
  if (!drawn_) return;
  drawn_ = false;
  fmt::print(stderr, "\r\x1b[K");
  std::fflush(stderr);
}

void ProgressBar::add(std::uint64_t bytes) {
  done_ += bytes;
  if (!shown_ || clock_.now() < next_) return;
  next_ = clock_.now() + kPause;
  draw();
}

void ProgressBar::draw() {
  drawn_ = true;
  fmt::print(stderr, "\r{}\x1b[K", bar_text(what_, done_, total_, terminal_width()));
  std::fflush(stderr);
}

std::string status_text(const std::string& what, const std::string& text, int width) {
  std::string line = fmt::format("{}  {}", what, text);
  // A line that is longer than the terminal could not be taken back.
  std::size_t end = static_cast<std::size_t>(std::max(width - 1, 0));
  if (line.size() <= end) return line;
  while (end > 0 && (static_cast<unsigned char>(line[end]) & 0xC0U) == 0x80U) --end;
  return line.substr(0, end);
}

StatusLine::StatusLine(std::string what)
    : what_(std::move(what)), shown_(::isatty(STDERR_FILENO) != 0) {}

void StatusLine::show(const std::string& text) {
  // Each at once, unlike a bar's: what was left out might be what takes long.
  if (!shown_ || (drawn_ && text == last_)) return;
  last_ = text;
  drawn_ = true;
  fmt::print(stderr, "\r{}\x1b[K", status_text(what_, text, terminal_width()));
  std::fflush(stderr);
}

void StatusLine::clear() {
  if (!drawn_) return;
  drawn_ = false;
  fmt::print(stderr, "\r\x1b[K");
  std::fflush(stderr);
}

int terminal_width() {
  struct winsize size{};
  for (const int terminal : {STDERR_FILENO, STDOUT_FILENO}) {
    if (::ioctl(terminal, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  }
  return 80;
}

}  // namespace trainyard::cli
