#pragma once

#include <string>
#include <vector>

namespace trainyard::cli::arena {

/// Text in columns. A column is as wide as its longest cell and two blanks more, measured over the
/// rows one after another that have it; a line of free text ends the table above it. The last cell
/// of a row is as long as it is, and no line ends in blanks.
class ElasticTable {
 public:
  ElasticTable& row(std::vector<std::string> cells);
  /// A line without columns.
  ElasticTable& line(std::string text = "");
  /// `indent` stands before each line that is not empty.
  std::string text(const std::string& indent = "") const;

 private:
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace trainyard::cli::arena
