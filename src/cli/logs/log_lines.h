#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace trainyard::cli {

/// Makes one text of the logs of several replicas: whole lines, each behind the name of its
/// replica.
class LineTagger {
 public:
  /// Replicas in the order in which colours are given out; those that are not named get the next.
  /// With one replica or none there are no tags, and bytes pass as they come.
  LineTagger(const std::vector<std::string>& replicas, bool coloured);

  bool tags() const { return tags_; }
  /// What is to be printed now that these bytes have come.
  std::string put(const std::string& replica, std::string_view bytes);
  /// The rest of a line that its replica never ended.
  std::string finish(const std::string& replica);

 private:
  const std::string& tag_of(const std::string& replica);
  std::string tagged(const std::string& replica, std::string_view line);

  bool tags_;
  bool coloured_;
  std::map<std::string, std::string> tags_by_replica_;
  std::map<std::string, std::string> unfinished_;
};

/// Whether this output wants colours: it is a terminal, and nobody asked for none (NO_COLOR).
bool wants_colours(int output = 1);

}  // namespace trainyard::cli
