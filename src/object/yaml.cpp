#include "object/yaml.h"

#include "object/json_duplicates.h"
#include "object/utf8.h"
#include "object/yaml_nesting.h"

#include <fmt/format.h>
#include <yaml-cpp/anchor.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <sstream>
#include <string>

namespace trainyard {
namespace {

// An alias bomb of nine short lines stands for 10^9 nodes: count what is made, not what is read.
// Long texts count as several nodes, since aliases repeat them too. Without aliases there are never
// more nodes than bytes.
constexpr std::size_t kMaxNodes = 1'000'000;
constexpr std::size_t kNodesBesideText = 10'000;
constexpr std::size_t kNodesOfOneByte = 4;
constexpr std::size_t kTextOfOneNode = 64;
constexpr int kMostParts = 100;  // documents between two lines of ---; all but one must be empty
constexpr std::string_view kMoreFollows = "more follows the end of the document without ---";
// Each costs some microseconds, also when there is nothing in it.
constexpr std::size_t kMaxDocuments = 20'000;
// Brackets beyond this are refused before they are read: far more than kMaxDepth, which counts them
// exactly but late.
constexpr std::size_t kMaxBrackets = 10'000;

std::optional<bool> plain_bool(std::string_view text) {
  for (const char* word :
       {"y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"}) {
    if (text == word) return true;
  }
  for (const char* word :
       {"n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF"}) {
    if (text == word) return false;
  }
  return std::nullopt;
}

bool plain_null(std::string_view text) {
  return text.empty() || text == "~" || text == "null" || text == "Null" || text == "NULL";
}

/// Go's ParseInt with base 0, after underscores were taken out.
std::optional<Json> plain_integer(std::string_view text) {
  std::string digits;
  for (const char c : text) {
    if (c != '_') digits.push_back(c);
  }
  std::string_view rest = digits;
  const bool negative = !rest.empty() && rest[0] == '-';
  if (!rest.empty() && (rest[0] == '-' || rest[0] == '+')) rest.remove_prefix(1);
  int base = 10;
  const auto take_prefix = [&](std::string_view lower, std::string_view upper, int value) {
    if (rest.starts_with(lower) || rest.starts_with(upper)) {
      rest.remove_prefix(lower.size());
      base = value;
      return true;
    }
    return false;
  };
  if (!take_prefix("0x", "0X", 16) && !take_prefix("0b", "0B", 2) && !take_prefix("0o", "0O", 8) &&
      rest.size() > 1 && rest[0] == '0') {
    rest.remove_prefix(1);
    base = 8;
  }
  if (rest.empty()) return std::nullopt;
  std::uint64_t value = 0;
  const auto [end, problem] = std::from_chars(rest.data(), rest.data() + rest.size(), value, base);
  if (problem != std::errc() || end != rest.data() + rest.size()) return std::nullopt;
  constexpr std::uint64_t kLargest = std::uint64_t{1} << 63;
  if (negative) {
    if (value > kLargest) return std::nullopt;
    return Json(static_cast<std::int64_t>(0 - value));
  }
  if (value < kLargest) return Json(static_cast<std::int64_t>(value));
  return Json(value);
}

/// [-+]? (.digits | digits[.digits]) ([eE][-+]?digits)?
bool looks_like_float(std::string_view text) {
  std::size_t i = 0;
  const auto digits = [&] {
    const std::size_t start = i;
    while (i < text.size() && text[i] >= '0' && text[i] <= '9') ++i;
    return i > start;
  };
  if (i < text.size() && (text[i] == '-' || text[i] == '+')) ++i;
  bool any = digits();
  if (i < text.size() && text[i] == '.') {
    ++i;
    any = digits() || any;
  }
  if (!any) return false;
  if (i < text.size() && (text[i] == 'e' || text[i] == 'E')) {
    ++i;
    if (i < text.size() && (text[i] == '-' || text[i] == '+')) ++i;
    if (!digits()) return false;
  }
  return i == text.size();
}

std::optional<Json> plain_float(std::string_view text) {
  std::string digits;
  for (const char c : text) {
    if (c != '_') digits.push_back(c);
  }
  if (!looks_like_float(digits)) return std::nullopt;
  std::string_view rest = digits;
  if (rest[0] == '+') rest.remove_prefix(1);
  double value = 0;
  const auto [end, problem] = std::from_chars(rest.data(), rest.data() + rest.size(), value);
  if (problem != std::errc() || !std::isfinite(value)) return std::nullopt;
  return Json(value);
}

/// go-yaml reads .inf and .nan as numbers that JSON cannot say.
bool plain_not_finite(std::string_view text) {
  for (const char* word : {".nan", ".NaN", ".NAN"}) {
    if (text == word) return true;
  }
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  return text == ".inf" || text == ".Inf" || text == ".INF";
}

Json resolve_plain(const std::string& text) {
  if (plain_null(text)) return nullptr;
  if (const auto flag = plain_bool(text)) return *flag;
  const char first = text[0];
  if (first == '+' || first == '-' || first == '.' || (first >= '0' && first <= '9')) {
    if (auto number = plain_integer(text)) return *std::move(number);
    if (auto number = plain_float(text)) return *std::move(number);
  }
  return Json(boost::json::string_view(text));
}

Error error_at(const YAML::Mark& mark, std::string_view message) {
  return Error(Code::kBadRequest,
               fmt::format("YAML line {}, column {}: {}", mark.line + 1, mark.column + 1, message));
}

/// Looks at documents without making trees of them.
class Outline final : public YAML::EventHandler {
 public:
  const YAML::Mark& start() const { return start_; }

  void OnDocumentStart(const YAML::Mark& mark) override { start_ = mark; }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark&, YAML::anchor_t) override {}
  void OnAlias(const YAML::Mark&, YAML::anchor_t) override {}
  void OnScalar(const YAML::Mark&, const std::string&, YAML::anchor_t,
                const std::string&) override {}
  void OnSequenceStart(const YAML::Mark&, const std::string&, YAML::anchor_t,
                       YAML::EmitterStyle::value) override {}
  void OnSequenceEnd() override {}
  void OnMapStart(const YAML::Mark&, const std::string&, YAML::anchor_t,
                  YAML::EmitterStyle::value) override {}
  void OnMapEnd() override {}

 private:
  YAML::Mark start_;
};

/// Makes trees of the documents of one text.
class Converter {
 public:
  /// `size` is that of the whole text; `duplicates`: where to tell of keys that occur twice, null:
  /// they are errors.
  Converter(std::size_t size, std::vector<std::string>* duplicates)
      : nodes_left_(std::min(kMaxNodes, kNodesBesideText + kNodesOfOneByte * size)),
        duplicates_(duplicates) {}

  /// Adds the document, if any, of a part of the text that begins after `line` lines.
  Result<> read(std::string_view part, int line, std::vector<Json>& documents) {
    line_ = line;
    // yaml-cpp takes the end of the text for the end of quotes that were left open, but not the end
    // of a document.
    std::string closed(part);
    if (!part.ends_with('\n')) closed += '\n';
    closed += "...\n";
    try {
      TRY_OK(check_end(closed));
      bool found = false;
      for (const YAML::Node& node : YAML::LoadAll(closed)) {
        TRY(Json value, convert(node, 0));
        if (value.is_null()) continue;
        // kubectl passes over all that follows, which nobody means.
        if (found) return error(node.Mark(), kMoreFollows);
        documents.push_back(std::move(value));
        found = true;
      }
    } catch (const YAML::Exception& failure) {
      return error(failure.mark, failure.msg);
    }
    return Ok();
  }

 private:
  Error error(YAML::Mark mark, std::string_view message) const {
    mark.line += line_;
    return error_at(mark, message);
  }

  /// yaml-cpp finds empty documents without end where it cannot go on, as after "a","b".
  Result<> check_end(const std::string& text) const {
    std::istringstream stream(text);
    YAML::Parser parser(stream);
    Outline outline;
    for (int count = 0; parser.HandleNextDocument(outline); ++count) {
      if (count > kMostParts) return error(outline.start(), kMoreFollows);
    }
    return Ok();
  }

  Result<Json> convert(const YAML::Node& node, std::size_t depth) {
    if (depth > kMaxDepth) {
      return error(node.Mark(), fmt::format("nested more than {} levels deep", kMaxDepth));
    }
    TRY_OK(count(node, node.IsScalar() ? node.Scalar().size() : 0));
    switch (node.Type()) {
      case YAML::NodeType::Undefined:
      case YAML::NodeType::Null:
        return Json(nullptr);
      case YAML::NodeType::Scalar:
        return scalar(node);
      case YAML::NodeType::Sequence:
        return sequence(node, depth);
      case YAML::NodeType::Map:
        return mapping(node, depth);
    }
    return Json(nullptr);
  }

  Result<> count(const YAML::Node& node, std::size_t text_size) {
    const std::size_t cost = 1 + text_size / kTextOfOneNode;
    if (cost > nodes_left_) {
      return error(node.Mark(), "its aliases stand for many times what is written");
    }
    nodes_left_ -= cost;
    return Ok();
  }

  Result<Json> scalar(const YAML::Node& node) const {
    const std::string& tag = node.Tag();
    const std::string& text = node.Scalar();
    if (tag == "!" || tag == "tag:yaml.org,2002:str") return Json(boost::json::string_view(text));
    if (tag != "?" && !tag.empty() && !tag.starts_with("tag:yaml.org,2002:")) {
      return error(node.Mark(), fmt::format("the tag {} has no meaning here", tag));
    }
    if (plain_not_finite(text)) return error(node.Mark(), fmt::format("{} is no number", text));
    return resolve_plain(text);
  }

  /// Numbers and booleans become text as in kubectl: `yes: 1` has the key "true".
  Result<std::string> key_text(const YAML::Node& node) const {
    if (!node.IsScalar()) return error(node.Mark(), "a key must be text");
    TRY(const Json key, scalar(node));
    return key.is_string() ? to_string(key.get_string()) : to_text(key);
  }

  Result<Json> sequence(const YAML::Node& node, std::size_t depth) {
    JsonArray elements;
    for (const YAML::Node& element : node) {
      TRY(Json value, convert(element, depth + 1));
      elements.push_back(std::move(value));
    }
    return Json(std::move(elements));
  }

  Result<Json> mapping(const YAML::Node& node, std::size_t depth) {
    JsonObject members;
    std::vector<YAML::Node> merged;
    for (const auto& member : node) {
      TRY(const std::string key, key_text(member.first));
      TRY_OK(count(member.first, key.size()));
      if (key == "<<" && member.first.Tag() == "?") {
        merged.push_back(member.second);
        continue;
      }
      if (members.contains(key)) TRY_OK(tell_of_duplicate(member.first.Mark(), key));
      TRY(Json value, convert(member.second, depth + 1));
      members.insert_or_assign(key, std::move(value));
    }
    for (const YAML::Node& source : merged) TRY_OK(merge(members, source, depth));
    return Json(std::move(members));
  }

  Result<> tell_of_duplicate(const YAML::Mark& mark, const std::string& key) {
    if (duplicates_ == nullptr) return error(mark, fmt::format("the key \"{}\" occurs twice", key));
    if (duplicates_->size() >= kMostDuplicates) return Ok();
    duplicates_->push_back(
        fmt::format("line {}: key \"{}\" already set in map", mark.line + line_ + 1, key));
    return Ok();
  }

  /// `<<: *base`: what the mapping itself says wins.
  Result<> merge(JsonObject& members, const YAML::Node& source, std::size_t depth) {
    if (source.IsSequence()) {
      for (const YAML::Node& one : source) TRY_OK(merge(members, one, depth + 1));
      return Ok();
    }
    if (!source.IsMap()) return error(source.Mark(), "<< takes a mapping");
    TRY(Json base, convert(source, depth + 1));
    for (auto& member : base.get_object()) {
      if (!members.contains(member.key())) members.emplace(member.key(), member.value());
    }
    return Ok();
  }

  std::size_t nodes_left_;
  std::vector<std::string>* duplicates_;
  int line_ = 0;
};

bool is_control(char c) {
  return static_cast<unsigned char>(c) < 0x20 && c != '\t' && c != '\n' && c != '\r';
}

/// yaml-cpp lets any byte pass, and takes 0x04 for the end of the text.
Result<> check_characters(std::string_view text) {
  YAML::Mark mark;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t size = character_size(text.substr(at));
    if (size == 0 || is_control(text[at])) {
      return error_at(mark, "the text must be UTF-8 without control characters");
    }
    ++mark.column;
    if (text[at] == '\n') {
      ++mark.line;
      mark.column = 0;
    }
    at += size;
  }
  return Ok();
}

bool needs_quotes(std::string_view text) {
  if (text.empty() || text.front() == ' ' || text.back() == ' ') return true;
  if (!resolve_plain(std::string(text)).is_string() || plain_not_finite(text)) return true;
  if (text == "<<" || text.starts_with("...") || text.starts_with("\xef\xbb\xbf")) return true;
  static constexpr std::string_view kIndicators = "-?:,[]{}#&*!|>'\"%@`";
  if (kIndicators.find(text.front()) != std::string_view::npos) return true;
  if (text.back() == ':') return true;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (static_cast<unsigned char>(text[i]) < 0x20) return true;
    if (text[i] == ':' && i + 1 < text.size() && text[i + 1] == ' ') return true;
    if (text[i] == '#' && i > 0 && text[i - 1] == ' ') return true;
  }
  return false;
}

void append_scalar(std::string& out, const Json& value) {
  if (value.is_string()) {
    const std::string_view text(value.get_string().data(), value.get_string().size());
    if (!needs_quotes(text)) {
      out += text;
      return;
    }
  }
  append_text(out, value);  // JSON's quoting is YAML's double-quoted style
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

// kubectl cuts the text before it reads any YAML: a line that begins with --- ends a document,
// wherever it is, and may hold nothing else but a comment.
Result<std::vector<Json>> read_documents(std::string_view text,
                                         std::vector<std::string>* duplicates) {
  TRY_OK(check_characters(text));
  if (bracket_depth(text, kMaxBrackets) >= kMaxBrackets) {
    return Error(Code::kBadRequest,
                 fmt::format("the YAML is nested more than {} levels deep", kMaxDepth));
  }
  std::vector<Json> documents;
  Converter converter(text.size(), duplicates);
  std::size_t start = 0;
  YAML::Mark mark;
  int first_line = 0;
  std::size_t separators = 0;
  for (std::size_t at = 0; at < text.size(); ++mark.line) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = text.substr(at, end - at);
    if (line.starts_with("---")) {
      const std::size_t rest = line.find_first_not_of(" \t\r", 3);
      if (rest != std::string_view::npos && line[rest] != '#') {
        return error_at(mark, fmt::format("invalid Yaml document separator: {}", line.substr(3)));
      }
      if (++separators > kMaxDocuments) {
        return error_at(mark, fmt::format("more than {} documents in one text", kMaxDocuments));
      }
      TRY_OK(converter.read(text.substr(start, at - start), first_line, documents));
      start = std::min(end + 1, text.size());
      first_line = mark.line + 1;
    }
    at = end + 1;
  }
  TRY_OK(converter.read(text.substr(start), first_line, documents));
  return documents;
}

bool is_json(std::string_view text) {
  const std::size_t start = text.find_first_not_of(" \t\r\n");
  return start != std::string_view::npos && text[start] == '{';
}

Result<Json> read_one_document(std::string_view text, std::vector<std::string>* duplicates) {
  TRY(std::vector<Json> documents, read_documents(text, duplicates));
  if (documents.empty()) return Error(Code::kBadRequest, "the text holds no object");
  if (documents.size() > 1) {
    return Error(Code::kBadRequest, "the text holds several objects where one is expected");
  }
  return std::move(documents[0]);
}

}  // namespace

Result<std::vector<Json>> parse_yaml(std::string_view text) {
  return read_documents(text, nullptr);
}

Result<Json> parse_json_or_yaml(std::string_view text) {
  return is_json(text) ? parse_json(text) : read_one_document(text, nullptr);
}

Result<Json> parse_json_or_yaml(std::string_view text, std::vector<std::string>& duplicates) {
  return is_json(text) ? parse_json(text, duplicates) : read_one_document(text, &duplicates);
}

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
