#include "object/values/names.h"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>

namespace trainyard {
namespace {

constexpr std::size_t kLongestLabel = 63;
constexpr std::size_t kLongestSubdomain = 253;

// The expressions that messages quote.
constexpr std::string_view kLabelForm = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
constexpr std::string_view kDns1035Form = "[a-z]([-a-z0-9]*[a-z0-9])?";
constexpr std::string_view kQualifiedForm = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]";

bool is_lower(char c) {
  return c >= 'a' && c <= 'z';
}
bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_alphanumeric(char c) {
  return is_lower(c) || is_digit(c) || (c >= 'A' && c <= 'Z');
}

bool is_label(std::string_view name) {
  if (name.empty() || name.front() == '-' || name.back() == '-') return false;
  return std::all_of(name.begin(), name.end(),
                     [](char c) { return is_lower(c) || is_digit(c) || c == '-'; });
}

bool is_subdomain(std::string_view name) {
  while (true) {
    const std::size_t dot = name.find('.');
    if (!is_label(name.substr(0, dot))) return false;
    if (dot == std::string_view::npos) return true;
    name.remove_prefix(dot + 1);
  }
}

/// The part after the slash of a qualified name, or a label's value when it is not empty.
bool is_qualified_part(std::string_view name) {
  if (name.empty() || !is_alphanumeric(name.front()) || !is_alphanumeric(name.back())) return false;
  return std::all_of(name.begin(), name.end(),
                     [](char c) { return is_alphanumeric(c) || c == '-' || c == '_' || c == '.'; });
}

std::string too_long(std::size_t most) {
  return fmt::format("must be no more than {} characters", most);
}

std::string not_of_form(std::string_view rule, std::initializer_list<std::string_view> examples,
                        std::string_view form) {
  std::string text = fmt::format("{} (e.g. ", rule);
  std::string_view separator;
  for (const std::string_view example : examples) {
    text += fmt::format("{}'{}', ", separator, example);
    separator = " or ";  // with the blank before it, kube-apiserver's own slip
  }
  return text + fmt::format("regex used for validation is '{}')", form);
}

std::string not_qualified() {
  return not_of_form(
      "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an "
      "alphanumeric character",
      {"MyName", "my.name", "123-abc"}, kQualifiedForm);
}

}  // namespace

std::vector<std::string> label_problems(std::string_view name) {
  std::vector<std::string> problems;
  if (name.size() > kLongestLabel) problems.push_back(too_long(kLongestLabel));
  if (is_label(name)) return problems;
  if (is_subdomain(name)) {
    problems.emplace_back("must not contain dots");
  } else {
    problems.push_back(not_of_form(
        "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and "
        "must start and end with an alphanumeric character",
        {"my-name", "123-abc"}, kLabelForm));
  }
  return problems;
}

std::vector<std::string> subdomain_problems(std::string_view name) {
  std::vector<std::string> problems;
  if (name.size() > kLongestSubdomain) problems.push_back(too_long(kLongestSubdomain));
  if (!is_subdomain(name)) {
    problems.push_back(not_of_form(
        "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or "
        "'.', and must start and end with an alphanumeric character",
        {"example.com"}, fmt::format("{0}(\\.{0})*", kLabelForm)));
  }
  return problems;
}

std::vector<std::string> dns1035_label_problems(std::string_view name) {
  std::vector<std::string> problems;
  if (name.size() > kLongestLabel) problems.push_back(too_long(kLongestLabel));
  if (!is_label(name) || is_digit(name.front())) {
    problems.push_back(not_of_form(
        "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an "
        "alphabetic character, and end with an alphanumeric character",
        {"my-name", "abc-123"}, kDns1035Form));
  }
  return problems;
}

std::vector<std::string> qualified_name_problems(std::string_view name) {
  std::vector<std::string> problems;
  const std::size_t slash = name.find('/');
  if (slash != std::string_view::npos) {
    const std::string_view prefix = name.substr(0, slash);
    name.remove_prefix(slash + 1);
    if (name.find('/') != std::string_view::npos) {
      return {"a qualified name " + not_qualified() +
              " with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"};
    }
    if (prefix.empty()) problems.emplace_back("prefix part must be non-empty");
    if (!prefix.empty()) {
      for (const std::string& problem : subdomain_problems(prefix)) {
        problems.push_back("prefix part " + problem);
      }
    }
  }
  if (name.empty()) problems.emplace_back("name part must be non-empty");
  if (name.size() > kLongestLabel) problems.push_back("name part " + too_long(kLongestLabel));
  if (!is_qualified_part(name)) problems.push_back("name part " + not_qualified());
  return problems;
}

std::vector<std::string> label_value_problems(std::string_view value) {
  std::vector<std::string> problems;
  if (value.size() > kLongestLabel) problems.push_back(too_long(kLongestLabel));
  if (!value.empty() && !is_qualified_part(value)) {
    problems.push_back(not_of_form(
        "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or "
        "'.', and must start and end with an alphanumeric character",
        {"MyValue", "my_value", "12345"}, fmt::format("({})?", kQualifiedForm)));
  }
  return problems;
}

std::vector<std::string> path_segment_problems(std::string_view name, bool is_prefix) {
  if (!is_prefix && (name == "." || name == "..")) return {fmt::format("may not be '{}'", name)};
  std::vector<std::string> problems;
  for (const char c : {'/', '%'}) {
    if (name.find(c) != std::string_view::npos) {
      problems.push_back(fmt::format("may not contain '{}'", c));
    }
  }
  return problems;
}

std::string join(const std::vector<std::string>& parts, std::string_view separator) {
  return fmt::format("{}", fmt::join(parts, separator));
}

}  // namespace trainyard
