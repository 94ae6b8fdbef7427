#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_set>

namespace trainyard {

/// Who owns which field of an object (metadata.managedFields) is the larger part of most objects,
/// and only writes look at it. So it is left out of trees, and objects at rest share it.

/// Where it stands in a text that to_text() wrote, with the comma that goes with it: without these
/// bytes the text is JSON, too.
struct OwnersPlace {
  std::size_t begin = 0;
  std::size_t end = 0;

  bool is_there() const { return end > begin; }
};
OwnersPlace find_owners(std::string_view text);

/// One copy of each such part: the pods of a job have the same. Belongs to the loop thread.
class SharedOwners {
 public:
  std::shared_ptr<const std::string> share(std::string_view owners);
  /// Forgets those that no object has.
  void forget_unused();
  std::size_t size() const { return texts_.size(); }

 private:
  using Text = std::shared_ptr<const std::string>;
  static std::string_view view(const Text& text) { return *text; }
  static std::string_view view(std::string_view text) { return text; }
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(const auto& text) const {
      return std::hash<std::string_view>()(view(text));
    }
  };
  struct Equal {
    using is_transparent = void;
    bool operator()(const auto& a, const auto& b) const { return view(a) == view(b); }
  };
  std::unordered_set<Text, Hash, Equal> texts_;
};

}  // namespace trainyard
