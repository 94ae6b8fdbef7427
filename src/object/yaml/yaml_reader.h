#pragma once

#include "object/yaml/yaml.h"

#include <string>
#include <string_view>
#include <vector>

namespace trainyard {

/// Where something stands in a text, counted from 0.
struct YamlPlace {
  std::size_t line = 0;
  std::size_t column = 0;
};
Error yaml_error(YamlPlace place, std::string_view message);

/// Reads documents of one text, each from a part of it. The limit on what they stand for is one for
/// all of them.
class YamlReader {
 public:
  /// `size` is that of the whole text. `duplicates`: where to tell of keys that occur twice, of
  /// which the last counts; null: they are errors.
  YamlReader(std::size_t size, std::vector<std::string>* duplicates);

  /// Adds the document, if any, of a part of the text that begins after `first_line` lines; with
  /// `lines`, also where its fields stand.
  Result<> read(std::string_view part, std::size_t first_line, std::vector<Json>& documents,
                std::vector<YamlLines>* lines);

 private:
  std::size_t values_left_;
  std::vector<std::string>* duplicates_;
};

}  // namespace trainyard
