#include "node/log_streams.h"

#include "node/container_choice.h"
#include "node/log_file.h"

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

awaitable<Result<std::unique_ptr<client::ByteStream>>> LogStreams::open_log(
    Key pod, client::LogOptions options) {
  const auto object = co_await api_.get(kPods, pod);
  if (!object && !object.failed_with(Code::kNotFound)) co_return object.error();
  const std::string uid = object ? std::string(uid_of((*object)->body())) : "";
  if (!options.pod_uid.empty() && options.pod_uid != uid) {
    auto kept = archive_.by_uid(pod, options.pod_uid);
    if (kept) co_return co_await open_kept(*std::move(kept), std::move(options));
    co_return Error(Code::kNotFound,
                    fmt::format("no log is kept of pod {} with uid {}", pod.name, options.pod_uid));
  }
  if (!object) {
    auto kept = archive_.newest(pod);
    if (kept) co_return co_await open_kept(*std::move(kept), std::move(options));
    co_return object.error();
  }
  CO_TRY(const std::string container, choose_container((*object)->body(), options.container));
  auto run = find_run((*object)->body(), container, options);
  if (!run && options.previous) {
    // What was replaced under the same name is what came before.
    auto kept = archive_.newest(pod, uid);
    if (!kept) co_return run.error();
    options.container = container;
    options.previous = false;
    co_return co_await open_kept(*std::move(kept), std::move(options));
  }
  if (!run) co_return run.error();
  const std::filesystem::path folder = run->folder();
  co_return co_await open_run(folder, std::move(options), [run = *std::move(run)] {
    return run.state().phase == RunState::Phase::kEnded;
  });
}

awaitable<Result<std::unique_ptr<client::ByteStream>>> LogStreams::open_kept(
    KeptPod pod, client::LogOptions options) {
  CO_TRY(std::filesystem::path folder,
         kept_run(pod, options.container, options.run, options.previous));
  co_return co_await open_run(std::move(folder), std::move(options), [] { return true; });
}

awaitable<Result<std::unique_ptr<client::ByteStream>>> LogStreams::open_run(
    std::filesystem::path folder, client::LogOptions options, std::function<bool()> ended) {
  auto file = std::make_unique<LogFile>(loop_, clock_, std::move(folder), std::move(options),
                                        std::move(ended));
  CO_TRY_OK(co_await file->open());
  std::unique_ptr<client::ByteStream> stream = std::move(file);
  co_return stream;
}

awaitable<Result<std::vector<client::KeptLog>>> LogStreams::kept_logs(std::string ns) {
  std::vector<client::KeptLog> logs;
  for (KeptPod& pod : archive_.list(ns)) {
    logs.push_back({Key{pod.ns, pod.name}, pod.uid, std::move(pod.labels), pod.kept});
  }
  co_return logs;
}

}  // namespace trainyard::node
