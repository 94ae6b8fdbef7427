#include "object/values/formats.h"
#include "object/values/pattern.h"

#include <algorithm>
#include <arpa/inet.h>
#include <string>

namespace trainyard::formats {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool is_hex(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

/// At most three digits; leading zeros count as decimal, as old manifests have them.
bool is_octet(std::string_view text) {
  if (text.empty() || !std::all_of(text.begin(), text.end(), is_digit)) return false;
  while (text.size() > 1 && text.front() == '0') text.remove_prefix(1);
  return text.size() < 3 || (text.size() == 3 && text <= "255");
}

bool is_dotted_quad(std::string_view text) {
  for (int part = 0; part < 3; ++part) {
    const std::size_t dot = text.find('.');
    if (dot == std::string_view::npos || !is_octet(text.substr(0, dot))) return false;
    text.remove_prefix(dot + 1);
  }
  return is_octet(text);
}

bool is_colon_address(std::string_view text) {
  in6_addr address{};
  return text.find('\0') == std::string_view::npos &&
         inet_pton(AF_INET6, std::string(text).c_str(), &address) == 1;
}

/// Percent signs must be followed by two hexadecimal digits.
bool has_good_escapes(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') continue;
    if (i + 2 >= text.size() || !is_hex(text[i + 1]) || !is_hex(text[i + 2])) return false;
  }
  return true;
}

bool is_port(std::string_view text) {
  return text.empty() ||
         (text.front() == ':' && std::all_of(text.begin() + 1, text.end(), is_digit));
}

bool is_uri_host(std::string_view host) {
  if (host.starts_with('[')) {
    const std::size_t end = host.rfind(']');
    if (end == std::string_view::npos || !is_port(host.substr(end + 1))) return false;
    const std::string_view address = host.substr(1, end - 1);
    return is_colon_address(address.substr(0, address.find("%25")));
  }
  const std::size_t colon = host.rfind(':');
  if (colon != std::string_view::npos && !is_port(host.substr(colon))) return false;
  constexpr std::string_view kAllowed = "-._~!$&'()*+,;=:[]<>\"%";
  const bool plain = std::all_of(host.begin(), host.end(), [&](char c) {
    return is_letter(c) || is_digit(c) || (static_cast<unsigned char>(c) & 0x80U) != 0 ||
           kAllowed.find(c) != std::string_view::npos;
  });
  return plain && has_good_escapes(host) && host.find('[') == std::string_view::npos;
}

bool is_authority(std::string_view authority) {
  const std::size_t at = authority.rfind('@');
  if (at == std::string_view::npos) return is_uri_host(authority);
  const std::string_view user = authority.substr(0, at);
  constexpr std::string_view kAllowed = "-._:~!$&'()*+,;=%@";
  const bool plain = std::all_of(user.begin(), user.end(), [&](char c) {
    return is_letter(c) || is_digit(c) || kAllowed.find(c) != std::string_view::npos;
  });
  return plain && has_good_escapes(user) && is_uri_host(authority.substr(at + 1));
}

/// How many characters before the colon are a scheme's name; 0 when there is none.
std::size_t scheme_size(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == ':') return i;
    const bool later =
        i > 0 && (is_digit(text[i]) || text[i] == '+' || text[i] == '-' || text[i] == '.');
    if (!is_letter(text[i]) && !later) return 0;
  }
  return 0;
}

/// Reads an address of RFC 5322: ann@example.com, or Ann <ann@example.com>.
class MailReader {
 public:
  explicit MailReader(std::string_view text) : rest_(text) {}

  bool is_mailbox() {
    skip_blanks();
    const std::string_view start = rest_;
    if (address()) return ends();
    rest_ = start;
    while (word()) skip_blanks();
    return take('<') && address() && take('>') && ends();
  }

 private:
  bool take(char c) {
    if (!rest_.starts_with(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }
  void skip_blanks() {
    while (rest_.starts_with(' ') || rest_.starts_with('\t')) rest_.remove_prefix(1);
  }
  /// A comment in parentheses may follow.
  bool ends() {
    skip_blanks();
    while (take('(')) {
      int depth = 1;
      while (depth > 0 && !rest_.empty()) {
        if (rest_.front() == '\\' && rest_.size() > 1)
          rest_.remove_prefix(1);
        else if (rest_.front() == '(')
          ++depth;
        else if (rest_.front() == ')')
          --depth;
        rest_.remove_prefix(1);
      }
      if (depth > 0) return false;
      skip_blanks();
    }
    return rest_.empty();
  }
  bool address() {
    skip_blanks();
    const bool local = rest_.starts_with('"') ? quoted() > 2 : dotted_word();
    if (!local || !take('@')) return false;
    skip_blanks();
    if (!rest_.starts_with('[')) return dotted_word();
    const std::size_t end = rest_.find(']');
    if (end == std::string_view::npos) return false;
    const std::string_view literal = rest_.substr(1, end - 1);
    rest_.remove_prefix(end + 1);
    return is_colon_address(literal) || is_dotted_quad(literal);
  }
  bool word() { return rest_.starts_with('"') ? quoted() >= 2 : !take_atom().empty(); }
  bool dotted_word() {
    const std::string_view atom = take_atom();
    return !atom.empty() && atom.front() != '.' && atom.back() != '.' &&
           atom.find("..") == std::string_view::npos;
  }
  std::string_view take_atom() {
    constexpr std::string_view kSpecial = "()<>[]:;@\\,\"";
    const auto end = std::find_if(rest_.begin(), rest_.end(), [&](char c) {
      return static_cast<unsigned char>(c) <= ' ' || c == 0x7f ||
             kSpecial.find(c) != std::string_view::npos;
    });
    const std::string_view atom = rest_.substr(0, static_cast<std::size_t>(end - rest_.begin()));
    rest_.remove_prefix(atom.size());
    return atom;
  }
  /// The size of the quoted text with its quotes; 0 when it does not end.
  std::size_t quoted() {
    for (std::size_t i = 1; i < rest_.size(); ++i) {
      const auto c = static_cast<unsigned char>(rest_[i]);
      if (c == '"') {
        rest_.remove_prefix(i + 1);
        return i + 1;
      }
      if ((c < ' ' && c != '\t') || c == 0x7f) return 0;
      if (c == '\\') ++i;
    }
    return 0;
  }

  std::string_view rest_;
};

}  // namespace

bool is_ipv4(std::string_view text) {
  const bool mapped = text.find('.') != std::string_view::npos && is_colon_address(text);
  return is_dotted_quad(text) || mapped;  // ::ffff:1.2.3.4 too
}

bool is_ipv6(std::string_view text) {
  return is_colon_address(text);
}

bool is_cidr(std::string_view text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos) return false;
  const std::string_view address = text.substr(0, slash);
  const std::string_view bits = text.substr(slash + 1);
  if (bits.empty() || !std::all_of(bits.begin(), bits.end(), is_digit) || !is_octet(bits)) {
    return false;
  }
  const int most = is_dotted_quad(address) ? 32 : is_colon_address(address) ? 128 : -1;
  int count = 0;
  for (const char c : bits) count = count * 10 + (c - '0');
  return count <= most;
}

bool is_mac(std::string_view text) {
  static const Pattern kForm = *Pattern::compile(
      "^([0-9a-fA-F]{2}(:[0-9a-fA-F]{2})+|[0-9a-fA-F]{2}(-[0-9a-fA-F]{2})+|"
      "[0-9a-fA-F]{4}(\\.[0-9a-fA-F]{4})+|[0-9a-fA-F]+)$");
  const auto digits = std::count_if(text.begin(), text.end(), is_hex);
  return (digits == 12 || digits == 16 || digits == 40) && kForm.occurs_in(text);
}

bool is_hostname(std::string_view text) {
  // Letters and symbols of all scripts may stand in labels; the last of several is letters only.
  static const Pattern kSingle =
      *Pattern::compile("^[a-zA-Z0-9\\p{S}\\p{L}](-?[a-zA-Z0-9\\p{S}\\p{L}]*)$");
  static const Pattern kDotted = *Pattern::compile(
      "^([a-zA-Z0-9\\p{S}\\p{L}]([-a-zA-Z0-9\\p{S}\\p{L}]*[a-zA-Z0-9\\p{S}\\p{L}])?\\.)+"
      "[a-zA-Z\\p{L}]{2,}$");
  if (text.size() > 255 || !(kSingle.occurs_in(text) || kDotted.occurs_in(text))) return false;
  while (true) {
    const std::size_t dot = text.find('.');
    if (text.substr(0, dot).size() > 63) return false;
    if (dot == std::string_view::npos) return true;
    text.remove_prefix(dot + 1);
  }
}

bool is_email(std::string_view text) {
  return MailReader(text).is_mailbox();
}

bool is_uri(std::string_view text) {
  const bool clean = std::none_of(text.begin(), text.end(), [](char c) {
    return static_cast<unsigned char>(c) < ' ' || c == 0x7f;
  });
  if (!clean || text.empty() || text.front() == ':') return false;
  if (text == "*") return true;
  const std::size_t scheme = scheme_size(text);
  std::string_view rest = scheme == 0 ? text : text.substr(scheme + 1);
  rest = rest.substr(0, rest.find('?'));
  if (!rest.starts_with('/')) return scheme > 0;  // mailto:ann@example.com
  if (scheme > 0 && rest.starts_with("//")) {
    rest.remove_prefix(2);
    const std::size_t slash = std::min(rest.find('/'), rest.size());
    if (!is_authority(rest.substr(0, slash))) return false;
    rest.remove_prefix(slash);
  }
  return has_good_escapes(rest);
}

}  // namespace trainyard::formats
