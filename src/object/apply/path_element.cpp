#include "object/apply/path_element.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>

namespace trainyard {
namespace {

// The types in the order in which Kubernetes sorts values of different types.
constexpr char kNumber = '1';
constexpr char kString = '2';
constexpr char kBool = '3';
constexpr char kOther = '4';  // lists, objects and null, which no sound key has

constexpr double kTwoTo63 = 9223372036854775808.0;

void append_big_endian(std::string& out, std::uint64_t bits) {
  for (int shift = 56; shift >= 0; shift -= 8) out.push_back(static_cast<char>(bits >> shift));
}

std::uint64_t read_big_endian(std::string_view bytes) {
  std::uint64_t bits = 0;
  for (const char byte : bytes.substr(0, 8)) bits = bits << 8 | static_cast<unsigned char>(byte);
  return bits;
}

constexpr std::uint64_t kSign = std::uint64_t{1} << 63;

/// Bits that sort as the numbers do.
std::uint64_t ordered_bits(double number) {
  const auto bits = std::bit_cast<std::uint64_t>(number == 0 ? 0.0 : number);
  return (bits & kSign) != 0 ? ~bits : bits | kSign;
}

double from_ordered_bits(std::uint64_t bits) {
  return std::bit_cast<double>((bits & kSign) != 0 ? bits & ~kSign : ~bits);
}

/// First the number as a double, then, for whole numbers, its exact value: 1 and 1.0 are the same.
void append_number(std::string& out, const Json& value) {
  out.push_back(kNumber);
  double number = 0;
  std::int64_t whole = 0;
  bool is_whole = true;
  if (value.is_int64()) {
    whole = value.get_int64();
    number = static_cast<double>(whole);
  } else {
    number = value.to_number<double>();
    is_whole = std::floor(number) == number && number >= -kTwoTo63 && number < kTwoTo63;
    if (is_whole) whole = static_cast<std::int64_t>(number);
  }
  append_big_endian(out, ordered_bits(number));
  append_big_endian(out, is_whole ? static_cast<std::uint64_t>(whole) ^ kSign : 0);
}

Json read_number(std::string_view code) {
  const double number = from_ordered_bits(read_big_endian(code));
  const bool is_whole = std::floor(number) == number && number >= -kTwoTo63 && number <= kTwoTo63;
  const std::uint64_t whole = read_big_endian(code.substr(8));
  // Numbers from 2^63 on are doubles only; an integer just below rounds to the same double.
  if (!is_whole || (number == kTwoTo63 && whole == 0)) return number;
  return static_cast<std::int64_t>(whole ^ kSign);
}

/// Ends with 00 01, a zero inside is 00 ff: a text sorts before every longer one it begins.
void append_string(std::string& out, std::string_view text) {
  for (const char c : text) {
    out.push_back(c);
    if (c == '\0') out.push_back('\xff');
  }
  out.push_back('\0');
  out.push_back('\x01');
}

std::string take_string(std::string_view& code) {
  std::string text;
  std::size_t i = 0;
  for (; !(code[i] == '\0' && code[i + 1] == '\x01'); ++i) {
    text.push_back(code[i]);
    if (code[i] == '\0') ++i;
  }
  code.remove_prefix(i + 2);
  return text;
}

void append_value(std::string& out, const Json& value) {
  if (value.is_number()) {
    append_number(out, value);
  } else if (value.is_string()) {
    out.push_back(kString);
    append_string(out, value.get_string());
  } else if (value.is_bool()) {
    out.push_back(kBool);
    out.push_back(value.get_bool() ? '1' : '0');
  } else {
    out.push_back(kOther);
    append_string(out, to_text(value));
  }
}

Json take_value(std::string_view& code) {
  const char type = code.front();
  code.remove_prefix(1);
  if (type == kNumber) {
    Json number = read_number(code);
    code.remove_prefix(16);
    return number;
  }
  if (type == kBool) {
    const bool value = code.front() == '1';
    code.remove_prefix(1);
    return value;
  }
  const std::string text = take_string(code);
  if (type == kString) return Json(text);
  return parse_json(text).value_or(nullptr);
}

Error unreadable(std::string_view text) {
  return Error(Code::kInvalid, fmt::format("'{}' is not a step of a field's path", text));
}

Result<std::int64_t> read_index(std::string_view text) {
  std::int64_t index = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), index);
  if (problem != std::errc() || end != text.data() + text.size()) return unreadable(text);
  return index;
}

}  // namespace

PathElement PathElement::field(std::string_view name) {
  std::string code(1, kField);
  code += name;
  return PathElement(std::move(code));
}

PathElement PathElement::key(std::vector<Part> parts) {
  std::sort(parts.begin(), parts.end(),
            [](const Part& a, const Part& b) { return a.name < b.name; });
  std::string code(1, kKey);
  for (const Part& part : parts) {
    append_string(code, part.name);
    append_value(code, *part.value);
  }
  return PathElement(std::move(code));
}

PathElement PathElement::value(const Json& value) {
  std::string code(1, kValue);
  append_value(code, value);
  return PathElement(std::move(code));
}

PathElement PathElement::index(std::int64_t index) {
  std::string code(1, kIndex);
  append_number(code, index);
  return PathElement(std::move(code));
}

Result<PathElement> PathElement::parse(std::string_view text) {
  if (text.size() < 2 || text[1] != ':') return unreadable(text);
  const std::string_view rest = text.substr(2);
  if (text[0] == 'f') return field(rest);
  if (text[0] == 'i') {
    TRY(const std::int64_t position, read_index(rest));
    return index(position);
  }
  if (text[0] != 'k' && text[0] != 'v') {
    return Error(Code::kUnsupported, fmt::format("'{}' is a step of an unknown sort", text));
  }
  auto content = parse_json(rest);
  if (!content || (text[0] == 'k' && !content->is_object())) return unreadable(text);
  if (text[0] == 'v') return value(*content);
  std::vector<Part> parts;
  for (const auto& member : content->get_object()) {
    parts.push_back({std::string_view(member.key().data(), member.key().size()), &member.value()});
  }
  return key(std::move(parts));
}

std::string PathElement::to_text() const {
  std::string_view code = std::string_view(code_).substr(1);
  if (is_field()) return fmt::format("f:{}", code);
  std::string text = code_.front() == kValue ? "v:" : code_.front() == kIndex ? "i:" : "k:{";
  if (!is_key()) {
    append_text(text, take_value(code));
    return text;
  }
  while (!code.empty()) {
    if (text.back() != '{') text.push_back(',');
    append_text(text, Json(take_string(code)));
    text.push_back(':');
    append_text(text, take_value(code));
  }
  text.push_back('}');
  return text;
}

std::string PathElement::shown() const {
  std::string_view code = std::string_view(code_).substr(1);
  if (is_field()) return fmt::format(".{}", code);
  if (code_.front() == kValue) return fmt::format("[={}]", trainyard::to_text(take_value(code)));
  if (code_.front() == kIndex) return fmt::format("[{}]", trainyard::to_text(take_value(code)));
  std::string text = "[";
  while (!code.empty()) {
    if (text.size() > 1) text.push_back(',');
    text += take_string(code);
    text.push_back('=');
    append_text(text, take_value(code));
  }
  text.push_back(']');
  return text;
}

}  // namespace trainyard
