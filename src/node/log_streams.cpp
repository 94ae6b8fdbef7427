#include "node/log_streams.h"

#include "node/container_run.h"
#include "node/log_file.h"

#include <fmt/format.h>

#include <algorithm>

namespace trainyard::node {
namespace {

Result<std::string> choose_container(const Json& pod, const std::string& asked) {
  const JsonArray& containers = array_at(pod, "spec.containers");
  std::string names;
  for (const char* list : {"spec.containers", "spec.initContainers"}) {
    for (const Json& container : array_at(pod, list)) {
      const std::string name(string_at(container, "name"));
      if (name == asked) return name;
      names += (names.empty() ? "" : " ") + name;
    }
  }
  if (asked.empty() && containers.size() == 1) return std::string(string_at(containers[0], "name"));
  if (asked.empty()) {
    return Error(Code::kBadRequest,
                 fmt::format("a container name must be specified for pod {}, choose one of: [{}]",
                             name_of(pod), names));
  }
  return Error(Code::kBadRequest, fmt::format("container {} is not valid for pod {}: it has [{}]",
                                              asked, name_of(pod), names));
}

}  // namespace

awaitable<Result<std::unique_ptr<client::ByteStream>>> LogStreams::open_log(
    Key pod, client::LogOptions options) {
  CO_TRY(const ObjectPtr object, co_await api_.get(kPods, pod));
  CO_TRY(const std::string container, choose_container(object->body(), options.container));
  const std::string uid(uid_of(object->body()));
  int number = last_run(paths_.container(uid, container));
  if (options.previous && number == 0) {
    co_return Error(Code::kBadRequest, fmt::format("previous terminated container \"{}\" in pod "
                                                   "\"{}\" not found",
                                                   container, pod.name));
  }
  if (options.previous) --number;
  ContainerRun run(paths_.run(uid, container, number), config_.shim);
  if (run.state().phase == RunState::Phase::kAbsent) {
    std::string reason = "ContainerCreating";
    for (const Json& status : array_at(object->body(), "status.containerStatuses")) {
      if (string_at(status, "name") == container) {
        reason = string_at(status, "state.waiting.message", reason);
      }
    }
    co_return Error(Code::kBadRequest,
                    fmt::format("container \"{}\" in pod \"{}\" is waiting to start: {}", container,
                                pod.name, reason));
  }
  const std::filesystem::path log = run.log();
  auto file = std::make_unique<LogFile>(
      loop_, clock_, log, std::move(options),
      [run = std::move(run)] { return run.state().phase == RunState::Phase::kEnded; });
  CO_TRY_OK(file->open());
  std::unique_ptr<client::ByteStream> stream = std::move(file);
  co_return stream;
}

}  // namespace trainyard::node
