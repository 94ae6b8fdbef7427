#include "object/json.h"

#include <boost/json/basic_parser_impl.hpp>
#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <vector>

namespace trainyard {
namespace {

namespace bj = boost::json;
using boost::system::error_code;
using View = bj::string_view;

/// Builds the tree from the parser's calls. Holds one frame for each container that is open.
class TreeBuilder {
 public:
  static constexpr std::size_t max_object_size = std::numeric_limits<std::size_t>::max();
  static constexpr std::size_t max_array_size = max_object_size;
  static constexpr std::size_t max_key_size = max_object_size;
  static constexpr std::size_t max_string_size = max_object_size;

  bool on_document_begin(error_code&) { return true; }
  bool on_document_end(error_code&) { return true; }
  bool on_object_begin(error_code&) { return open(JsonObject()); }
  bool on_object_end(std::size_t, error_code&) { return close(); }
  bool on_array_begin(error_code&) { return open(JsonArray()); }
  bool on_array_end(std::size_t, error_code&) { return close(); }
  bool on_key_part(View part, std::size_t, error_code&) { return collect(part); }
  bool on_key(View part, std::size_t, error_code& failure) {
    collect(part);
    Frame& frame = frames_.back();
    if (frame.container.get_object().contains(text_)) {
      duplicate_ = text_;
      failure = make_error_code(bj::error::syntax);
      return false;
    }
    frame.key = std::move(text_);
    text_.clear();
    return true;
  }
  bool on_string_part(View part, std::size_t, error_code&) { return collect(part); }
  bool on_string(View part, std::size_t, error_code&) {
    collect(part);
    add(Json(View(text_)));
    text_.clear();
    return true;
  }
  bool on_number_part(View part, error_code&) { return collect(part); }
  bool on_int64(std::int64_t value, View, error_code&) { return add_number(Json(value)); }
  bool on_uint64(std::uint64_t value, View, error_code&) { return add_number(Json(value)); }
  bool on_double(double, View part, error_code& failure) {
    collect(part);
    double value = 0;
    const auto [end, problem] = std::from_chars(text_.data(), text_.data() + text_.size(), value);
    // from_chars does not say whether the number is too large or too small; strtod does.
    if (problem == std::errc::result_out_of_range) value = std::strtod(text_.c_str(), nullptr);
    if (!std::isfinite(value)) {
      failure = make_error_code(bj::error::exponent_overflow);
      return false;
    }
    return add_number(Json(value));
  }
  bool on_bool(bool value, error_code&) { return add(Json(value)); }
  bool on_null(error_code&) { return add(Json(nullptr)); }
  bool on_comment_part(View, error_code&) { return true; }
  bool on_comment(View, error_code&) { return true; }

  Json take() { return std::move(root_); }
  const std::string& duplicate() const { return duplicate_; }

 private:
  struct Frame {
    Json container;
    std::string key;
  };

  bool collect(View part) {
    text_.append(part.data(), part.size());
    return true;
  }
  bool open(Json container) {
    frames_.push_back(Frame{std::move(container), {}});
    return true;
  }
  bool close() {
    Json done = std::move(frames_.back().container);
    frames_.pop_back();
    return add(std::move(done));
  }
  bool add_number(Json value) {
    text_.clear();
    return add(std::move(value));
  }
  bool add(Json value) {
    if (frames_.empty()) {
      root_ = std::move(value);
    } else if (Frame& frame = frames_.back(); frame.container.is_object()) {
      frame.container.get_object().emplace(frame.key, std::move(value));
    } else {
      frame.container.get_array().push_back(std::move(value));
    }
    return true;
  }

  std::vector<Frame> frames_;
  std::string text_;
  std::string duplicate_;
  Json root_;
};

void append_string(std::string& out, View text) {
  out.push_back('"');
  for (const char c : text) {
    switch (c) {
      case '"':
        out += "\\\"";
        break;
      case '\\':
        out += "\\\\";
        break;
      case '\n':
        out += "\\n";
        break;
      case '\r':
        out += "\\r";
        break;
      case '\t':
        out += "\\t";
        break;
      default:
        if (static_cast<unsigned char>(c) < 0x20) {
          fmt::format_to(std::back_inserter(out), "\\u{:04x}", static_cast<unsigned>(c));
        } else {
          out.push_back(c);
        }
    }
  }
  out.push_back('"');
}

void append_double(std::string& out, double value) {
  if (!std::isfinite(value)) {
    out += "null";  // JSON has no word for it
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
  out += text;
}

/// Both writers: `indent` below zero means one line.
void append_value(std::string& out, const Json& value, int indent) {
  const auto new_line = [&](int depth) {
    if (indent < 0) return;
    out.push_back('\n');
    out.append(static_cast<std::size_t>(depth) * 2, ' ');
  };
  const int inner = indent < 0 ? indent : indent + 1;
  bool first = true;
  switch (value.kind()) {
    case bj::kind::null:
      out += "null";
      return;
    case bj::kind::bool_:
      out += value.get_bool() ? "true" : "false";
      return;
    case bj::kind::int64:
      fmt::format_to(std::back_inserter(out), "{}", value.get_int64());
      return;
    case bj::kind::uint64:
      fmt::format_to(std::back_inserter(out), "{}", value.get_uint64());
      return;
    case bj::kind::double_:
      append_double(out, value.get_double());
      return;
    case bj::kind::string:
      append_string(out, value.get_string());
      return;
    case bj::kind::array:
      out.push_back('[');
      for (const Json& element : value.get_array()) {
        if (!first) out.push_back(',');
        first = false;
        new_line(inner);
        append_value(out, element, inner);
      }
      if (!first) new_line(indent);
      out.push_back(']');
      return;
    case bj::kind::object:
      out.push_back('{');
      for (const auto& member : value.get_object()) {
        if (!first) out.push_back(',');
        first = false;
        new_line(inner);
        append_string(out, member.key());
        out += indent < 0 ? ":" : ": ";
        append_value(out, member.value(), inner);
      }
      if (!first) new_line(indent);
      out.push_back('}');
      return;
  }
}

/// Splits off the first step of a dotted path.
std::string_view next_step(std::string_view& path) {
  const std::size_t dot = path.find('.');
  const std::string_view step = path.substr(0, dot);
  path = dot == std::string_view::npos ? std::string_view() : path.substr(dot + 1);
  return step;
}

}  // namespace

Result<Json> parse_json(std::string_view text) {
  bj::parse_options options;
  options.max_depth = kMaxDepth;
  bj::basic_parser<TreeBuilder> parser(options);
  error_code failure;
  const std::size_t used = parser.write_some(false, text.data(), text.size(), failure);
  if (!failure && used < text.size()) failure = make_error_code(bj::error::extra_data);
  if (!failure) return parser.handler().take();
  if (!parser.handler().duplicate().empty()) {
    return Error(Code::kBadRequest, fmt::format("the JSON has the key \"{}\" twice in one object",
                                                parser.handler().duplicate()));
  }
  return Error(Code::kBadRequest,
               fmt::format("the body is not JSON: {} near byte {}", failure.message(), used));
}

std::string to_text(const Json& value) {
  std::string out;
  append_value(out, value, -1);
  return out;
}

void append_text(std::string& out, const Json& value) {
  append_value(out, value, -1);
}

std::string to_pretty_text(const Json& value) {
  std::string out;
  append_value(out, value, 0);
  return out;
}

const Json* find(const Json& root, std::string_view path) {
  const Json* here = &root;
  while (!path.empty() && here != nullptr) {
    const std::string_view step = next_step(path);
    here = here->is_object() ? here->get_object().if_contains(step) : nullptr;
  }
  return here;
}

Json* find(Json& root, std::string_view path) {
  return const_cast<Json*>(find(static_cast<const Json&>(root), path));
}

std::string_view string_at(const Json& root, std::string_view path, std::string_view fallback) {
  const Json* value = find(root, path);
  if (value == nullptr || !value->is_string()) return fallback;
  return {value->get_string().data(), value->get_string().size()};
}

std::int64_t int_at(const Json& root, std::string_view path, std::int64_t fallback) {
  const Json* value = find(root, path);
  return value != nullptr && value->is_int64() ? value->get_int64() : fallback;
}

bool bool_at(const Json& root, std::string_view path, bool fallback) {
  const Json* value = find(root, path);
  return value != nullptr && value->is_bool() ? value->get_bool() : fallback;
}

const JsonObject& object_at(const Json& root, std::string_view path) {
  static const JsonObject kEmpty;
  const Json* value = find(root, path);
  return value != nullptr && value->is_object() ? value->get_object() : kEmpty;
}

const JsonArray& array_at(const Json& root, std::string_view path) {
  static const JsonArray kEmpty;
  const Json* value = find(root, path);
  return value != nullptr && value->is_array() ? value->get_array() : kEmpty;
}

Json& make_path(Json& root, std::string_view path) {
  Json* here = &root;
  while (!path.empty()) {
    if (!here->is_object()) here->emplace_object();
    here = &here->get_object()[next_step(path)];
  }
  return *here;
}

std::string to_string(const JsonString& text) {
  return {text.data(), text.size()};
}

}  // namespace trainyard
