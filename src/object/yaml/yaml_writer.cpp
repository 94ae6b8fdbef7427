#include "object/yaml/yaml.h"
#include "object/yaml/yaml_scalars.h"

#include <fmt/format.h>

#include <string>

namespace trainyard {
namespace {

/// The number of the character at the beginning of `text` when it may not stand there as it is:
/// YAML takes some for the end of a line, and refuses others. 0 when it may.
unsigned character_to_escape(std::string_view text) {
  const auto byte = [&](std::size_t i) {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U;
  };
  if (byte(0) == 0x7f) return 0x7f;
  if (byte(0) == 0xc2 && byte(1) < 0xa0) return byte(1);  // among them U+0085, the next line
  if (byte(0) == 0xe2 && byte(1) == 0x80 && (byte(2) | 1U) == 0xa9) return 0x2000 + byte(2) - 0x80;
  if (byte(0) == 0xef && byte(1) == 0xbb && byte(2) == 0xbf) return 0xfeff;
  if (byte(0) == 0xef && byte(1) == 0xbf && byte(2) >= 0xbe) return 0xff40 + byte(2);
  return 0;
}

/// Double-quoted, which is JSON's quoting and some more.
void append_quoted(std::string& out, const Json& text) {
  const std::string json = to_text(text);
  for (std::size_t i = 0; i < json.size(); ++i) {
    const unsigned number = character_to_escape(std::string_view(json).substr(i));
    if (number == 0) {
      out += json[i];
      continue;
    }
    out += fmt::format("\\u{:04x}", number);
    i += number < 0x80 ? 0 : number < 0x800 ? 1 : 2;
  }
}

bool needs_quotes(std::string_view text) {
  if (text.empty() || text.front() == ' ' || text.back() == ' ') return true;
  if (!resolve_plain(text).is_string() || plain_not_finite(text)) return true;
  if (text == "<<" || text.starts_with("...")) return true;
  static constexpr std::string_view kIndicators = "-?:,[]{}#&*!|>'\"%@`";
  if (kIndicators.find(text.front()) != std::string_view::npos) return true;
  if (text.back() == ':') return true;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (static_cast<unsigned char>(text[i]) < 0x20) return true;
    if (character_to_escape(text.substr(i)) != 0) return true;
    if (text[i] == ':' && i + 1 < text.size() && text[i + 1] == ' ') return true;
    if (text[i] == '#' && i > 0 && text[i - 1] == ' ') return true;
  }
  return false;
}

void append_scalar(std::string& out, const Json& value) {
  if (value.is_string()) {
    const std::string_view text(value.get_string().data(), value.get_string().size());
    if (needs_quotes(text)) {
      append_quoted(out, value);
    } else {
      out += text;
    }
    return;
  }
  append_text(out, value);
}

bool is_block(const Json& value) {
  return (value.is_object() && !value.get_object().empty()) ||
         (value.is_array() && !value.get_array().empty());
}

void append_yaml(std::string& out, const Json& value, std::size_t indent, bool first_inline) {
  bool pad = !first_inline;
  const auto begin_line = [&] {
    if (pad) out.append(indent, ' ');
    pad = true;
  };
  if (value.is_object()) {
    for (const auto& member : value.get_object()) {
      begin_line();
      append_scalar(out, Json(member.key()));
      out += ':';
      if (is_block(member.value())) {
        out += '\n';
        append_yaml(out, member.value(), indent + (member.value().is_object() ? 2 : 0), false);
      } else {
        out += ' ';
        append_scalar(out, member.value());
        out += '\n';
      }
    }
    return;
  }
  for (const Json& element : value.get_array()) {
    begin_line();
    out += "- ";
    if (is_block(element)) {
      append_yaml(out, element, indent + 2, true);
    } else {
      append_scalar(out, element);
      out += '\n';
    }
  }
}

}  // namespace

std::string to_yaml(const Json& value) {
  std::string out;
  if (is_block(value)) {
    append_yaml(out, value, 0, false);
  } else {
    append_scalar(out, value);
    out += '\n';
  }
  return out;
}

}  // namespace trainyard
