#include "node/logs/log_streams.h"

#include "base/elsewhere.h"
#include "node/container_choice.h"
#include "node/logs/log_file.h"

#include <fmt/format.h>

namespace trainyard::node {

Result<ContainerRun> LogStreams::find_run(const Json& pod, const std::string& container,
                                          const client::LogOptions& options) const {
  const std::string uid(uid_of(pod));
  int number = options.run.value_or(last_run(paths_.container(uid, container)));
  if (options.previous && number == 0) {
    return Error(Code::kBadRequest,
                 fmt::format("previous terminated container \"{}\" in pod \"{}\" not found",
                             container, name_of(pod)));
  }
  if (options.previous) --number;
  ContainerRun run(paths_.run(uid, container, number), config_.shim);
  if (run.state().phase != RunState::Phase::kAbsent) return run;
  return Error(Code::kBadRequest,
               fmt::format("container \"{}\" in pod \"{}\" is waiting to start: {}", container,
                           name_of(pod), waiting_reason(pod, container)));
}

awaitable<Result<LogStreams::Found>> LogStreams::find_log(Key pod, client::LogOptions options) {
  const auto object = co_await api_.get(kPods, pod);
  if (!object && !object.failed_with(Code::kNotFound)) co_return object.error();
  const std::string uid = object ? std::string(uid_of((*object)->body())) : "";
  if (!options.pod_uid.empty() && options.pod_uid != uid) {
    const auto kept = archive_.by_uid(pod, options.pod_uid);
    if (kept) co_return find_kept(*kept, options);
    co_return Error(Code::kNotFound,
                    fmt::format("no log is kept of pod {} with uid {}", pod.name, options.pod_uid));
  }
  if (!object) {
    const auto kept = archive_.newest(pod);
    if (kept) co_return find_kept(*kept, options);
    co_return object.error();
  }
  CO_TRY(const std::string container, choose_container((*object)->body(), options.container));
  auto run = find_run((*object)->body(), container, options);
  if (!run && options.previous) {
    // What was replaced under the same name is what came before.
    const auto kept = archive_.newest(pod, uid);
    if (!kept) co_return run.error();
    options.container = container;
    options.previous = false;
    co_return find_kept(*kept, options);
  }
  if (!run) co_return run.error();
  Found found{run->folder(), [run = *run] { return run.state().phase == RunState::Phase::kEnded; }};
  co_return found;
}

Result<LogStreams::Found> LogStreams::find_kept(const KeptPod& pod,
                                                const client::LogOptions& options) {
  TRY(std::filesystem::path folder,
      kept_run(pod, options.container, options.run, options.previous));
  return Found{std::move(folder), [] { return true; }};
}

awaitable<Result<std::unique_ptr<client::ByteStream>>> LogStreams::open_log(
    Key pod, client::LogOptions options) {
  CO_TRY(Found found, co_await find_log(std::move(pod), options));
  const auto from = options.from_line;
  const std::filesystem::path folder = found.folder;
  auto file = std::make_unique<LogFile>(loop_, clock_, std::move(found.folder), std::move(options),
                                        std::move(found.ended));
  if (from) {
    auto work = [folder, line = *from, indexes = indexes_]() mutable -> Result<LogPlace> {
      LineIndex& index = indexes->of(folder);
      TRY_OK(index.look());
      return index.find_line(line);
    };
    CO_TRY(const LogPlace place, co_await run_elsewhere(lines_.get_executor(), std::move(work)));
    CO_TRY_OK(file->open_at(place));
  } else {
    CO_TRY_OK(co_await file->open());
  }
  std::unique_ptr<client::ByteStream> stream = std::move(file);
  co_return stream;
}

awaitable<Result<client::LogLines>> LogStreams::read_lines(Key pod, client::LogOptions options,
                                                           client::LineRange range) {
  CO_TRY(const Found found, co_await find_log(std::move(pod), options));
  auto work = [folder = found.folder, range, timestamps = options.timestamps, indexes = indexes_] {
    return node::read_lines(indexes->of(folder), folder, range, timestamps);
  };
  co_return co_await run_elsewhere(lines_.get_executor(), std::move(work));
}

awaitable<Result<client::LogFindings>> LogStreams::find_lines(Key pod, client::LogOptions options,
                                                              client::LogQuestion question) {
  CO_TRY(const Found found, co_await find_log(std::move(pod), std::move(options)));
  auto work = [folder = found.folder, question = std::move(question), indexes = indexes_] {
    return node::find_lines(indexes->of(folder), folder, question);
  };
  co_return co_await run_elsewhere(lines_.get_executor(), std::move(work));
}

awaitable<Result<std::vector<client::KeptLog>>> LogStreams::kept_logs(std::string ns) {
  std::vector<client::KeptLog> logs;
  for (KeptPod& pod : archive_.list(ns)) {
    logs.push_back({Key{pod.ns, pod.name}, pod.uid, std::move(pod.labels), pod.kept});
  }
  co_return logs;
}

}  // namespace trainyard::node
