#pragma once

#include "object/json/json.h"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace trainyard {

/// Reads YAML as kubectl does (go-yaml v2's rules: plain yes/no/on/off are booleans, 010 is octal,
/// 1_000 an integer), one tree a document; empty documents are left out. Lines that begin with ---
/// part the documents, even inside quotes. Errors name line and column. Duplicate keys, alias bombs
/// and nesting beyond kMaxDepth are errors.
Result<std::vector<Json>> parse_yaml(std::string_view text);

/// On which line of a text each field of a document stands, by its path: `spec.tasks.0.name`; the
/// document itself has none.
using YamlLines = std::map<std::string, std::size_t>;
/// The same, and where things stand, one entry a document.
Result<std::vector<Json>> parse_yaml(std::string_view text, std::vector<YamlLines>& lines);

/// JSON when it begins with '{', else YAML: what a body or a file may hold.
Result<Json> parse_json_or_yaml(std::string_view text);
/// Also when keys occur twice: the last one counts, and each is told of in a sentence.
Result<Json> parse_json_or_yaml(std::string_view text, std::vector<std::string>& duplicates);

/// Writes block style, quoting only what would be read back as another type.
std::string to_yaml(const Json& value);

}  // namespace trainyard
