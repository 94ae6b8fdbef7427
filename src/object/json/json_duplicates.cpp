#include "object/json/json_duplicates.h"

#include "object/json/json.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

namespace trainyard {
namespace {

/// An object or array that has begun and not ended.
struct Open {
  bool is_object = false;
  bool expects_key = false;
  std::size_t index = 0;                 // of an array's element
  std::string key;                       // of an object's member
  std::unordered_set<std::string> keys;  // of an object, so far
};

/// Walks through correct JSON, looking at keys only.
class Walker {
 public:
  explicit Walker(std::string_view text) : text_(text) {}

  std::vector<std::string> walk() {
    while (at_ < text_.size() && found_.size() < kMostDuplicates) step();
    return std::move(found_);
  }

 private:
  void step() {
    switch (text_[at_++]) {
      case '"':
        end_string(at_ - 1);
        break;
      case '{':
        open_.push_back({true, true, 0, {}, {}});
        break;
      case '[':
        open_.emplace_back();
        break;
      case '}':
      case ']':
        open_.pop_back();
        break;
      case ',':
        open_.back().expects_key = open_.back().is_object;
        ++open_.back().index;
        break;
      default:
        break;
    }
  }

  void end_string(std::size_t begin) {
    while (text_[at_] != '"') at_ += text_[at_] == '\\' ? 2 : 1;
    ++at_;
    if (open_.empty() || !open_.back().expects_key) return;
    Open& object = open_.back();
    object.expects_key = false;
    object.key = read_key(text_.substr(begin, at_ - begin));
    if (object.keys.insert(object.key).second) return;
    std::string path = path_here();
    if (std::find(found_.begin(), found_.end(), path) == found_.end()) {
      found_.push_back(std::move(path));
    }
  }

  static std::string read_key(std::string_view quoted) {
    if (quoted.find('\\') == std::string_view::npos) {
      return std::string(quoted.substr(1, quoted.size() - 2));
    }
    const auto key = parse_json(quoted);
    return key && key->is_string() ? to_string(key->get_string()) : std::string(quoted);
  }

  std::string path_here() const {
    std::string path;
    for (const Open& step : open_) {
      if (!step.is_object) {
        path += fmt::format("[{}]", step.index);
      } else {
        path += (path.empty() ? "" : ".") + step.key;
      }
    }
    return path;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::vector<Open> open_;
  std::vector<std::string> found_;
};

}  // namespace

std::vector<std::string> duplicate_fields(std::string_view text) {
  return Walker(text).walk();
}

}  // namespace trainyard
