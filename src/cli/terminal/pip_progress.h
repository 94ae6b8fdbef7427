#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace trainyard::cli {

/// Makes one line for people of the hundreds that `pip install` writes. Pure.
class PipProgress {
 public:
  /// The next of pip's output, which may end inside a line. What people must read of it, complaints
  /// of pip's, comes back; may be empty.
  std::string take(std::string_view text);

  /// How far it is: packages that were found, what was downloaded, or how many are being unpacked.
  std::string text() const;

 private:
  std::string take_line(std::string_view line);

  std::string begun_;  // a line whose end has not come
  std::size_t found_ = 0;
  std::size_t unpacked_ = 0;  // 0: not that far
  std::string current_;
  bool complains_ = false;
};

}  // namespace trainyard::cli
