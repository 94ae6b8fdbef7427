#pragma once

#include <filesystem>
#include <iterator>
#include <system_error>

namespace trainyard {

/// What stands in a folder, for a loop that never throws, whatever becomes of the folder meanwhile:
/// where it cannot be read, or no further, the loop ends. tools/lint refuses the library's own
/// way, of which each step may throw.
template <class Iterator>
class EntriesOf {
 public:
  class Step {
   public:
    using value_type = std::filesystem::directory_entry;
    explicit Step(Iterator at) : at_(std::move(at)) {}
    const std::filesystem::directory_entry& operator*() const { return *at_; }
    Step& operator++() {
      std::error_code failed;
      at_.increment(failed);
      if (failed) at_ = Iterator();
      return *this;
    }
    bool operator!=(const Step& other) const { return at_ != other.at_; }

   private:
    Iterator at_;
  };

  explicit EntriesOf(const std::filesystem::path& folder) : first_(folder, failed_) {}

  Step begin() const { return Step(first_); }
  Step end() const { return Step(Iterator()); }
  /// Why it could not be read at all.
  const std::error_code& failed() const { return failed_; }

 private:
  std::error_code failed_;
  Iterator first_;
};

using FolderEntries = EntriesOf<std::filesystem::directory_iterator>;
/// And in the folders below it, which links do not lead out of.
using TreeEntries = EntriesOf<std::filesystem::recursive_directory_iterator>;

/// Whether it is a folder, or leads to one; not where nobody can tell.
inline bool is_folder(const std::filesystem::directory_entry& entry) {
  std::error_code unknown;
  return entry.is_directory(unknown);
}
inline bool is_folder(const std::filesystem::path& path) {
  std::error_code unknown;
  return std::filesystem::is_directory(path, unknown);
}

/// Whether something is there; not where nobody can tell.
inline bool is_there(const std::filesystem::path& path) {
  std::error_code unknown;
  return std::filesystem::exists(path, unknown);
}

/// From the root, seen from the current folder; as it was where that is gone.
inline std::filesystem::path from_root(const std::filesystem::path& path) {
  std::error_code gone;
  std::filesystem::path absolute = std::filesystem::absolute(path, gone);
  return gone ? path : absolute;
}

}  // namespace trainyard
