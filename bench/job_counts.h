#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <unordered_set>

namespace trainyard::bench {

/// The value of the first text member of that name in the text of an object; empty: there is none.
inline std::string_view text_member(std::string_view text, std::string_view quoted_name) {
  const std::size_t at = text.find(quoted_name);
  if (at == std::string_view::npos) return {};
  const std::size_t begin = at + quoted_name.size() + 2;  // :"
  return text.substr(begin, text.find('"', begin) - begin);
}

inline std::string version_in(std::string_view line) {
  return std::string(text_member(line, "\"resourceVersion\""));
}

inline bool is_error(std::string_view line) {
  return line.starts_with(R"({"type":"ERROR")");
}

/// Whether an object has a condition of that type that is true.
inline bool has_condition(std::string_view line, std::string_view quoted_type) {
  for (std::size_t at = line.find(quoted_type); at != std::string_view::npos;
       at = line.find(quoted_type, at + 1)) {
    const std::size_t begin = line.rfind('{', at);
    const std::string_view condition = line.substr(begin, line.find('}', at) - begin);
    if (condition.find(R"("type":)") == std::string_view::npos) continue;
    if (condition.find(R"("status":"True")") != std::string_view::npos) return true;
  }
  return false;
}

/// What watches have told of pods and jobs. Events are searched, not read: the one who measures
/// must not be slower than what is measured.
class JobCounts {
 public:
  void take_pod(std::string_view line) {
    const std::string name(text_member(line, "\"name\""));
    if (line.starts_with(R"({"type":"DELETED")")) {
      pods_.erase(name);
      running_.erase(name);
      return;
    }
    pods_.insert(name);
    const std::size_t status = line.rfind(R"("status":{)");
    const bool runs = status != std::string_view::npos &&
                      line.find(R"("phase":"Running")", status) != std::string_view::npos;
    if (!runs) {
      running_.erase(name);
      return;
    }
    if (running_.insert(name).second) ever_running_.insert(name);
  }

  void take_job(std::string_view line) {
    const std::string name(text_member(line, "\"name\""));
    if (has_condition(line, R"("Running")")) running_jobs_.insert(name);
    if (line.find(R"("reason":"Succeeded")") != std::string_view::npos &&
        has_condition(line, R"("Completed")")) {
      succeeded_jobs_.insert(name);
    }
  }

  std::size_t pods() const { return pods_.size(); }
  std::size_t running_pods() const { return running_.size(); }
  /// Since the first: some may have ended since.
  std::size_t ever_running_pods() const { return ever_running_.size(); }
  std::size_t ever_running_jobs() const { return running_jobs_.size(); }
  std::size_t succeeded_jobs() const { return succeeded_jobs_.size(); }
  void forget() { *this = JobCounts(); }
  std::string to_text() const {
    return fmt::format("{} pods, {} run; {} jobs were running, {} have succeeded", pods_.size(),
                       running_.size(), running_jobs_.size(), succeeded_jobs_.size());
  }

 private:
  std::unordered_set<std::string> pods_;
  std::unordered_set<std::string> running_;
  std::unordered_set<std::string> ever_running_;
  std::unordered_set<std::string> running_jobs_;
  std::unordered_set<std::string> succeeded_jobs_;
};

}  // namespace trainyard::bench
