#include "object/json/json.h"
#include "object/json/json_duplicates.h"
#include "object/json/pruned_json.h"

#include <boost/json/basic_parser_impl.hpp>
#include <boost/json/monotonic_resource.hpp>
#include <boost/json/value_stack.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <deque>
#include <limits>
#include <vector>

namespace trainyard {
namespace {

namespace bj = boost::json;
using boost::system::error_code;
using View = bj::string_view;

/// Numbers come as text where Boost would round them. Collects what arrives in parts.
class NumberReader {
 public:
  void collect(View part) { parts_.append(part.data(), part.size()); }
  void forget() { parts_.clear(); }
  /// False when no double can hold it.
  bool read(View part, double& value) {
    collect(part);
    const auto [end, problem] =
        std::from_chars(parts_.data(), parts_.data() + parts_.size(), value);
    // from_chars does not say whether the number is too large or too small; strtod does.
    if (problem == std::errc::result_out_of_range) value = std::strtod(parts_.c_str(), nullptr);
    parts_.clear();
    return std::isfinite(value);
  }

 private:
  std::string parts_;
};

/// The keys of the objects that are open, to find one that occurs twice. Keys are views of the
/// document, except those with escapes.
class OpenKeys {
 public:
  explicit OpenKeys(std::string_view document) : document_(document) {}

  void collect(View part) { parts_.append(part.data(), part.size()); }
  void add(View part) {
    const std::less<> before;
    const bool in_document = !before(part.data(), document_.data()) &&
                             !before(document_.data() + document_.size(), part.data());
    if (parts_.empty() && in_document) {
      keys_.emplace_back(part.data(), part.size());
      return;
    }
    collect(part);
    keys_.push_back(copies_.emplace_back(std::move(parts_)));
    parts_.clear();
  }
  /// Forgets the last `count` keys, those of the object that ends. False: one of them is there
  /// twice.
  bool close(std::size_t count) {
    const auto first = keys_.end() - static_cast<std::ptrdiff_t>(count);
    const bool unique = count <= kFew ? few_are_unique(first) : many_are_unique(first);
    keys_.erase(first, keys_.end());
    return unique;
  }
  /// After close() said no.
  const std::string& duplicate() const { return duplicate_; }

 private:
  using Keys = std::vector<std::string_view>;
  static constexpr std::size_t kFew = 24;

  bool few_are_unique(Keys::iterator first) {
    for (auto key = first; key != keys_.end(); ++key) {
      if (std::find(first, key, *key) == key) continue;
      duplicate_ = *key;
      return false;
    }
    return true;
  }
  bool many_are_unique(Keys::iterator first) {
    std::sort(first, keys_.end());
    const auto twice = std::adjacent_find(first, keys_.end());
    if (twice == keys_.end()) return true;
    duplicate_ = *twice;
    return false;
  }

  std::string_view document_;
  Keys keys_;
  std::deque<std::string> copies_;
  std::string parts_;
  std::string duplicate_;
};

/// What the parser asks of whoever it tells of a document. Keeps nothing, checks everything.
class Checker {
 public:
  static constexpr std::size_t max_object_size = std::numeric_limits<std::size_t>::max();
  static constexpr std::size_t max_array_size = max_object_size;
  static constexpr std::size_t max_key_size = max_object_size;
  static constexpr std::size_t max_string_size = max_object_size;

  enum class Duplicates : std::uint8_t { kRefused, kAccepted };
  explicit Checker(std::string_view document, Duplicates duplicates = Duplicates::kRefused)
      : keys_(document), duplicates_(duplicates) {}

  bool on_document_begin(error_code&) { return true; }
  bool on_document_end(error_code&) { return true; }
  bool on_object_begin(error_code&) { return true; }
  bool on_object_end(std::size_t count, error_code& failure) {
    if (keys_.close(count)) return true;
    has_duplicate_ = true;
    if (duplicates_ == Duplicates::kAccepted) return true;
    failure = make_error_code(bj::error::syntax);
    return false;
  }
  bool on_array_begin(error_code&) { return true; }
  bool on_array_end(std::size_t, error_code&) { return true; }
  bool on_key_part(View part, std::size_t, error_code&) {
    keys_.collect(part);
    return true;
  }
  bool on_key(View part, std::size_t, error_code&) {
    keys_.add(part);
    return true;
  }
  bool on_string_part(View, std::size_t, error_code&) { return true; }
  bool on_string(View, std::size_t, error_code&) { return true; }
  bool on_number_part(View part, error_code&) {
    number_.collect(part);
    return true;
  }
  bool on_int64(std::int64_t, View, error_code&) {
    number_.forget();
    return true;
  }
  bool on_uint64(std::uint64_t, View, error_code&) {
    number_.forget();
    return true;
  }
  bool on_double(double, View part, error_code& failure) {
    if (number_.read(part, double_)) return true;
    failure = make_error_code(bj::error::exponent_overflow);
    return false;
  }
  bool on_bool(bool, error_code&) { return true; }
  bool on_null(error_code&) { return true; }
  bool on_comment_part(View, error_code&) { return true; }
  bool on_comment(View, error_code&) { return true; }

  bool has_duplicate() const { return has_duplicate_; }
  Error error(const error_code& failure, std::size_t position) const {
    if (has_duplicate_ && duplicates_ == Duplicates::kRefused) {
      return Error(Code::kBadRequest, fmt::format("the JSON has the key \"{}\" twice in one object",
                                                  keys_.duplicate()));
    }
    return Error(Code::kBadRequest,
                 fmt::format("the body is not JSON: {} near byte {}", failure.message(), position));
  }

 protected:
  double last_double() const { return double_; }

 private:
  OpenKeys keys_;
  Duplicates duplicates_;
  NumberReader number_;
  double double_ = 0;
  bool has_duplicate_ = false;
};

/// Builds the tree, too. The stack collects the parts of a container until it ends, so that each
/// container is allocated once, in its final size.
class TreeBuilder : public Checker {
 public:
  explicit TreeBuilder(std::string_view document, Duplicates duplicates = Duplicates::kRefused)
      : Checker(document, duplicates), stack_({}, buffer_, sizeof buffer_) {
    stack_.reset();
  }

  bool on_object_end(std::size_t count, error_code& failure) {
    if (!Checker::on_object_end(count, failure)) return false;
    stack_.push_object(count);
    return true;
  }
  bool on_array_end(std::size_t count, error_code&) {
    stack_.push_array(count);
    return true;
  }
  bool on_key_part(View part, std::size_t total, error_code& failure) {
    stack_.push_chars(part);
    return Checker::on_key_part(part, total, failure);
  }
  bool on_key(View part, std::size_t total, error_code& failure) {
    stack_.push_key(part);
    return Checker::on_key(part, total, failure);
  }
  bool on_string_part(View part, std::size_t, error_code&) {
    stack_.push_chars(part);
    return true;
  }
  bool on_string(View part, std::size_t, error_code&) {
    stack_.push_string(part);
    return true;
  }
  bool on_int64(std::int64_t value, View part, error_code& failure) {
    stack_.push_int64(value);
    return Checker::on_int64(value, part, failure);
  }
  bool on_uint64(std::uint64_t value, View part, error_code& failure) {
    stack_.push_uint64(value);
    return Checker::on_uint64(value, part, failure);
  }
  bool on_double(double value, View part, error_code& failure) {
    if (!Checker::on_double(value, part, failure)) return false;
    stack_.push_double(last_double());
    return true;
  }
  bool on_bool(bool value, error_code&) {
    stack_.push_bool(value);
    return true;
  }
  bool on_null(error_code&) {
    stack_.push_null();
    return true;
  }

  Json take() { return stack_.release(); }

 protected:
  void use_storage(bj::storage_ptr storage) { stack_.reset(std::move(storage)); }
  void push_key(View key) { stack_.push_key(key); }
  void push_object(std::size_t count) { stack_.push_object(count); }

 private:
  alignas(std::max_align_t) unsigned char buffer_[4096];
  bj::value_stack stack_;
};

/// Builds the tree without the members of some names. All of it has one storage, which goes when
/// its last part goes: long answers have a hundred thousand parts. Nobody looks for keys that occur
/// twice.
class PruningBuilder : public TreeBuilder {
 public:
  PruningBuilder(std::string_view document, const std::vector<std::string>& left_out)
      : TreeBuilder(document), left_out_(left_out) {
    use_storage(bj::make_shared_resource<bj::monotonic_resource>(document.size() / 4));
  }

  bool on_object_begin(error_code&) {
    begin();
    if (depth_ == 0) kept_.push_back(0);
    return true;
  }
  bool on_array_begin(error_code&) {
    begin();
    return true;
  }
  bool on_object_end(std::size_t, error_code&) {
    if (end()) return true;
    push_object(kept_.back());
    kept_.pop_back();
    return true;
  }
  bool on_array_end(std::size_t count, error_code& failure) {
    return end() || TreeBuilder::on_array_end(count, failure);
  }
  bool on_key_part(View part, std::size_t, error_code&) {
    key_.append(part.data(), part.size());
    return true;
  }
  bool on_key(View part, std::size_t, error_code&) {
    const bool in_parts = !key_.empty();
    if (in_parts) key_.append(part.data(), part.size());
    const View key = in_parts ? View(key_) : part;
    if (depth_ == 0) {
      skips_next_ = std::find(left_out_.begin(), left_out_.end(), key) != left_out_.end();
    }
    if (depth_ == 0 && !skips_next_) {
      push_key(key);
      ++kept_.back();
    }
    key_.clear();
    return true;
  }
  bool on_string_part(View part, std::size_t total, error_code& failure) {
    return skips() || TreeBuilder::on_string_part(part, total, failure);
  }
  bool on_string(View part, std::size_t total, error_code& failure) {
    return skip_value() || TreeBuilder::on_string(part, total, failure);
  }
  bool on_int64(std::int64_t value, View part, error_code& failure) {
    return skip_value() ? Checker::on_int64(value, part, failure)
                        : TreeBuilder::on_int64(value, part, failure);
  }
  bool on_uint64(std::uint64_t value, View part, error_code& failure) {
    return skip_value() ? Checker::on_uint64(value, part, failure)
                        : TreeBuilder::on_uint64(value, part, failure);
  }
  bool on_double(double value, View part, error_code& failure) {
    return skip_value() ? Checker::on_double(value, part, failure)
                        : TreeBuilder::on_double(value, part, failure);
  }
  bool on_bool(bool value, error_code& failure) {
    return skip_value() || TreeBuilder::on_bool(value, failure);
  }
  bool on_null(error_code& failure) { return skip_value() || TreeBuilder::on_null(failure); }

 private:
  bool skips() const { return depth_ > 0 || skips_next_; }
  void begin() {
    if (skips()) ++depth_;
  }
  /// Whether what ends is passed over.
  bool end() {
    if (depth_ == 0) return false;
    if (--depth_ == 0) skips_next_ = false;
    return true;
  }
  bool skip_value() {
    const bool skipped = skips();
    if (depth_ == 0) skips_next_ = false;
    return skipped;
  }

  const std::vector<std::string>& left_out_;
  std::string key_;
  bool skips_next_ = false;        // the value that comes now belongs to a name that is left out
  std::size_t depth_ = 0;          // of what is open inside of such a value
  std::vector<std::size_t> kept_;  // members of each open object
};

template <class Parser>
Result<> run(Parser& parser, std::string_view text) {
  error_code failure;
  const std::size_t used = parser.write_some(false, text.data(), text.size(), failure);
  if (!failure && used < text.size()) failure = make_error_code(bj::error::extra_data);
  if (failure) return parser.handler().error(failure, used);
  return Ok();
}

bj::parse_options options() {
  bj::parse_options chosen;
  chosen.max_depth = kMaxDepth;
  return chosen;
}

}  // namespace

Result<Json> parse_json(std::string_view text) {
  bj::basic_parser<TreeBuilder> parser(options(), text);
  TRY_OK(run(parser, text));
  return parser.handler().take();
}

Result<Json> parse_json_without(std::string_view text, std::size_t begin, std::size_t end) {
  if (begin == end) return parse_json(text);
  bj::basic_parser<TreeBuilder> parser(options(), text);
  error_code failure;
  parser.write_some(true, text.data(), begin, failure);
  if (failure) return parser.handler().error(failure, begin);
  TRY_OK(run(parser, text.substr(end)));
  return parser.handler().take();
}

Result<Json> parse_json(std::string_view text, std::vector<std::string>& duplicates) {
  bj::basic_parser<TreeBuilder> parser(options(), text, Checker::Duplicates::kAccepted);
  TRY_OK(run(parser, text));
  if (parser.handler().has_duplicate()) {
    for (const std::string& field : duplicate_fields(text)) {
      duplicates.push_back(fmt::format("duplicate field \"{}\"", field));
    }
  }
  return parser.handler().take();
}

Result<Json> parse_json_without(std::string_view text, const std::vector<std::string>& left_out) {
  bj::basic_parser<PruningBuilder> parser(options(), text, left_out);
  TRY_OK(run(parser, text));
  return parser.handler().take();
}

Result<> check_json(std::string_view text) {
  bj::basic_parser<Checker> parser(options(), text);
  return run(parser, text);
}

}  // namespace trainyard
