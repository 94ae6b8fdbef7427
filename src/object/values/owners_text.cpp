#include "object/values/owners_text.h"

#include <array>

namespace trainyard {
namespace {

using Table = std::array<bool, 256>;

constexpr Table table_of(std::string_view bytes) {
  Table table{};
  for (const char one : bytes) table[static_cast<unsigned char>(one)] = true;
  return table;
}

/// Steps over parts of a text that is known to be JSON without white space.
class Steps {
 public:
  explicit Steps(std::string_view text) : text_(text) {}

  char at(std::size_t place) const { return place < text_.size() ? text_[place] : '\0'; }
  /// `place` is at the opening quote; the answer is behind the closing one.
  std::size_t over_string(std::size_t place) const {
    for (std::size_t quote = text_.find('"', place + 1); quote != std::string_view::npos;
         quote = text_.find('"', quote + 1)) {
      std::size_t backslashes = 0;
      while (text_[quote - backslashes - 1] == '\\') ++backslashes;
      if (backslashes % 2 == 0) return quote + 1;
    }
    return text_.size();
  }
  std::size_t over_value(std::size_t place) const {
    if (at(place) == '"') return over_string(place);
    if (at(place) == '{' || at(place) == '[') return over_container(place);
    while (place < text_.size() && !kEndsScalar[byte(place)]) ++place;
    return place;
  }

 private:
  static constexpr Table kEndsScalar = table_of(",]}");
  static constexpr Table kOfNote = table_of("\"{}[]");

  unsigned char byte(std::size_t place) const { return static_cast<unsigned char>(text_[place]); }
  std::size_t over_container(std::size_t place) const {
    for (int depth = 0; place < text_.size();) {
      if (!kOfNote[byte(place)]) {
        ++place;
      } else if (text_[place] == '"') {
        place = over_string(place);
      } else {
        depth += text_[place] == '{' || text_[place] == '[' ? 1 : -1;
        ++place;
        if (depth == 0) return place;
      }
    }
    return place;
  }

  std::string_view text_;
};

struct Member {
  std::size_t key = 0;  // its opening quote; 0: there is none
  std::size_t value = 0;
  std::size_t end = 0;
};

/// The member of the object that begins at `object`, by its key with quotes.
Member find_member(std::string_view text, std::size_t object, std::string_view quoted_key) {
  const Steps steps(text);
  if (steps.at(object) != '{') return {};
  for (std::size_t place = object + 1; steps.at(place) == '"';) {
    const std::size_t value = steps.over_string(place) + 1;  // the colon
    const std::size_t end = steps.over_value(value);
    if (text.substr(place).starts_with(quoted_key)) return {place, value, end};
    if (steps.at(end) != ',') break;
    place = end + 1;
  }
  return {};
}

}  // namespace

OwnersPlace find_owners(std::string_view text) {
  const Member metadata = find_member(text, 0, "\"metadata\"");
  if (metadata.key == 0) return {};
  const Member owners = find_member(text, metadata.value, "\"managedFields\"");
  if (owners.key == 0) return {};
  if (text[owners.end] == ',') return {owners.key, owners.end + 1};
  const bool is_alone = text[owners.key - 1] == '{';
  return {is_alone ? owners.key : owners.key - 1, owners.end};
}

std::shared_ptr<const std::string> SharedOwners::share(std::string_view owners) {
  const auto known = texts_.find(owners);
  if (known != texts_.end()) return *known;
  return *texts_.insert(std::make_shared<const std::string>(owners)).first;
}

void SharedOwners::forget_unused() {
  std::erase_if(texts_, [](const Text& text) { return text.use_count() == 1; });
}

}  // namespace trainyard
