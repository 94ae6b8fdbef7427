#include "contract/python_stack.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

namespace trainyard::contract {
namespace {

constexpr std::size_t kMostThreads = 64;
constexpr std::size_t kMostFrames = 100;
constexpr std::size_t kLongestName = 400;

/// `  File "PATH", line N in FUNCTION`; a path may itself hold such words, so its end is searched
/// from the right.
std::optional<StackFrame> read_frame(std::string_view line) {
  constexpr std::string_view kBegin = "  File \"";
  constexpr std::string_view kLine = "\", line ";
  constexpr std::string_view kIn = " in ";
  if (!line.starts_with(kBegin)) return std::nullopt;
  line.remove_prefix(kBegin.size());
  const std::size_t path_end = line.rfind(kLine);
  if (path_end == std::string_view::npos) return std::nullopt;
  StackFrame frame;
  frame.file = line.substr(0, std::min(path_end, kLongestName));
  line.remove_prefix(path_end + kLine.size());
  const auto parsed = std::from_chars(line.data(), line.data() + line.size(), frame.line);
  if (parsed.ec != std::errc()) return std::nullopt;
  line.remove_prefix(static_cast<std::size_t>(parsed.ptr - line.data()));
  if (!line.starts_with(kIn)) return std::nullopt;
  frame.function = line.substr(kIn.size(), kLongestName);
  return frame;
}

}  // namespace

std::vector<ThreadStack> read_python_stacks(std::string_view text) {
  std::vector<ThreadStack> threads;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const bool current = line.starts_with("Current thread ");
    if (current || line.starts_with("Thread ")) {
      if (threads.size() == kMostThreads) break;
      threads.push_back(ThreadStack{current, {}});
      continue;
    }
    if (threads.empty() || threads.back().frames.size() == kMostFrames) continue;
    if (auto frame = read_frame(line)) threads.back().frames.push_back(*std::move(frame));
  }
  std::erase_if(threads, [](const ThreadStack& thread) { return thread.frames.empty(); });
  return threads;
}

const ThreadStack* main_stack(const std::vector<ThreadStack>& threads) {
  if (threads.empty()) return nullptr;
  const auto current = std::find_if(threads.begin(), threads.end(),
                                    [](const ThreadStack& thread) { return thread.current; });
  // faulthandler writes the main thread last.
  return current != threads.end() ? &*current : &threads.back();
}

std::string short_frame(const StackFrame& frame) {
  std::string_view file = frame.file;
  for (const std::string_view root : {"/site-packages/", "/dist-packages/"}) {
    const std::size_t place = file.rfind(root);
    if (place != std::string_view::npos) {
      file.remove_prefix(place + root.size());
      return fmt::format("{}:{} in {}", file, frame.line, frame.function);
    }
  }
  // Python's own: it keeps a slash, which the program's files do not.
  constexpr std::string_view kLibrary = "/lib/python";
  const std::size_t library = file.rfind(kLibrary);
  const std::size_t cut = library != std::string_view::npos ? library + 5 : file.rfind('/') + 1;
  file.remove_prefix(std::min(cut, file.size()));
  return fmt::format("{}:{} in {}", file, frame.line, frame.function);
}

}  // namespace trainyard::contract
