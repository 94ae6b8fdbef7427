#include "object/yaml/yaml.h"

#include "object/json/utf8.h"
#include "object/yaml/yaml_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

namespace trainyard {
namespace {

// Each costs some microseconds, also when there is nothing in it.
constexpr std::size_t kMostDocuments = 20'000;

bool is_control(char c) {
  return static_cast<unsigned char>(c) < 0x20 && c != '\t' && c != '\n' && c != '\r';
}

/// First, so that the error names the place in the whole text, not in a document.
Result<> check_characters(std::string_view text) {
  YamlPlace place;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t size = character_size(text.substr(at));
    if (size == 0 || is_control(text[at])) {
      return yaml_error(place, "the text must be UTF-8 without control characters");
    }
    ++place.column;
    if (text[at] == '\n') {
      ++place.line;
      place.column = 0;
    }
    at += size;
  }
  return Ok();
}

// kubectl cuts the text before it reads any YAML: a line that begins with --- ends a document,
// wherever it is, and may hold nothing else but a comment.
Result<std::vector<Json>> read_documents(std::string_view text,
                                         std::vector<std::string>* duplicates,
                                         std::vector<YamlLines>* lines = nullptr) {
  TRY_OK(check_characters(text));
  std::vector<Json> documents;
  YamlReader reader(text.size(), duplicates);
  std::size_t start = 0;
  YamlPlace place;
  std::size_t first_line = 0;
  std::size_t separators = 0;
  for (std::size_t at = 0; at < text.size(); ++place.line) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = text.substr(at, end - at);
    if (line.starts_with("---")) {
      const std::size_t rest = line.find_first_not_of(" \t\r", 3);
      if (rest != std::string_view::npos && line[rest] != '#') {
        return yaml_error(place,
                          fmt::format("invalid Yaml document separator: {}", line.substr(3)));
      }
      if (++separators > kMostDocuments) {
        return yaml_error(place, fmt::format("more than {} documents in one text", kMostDocuments));
      }
      TRY_OK(reader.read(text.substr(start, at - start), first_line, documents, lines));
      start = std::min(end + 1, text.size());
      first_line = place.line + 1;
    }
    at = end + 1;
  }
  TRY_OK(reader.read(text.substr(start), first_line, documents, lines));
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

Result<std::vector<Json>> parse_yaml(std::string_view text, std::vector<YamlLines>& lines) {
  return read_documents(text, nullptr, &lines);
}

Result<Json> parse_json_or_yaml(std::string_view text) {
  return is_json(text) ? parse_json(text) : read_one_document(text, nullptr);
}

Result<Json> parse_json_or_yaml(std::string_view text, std::vector<std::string>& duplicates) {
  return is_json(text) ? parse_json(text, duplicates) : read_one_document(text, &duplicates);
}

}  // namespace trainyard
