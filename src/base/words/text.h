#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace trainyard {

/// A to Z become small; other letters are nobody's business here.
inline char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}
inline std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = lower(c);
  return out;
}

inline bool equal_ignoring_case(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return lower(x) == lower(y); });
}

/// All that stands between the marks, also nothing: "a,,b" is "a", "", "b", and "" is "".
inline std::vector<std::string_view> split(std::string_view text, char mark) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t end = text.find(mark);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

/// The same without what is empty: "/a//b/" is "a", "b".
inline std::vector<std::string_view> words_between(std::string_view text, char mark) {
  std::vector<std::string_view> words = split(text, mark);
  std::erase_if(words, [](std::string_view word) { return word.empty(); });
  return words;
}

}  // namespace trainyard
