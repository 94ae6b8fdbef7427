#include "node/training/progress_reader.h"

#include "base/elsewhere.h"
#include "base/files/unique_fd.h"
#include "node/images/python_site.h"
#include "node/logs/log_records.h"
#include "node/logs/log_segments.h"
#include "node/usage/usage_rates.h"
#include "object/values/status.h"

#include <algorithm>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace trainyard::node {
namespace {

constexpr std::size_t kTail = std::size_t{64} * 1024;  // minutes of most logs
constexpr std::size_t kLongestBar = 4096;
constexpr std::uint64_t kForgotten = 1000;  // questions after which a log that nobody asks for goes

/// The last bytes of a file, from the beginning of a line on.
std::string tail_of(const std::filesystem::path& path) {
  const UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat status{};
  if (!file.valid() || ::fstat(file.get(), &status) != 0) return {};
  const auto size = static_cast<std::size_t>(status.st_size);
  const std::size_t from = size > kTail ? size - kTail : 0;
  std::string text(size - from, '\0');
  const ssize_t count = ::pread(file.get(), text.data(), text.size(), static_cast<off_t>(from));
  text.resize(static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
  if (from > 0) text.erase(0, std::min(text.find('\n'), text.size() - 1) + 1);
  return text;
}

Json counter_json(const monitor::Counter& counter) {
  JsonObject json{{"at", counter.at}};
  if (counter.of > 0) json["of"] = counter.of;
  return json;
}

}  // namespace

std::optional<monitor::Progress> read_log_progress(const std::filesystem::path& folder,
                                                   WallTime now) {
  const std::vector<std::uint64_t> segments = list_segments(folder);
  if (segments.empty()) return std::nullopt;
  std::string text = tail_of(folder / segment_name(segments.back()));
  // A file that has just begun says little.
  if (text.size() < kTail / 4 && segments.size() > 1) {
    text.insert(0, tail_of(folder / segment_name(segments[segments.size() - 2])));
  }
  monitor::ProgressOfLog log;
  std::string begun;  // of a line that goes on: a bar that is drawn over itself
  std::string_view rest = text;
  while (!rest.empty()) {
    const std::size_t end = rest.find('\n');
    if (end == std::string_view::npos) break;  // it is being written
    const LogRecord record = read_record(rest.substr(0, end));
    rest.remove_prefix(end + 1);
    const auto time = parse_time(record.time);
    if (!time) continue;
    begun.append(record.text);
    if (begun.size() > kLongestBar) begun.erase(0, begun.size() - kLongestBar);
    log.add(*time, begun);
    if (!record.partial) begun.clear();
  }
  return log.tell(now);
}

Json progress_json(const monitor::Progress& progress) {
  JsonObject json;
  if (progress.epoch) json["epoch"] = counter_json(*progress.epoch);
  if (progress.step) json["step"] = counter_json(*progress.step);
  json["unit"] = progress.unit_word();
  if (progress.share) json["share"] = *progress.share;
  if (progress.rate) {
    json["rate"] = *progress.rate;
    json["rateUnit"] = progress.rate_of_epochs ? "epoch" : progress.unit_word();
  }
  if (progress.left) json["secondsLeft"] = progress.left->count();
  JsonObject values;
  for (const auto& [name, value] : progress.values) values[name] = value;
  json["values"] = std::move(values);
  json["at"] = format_time_micro(progress.at);
  json["words"] = monitor::progress_words(progress);
  return json;
}

std::optional<monitor::Progress> ProgressReader::look(Memory& memory, const Paths& paths,
                                                      const UsageTarget& target, WallTime now) {
  const std::filesystem::path folder = paths.run(target.uid, target.container, target.number);
  const std::vector<std::uint64_t> segments = list_segments(folder);
  Known& known = memory.known[target];
  known.asked = memory.questions;
  if (segments.empty()) return std::nullopt;
  std::error_code gone;
  const auto size = std::filesystem::file_size(folder / segment_name(segments.back()), gone);
  // What is left grows less with time alone.
  const bool counts_down = known.progress && known.progress->left;
  if (!counts_down && known.size == size && known.segment == segments.back()) return known.progress;
  known.size = size;
  known.segment = segments.back();
  known.progress = read_log_progress(folder, now);
  return known.progress;
}

awaitable<ProgressReader::Jobs> ProgressReader::read_logs(std::vector<ObjectPtr> pods) {
  struct Asked {
    ObjectPtr pod;
    std::string owner;
  };
  Jobs jobs;
  std::vector<UsageTarget> targets;
  std::vector<Asked> asked;
  for (const ObjectPtr& pod : pods) {
    const Json& body = pod->body();
    const Json* owner = controller_of(body);
    if (config_.fake_runtime || owner == nullptr || !is_of_job(body)) continue;
    const std::string uid(string_at(*owner, "uid"));
    for (UsageTarget& target : running_in(body)) {
      targets.push_back(std::move(target));
      asked.push_back({pod, uid});
      const WallTime start = parse_time(string_at(body, "status.startTime")).value_or(WallTime());
      Job& job = jobs.try_emplace(uid, Job{pod, {}, start}).first->second;
      job.since = std::min(job.since, start);
    }
  }
  if (targets.empty()) co_return jobs;
  auto work = [memory = memory_, paths = paths_, targets = std::move(targets),
               now = clock_.wall()] {
    ++memory->questions;
    std::vector<std::optional<monitor::Progress>> found;
    for (const UsageTarget& target : targets) found.push_back(look(*memory, paths, target, now));
    std::erase_if(memory->known, [&](const auto& entry) {
      return memory->questions - entry.second.asked > kForgotten;
    });
    return found;
  };
  auto found = co_await run_elsewhere(files_, std::move(work));
  for (std::size_t i = 0; i < found.size(); ++i) {
    Job& job = jobs.at(asked[i].owner);
    if (!found[i] || (job.log && !monitor::says_more(*found[i], *job.log))) continue;
    job.log = std::move(found[i]);
    job.pod = asked[i].pod;
  }
  co_return jobs;
}

awaitable<std::vector<contract::JobProgress>> ProgressReader::tell_progress(
    std::vector<ObjectPtr> pods, contract::LogFoldersOfPod folders) {
  Jobs jobs = co_await read_logs(std::move(pods));
  std::vector<CurvesOfJob> writers;
  for (const auto& [uid, job] : jobs) {
    if (job.log && monitor::says_all(*job.log)) continue;
    const Json& pod = job.pod->body();
    CurvesOfJob writer{uid, std::string(namespace_of(pod)), folders(pod), job.since};
    if (!writer.folders.empty()) writers.push_back(std::move(writer));
  }
  const auto curves = co_await curves_.tell(writers);
  for (std::size_t i = 0; i < writers.size(); ++i) {
    std::optional<monitor::Progress>& log = jobs.at(writers[i].uid).log;
    log = monitor::join_progress(std::move(log), curves[i], clock_.wall());
  }
  std::vector<contract::JobProgress> told;
  for (const auto& [uid, job] : jobs) {
    if (job.log) told.push_back({job.pod, progress_json(*job.log)});
  }
  co_return told;
}

}  // namespace trainyard::node
