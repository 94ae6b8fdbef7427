#include "object/json/json.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <cstring>

namespace trainyard {
namespace {

namespace bj = boost::json;

/// Where text is collected: keeps its memory, so that most texts are written without asking for
/// any, and their strings are then made in their exact size.
class Buffer {
 public:
  /// Room for `count` more characters; they are written from there and then taken().
  char* room(std::size_t count) {
    if (capacity_ - size_ < count) grow(count);
    return data_.get() + size_;
  }
  void taken(std::size_t count) { size_ += count; }
  void put(char c) {
    *room(1) = c;
    taken(1);
  }
  void put(std::string_view text) {
    std::memcpy(room(text.size()), text.data(), text.size());
    taken(text.size());
  }
  void fill(std::size_t count, char c) {
    std::memset(room(count), c, count);
    taken(count);
  }
  std::string_view view() const { return {data_.get(), size_}; }
  void clear() {
    size_ = 0;
    if (capacity_ <= kKept) return;
    data_.reset();
    capacity_ = 0;
  }

 private:
  static constexpr std::size_t kKept = 256UL * 1024;
  void grow(std::size_t count) {
    const std::size_t wanted = std::max({capacity_ * 2, size_ + count, std::size_t{4096}});
    auto larger = std::make_unique_for_overwrite<char[]>(wanted);
    if (size_ > 0) std::memcpy(larger.get(), data_.get(), size_);
    data_ = std::move(larger);
    capacity_ = wanted;
  }

  std::unique_ptr<char[]> data_;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

/// What follows the backslash; 'u' for \u00XX, 0 for characters that stand for themselves, '8' for
/// bytes of UTF-8 sequences.
constexpr std::array<char, 256> kEscapes = [] {
  std::array<char, 256> escapes{};
  for (std::size_t c = 0; c < 0x20; ++c) escapes[c] = 'u';
  for (std::size_t c = 0x80; c < 0x100; ++c) escapes[c] = '8';
  escapes['"'] = '"';
  escapes['\\'] = '\\';
  escapes['\n'] = 'n';
  escapes['\r'] = 'r';
  escapes['\t'] = 't';
  return escapes;
}();

/// Whether one of eight characters needs a second look: sets the high bit of a byte that does.
/// Bytes above such a byte may be set wrongly.
constexpr std::uint64_t needs_look(std::uint64_t eight) {
  constexpr std::uint64_t kOnes = 0x0101010101010101;
  constexpr std::uint64_t kHigh = 0x8080808080808080;
  const auto zero_bytes = [](std::uint64_t v) { return v - kOnes; };
  const std::uint64_t control = eight - kOnes * 0x20;
  return (eight | control | zero_bytes(eight ^ kOnes * '"') | zero_bytes(eight ^ kOnes * '\\')) &
         kHigh;
}

/// How many characters from the start are ASCII and stand for themselves.
std::size_t plain_run(std::string_view text) {
  std::size_t at = 0;
  for (std::uint64_t eight = 0; at + sizeof eight <= text.size(); at += sizeof eight) {
    std::memcpy(&eight, text.data() + at, sizeof eight);
    if (needs_look(eight) != 0) break;
  }
  while (at < text.size() && kEscapes[static_cast<unsigned char>(text[at])] == 0) ++at;
  return at;
}

/// The length of the UTF-8 sequence that the text begins with; 0 when it is not one.
std::size_t sequence_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  const std::size_t length = first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  if (length == 0 || first > 0xf4 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
  }
  const bool overlong = (first == 0xe0 && byte(1) < 0xa0) || (first == 0xf0 && byte(1) < 0x90);
  const bool surrogate = first == 0xed && byte(1) >= 0xa0;
  const bool beyond = first == 0xf4 && byte(1) >= 0x90;
  return overlong || surrogate || beyond ? 0 : length;
}

/// Writes the character that the text begins with, which is not a plain one. Returns how many bytes
/// it takes in the text. What is not UTF-8 becomes U+FFFD, as Go writes it: whatever a process put
/// into a message, the text can be read again.
std::size_t put_special(Buffer& out, std::string_view text) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  const auto c = static_cast<unsigned char>(text[0]);
  const char name = kEscapes[c];
  if (name == '8') {
    const std::size_t length = sequence_length(text);
    out.put(length == 0 ? std::string_view("\xef\xbf\xbd") : text.substr(0, length));
    return std::max<std::size_t>(length, 1);
  }
  out.put('\\');
  out.put(name);
  if (name == 'u') {
    out.put("00");
    out.put(kDigits[c >> 4]);
    out.put(kDigits[c & 15]);
  }
  return 1;
}

void put_string(Buffer& out, std::string_view text) {
  out.put('"');
  while (true) {
    const std::size_t run = plain_run(text);
    out.put(text.substr(0, run));
    text.remove_prefix(run);
    if (text.empty()) break;
    text.remove_prefix(put_special(out, text));
  }
  out.put('"');
}

void put_double(Buffer& out, double value) {
  if (!std::isfinite(value)) {
    out.put("null");  // JSON has no word for it
    return;
  }
  char digits[64];
  const double size = std::fabs(value);
  const bool plain = size == 0 || (size >= 1e-6 && size < 1e21);
  // Beyond 2^53 to_chars would write digits that no reader needs, where Go writes zeros.
  const bool padded = plain && size >= 9007199254740992.0;
  const auto format = plain && !padded ? std::chars_format::fixed : std::chars_format::scientific;
  // Tiny fixed numbers need at most 1 + 1 + 6 + 17 characters, large ones 24.
  const auto result = std::to_chars(digits, digits + sizeof digits, value, format);
  std::string text(digits, result.ptr);
  if (padded) {  // 1.25e+20: the digits, then zeros
    const std::size_t exponent = text.find('e');
    const auto whole = static_cast<std::size_t>(std::atoi(text.c_str() + exponent + 1)) + 1;
    text.erase(exponent);
    std::erase(text, '.');
    text.resize(whole + (value < 0 ? 1 : 0), '0');
  } else if (const std::size_t zero = text.find("e-0"); zero != std::string::npos) {
    text.erase(zero + 2, 1);
  }
  out.put(text);
}

template <class Integer>
void put_integer(Buffer& out, Integer value) {
  constexpr std::size_t kLongest = 20;
  char* const start = out.room(kLongest);
  out.taken(static_cast<std::size_t>(std::to_chars(start, start + kLongest, value).ptr - start));
}

void put_value(Buffer& out, const Json& value, int indent);

void new_line(Buffer& out, int depth) {
  if (depth < 0) return;
  out.put('\n');
  out.fill(static_cast<std::size_t>(depth) * 2, ' ');
}

void put_array(Buffer& out, const JsonArray& array, int indent) {
  const int inner = indent < 0 ? indent : indent + 1;
  out.put('[');
  bool first = true;
  for (const Json& element : array) {
    if (!first) out.put(',');
    first = false;
    new_line(out, inner);
    put_value(out, element, inner);
  }
  if (!first) new_line(out, indent);
  out.put(']');
}

void put_object(Buffer& out, const JsonObject& object, int indent) {
  const int inner = indent < 0 ? indent : indent + 1;
  out.put('{');
  bool first = true;
  for (const auto& member : object) {
    if (!first) out.put(',');
    first = false;
    new_line(out, inner);
    put_string(out, member.key());
    out.put(indent < 0 ? std::string_view(":") : std::string_view(": "));
    put_value(out, member.value(), inner);
  }
  if (!first) new_line(out, indent);
  out.put('}');
}

/// Both writers: `indent` below zero means one line.
void put_value(Buffer& out, const Json& value, int indent) {
  switch (value.kind()) {
    case bj::kind::null:
      return out.put("null");
    case bj::kind::bool_:
      return out.put(value.get_bool() ? std::string_view("true") : std::string_view("false"));
    case bj::kind::int64:
      return put_integer(out, value.get_int64());
    case bj::kind::uint64:
      return put_integer(out, value.get_uint64());
    case bj::kind::double_:
      return put_double(out, value.get_double());
    case bj::kind::string:
      return put_string(out, value.get_string());
    case bj::kind::array:
      return put_array(out, value.get_array(), indent);
    case bj::kind::object:
      return put_object(out, value.get_object(), indent);
  }
}

Buffer& written(const Json& value, int indent) {
  thread_local Buffer buffer;
  buffer.clear();
  put_value(buffer, value, indent);
  return buffer;
}

}  // namespace

std::string to_text(const Json& value) {
  return std::string(written(value, -1).view());
}

void append_text(std::string& out, const Json& value) {
  out += written(value, -1).view();
}

std::string to_pretty_text(const Json& value) {
  return std::string(written(value, 0).view());
}

}  // namespace trainyard
