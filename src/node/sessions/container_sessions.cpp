#include "node/sessions/container_sessions.h"

#include "node/container_choice.h"
#include "node/run/container_run.h"
#include "node/sessions/container_attach.h"
#include "node/sessions/container_exec.h"

#include <fmt/format.h>

namespace trainyard::node {

awaitable<Result<ContainerSessions::Target>> ContainerSessions::find(Key pod,
                                                                     client::SessionOptions options,
                                                                     bool attach) {
  CO_TRY(const ObjectPtr object, co_await api_.get(kPods, pod));
  const Json& body = object->body();
  CO_TRY(const std::string name, choose_container(body, options.container));
  const std::string uid(uid_of(body));
  ContainerRun run(paths_.run(uid, name, last_run(paths_.container(uid, name))), config_.shim);
  const Json& spec = *find_container(body, name);
  if (attach && options.input && !bool_at(spec, "stdin")) {
    co_return Error(Code::kBadRequest,
                    fmt::format("container \"{}\" has no input to attach to: its spec needs "
                                "`stdin: true`",
                                name));
  }
  switch (run.state().phase) {
    case RunState::Phase::kRunning:
      co_return Target{spec, run.folder()};
    case RunState::Phase::kEnded:
      co_return Error(
          Code::kBadRequest,
          fmt::format("container \"{}\" of pod \"{}\" does not run: it has ended", name, pod.name));
    default:
      co_return Error(Code::kBadRequest,
                      fmt::format("container \"{}\" of pod \"{}\" does not run yet: {}", name,
                                  pod.name, waiting_reason(body, name)));
  }
}

awaitable<Result<>> ContainerSessions::check(Key pod, client::SessionOptions options, bool attach) {
  CO_TRY_OK(co_await find(std::move(pod), std::move(options), attach));
  co_return Ok();
}

awaitable<Result<std::unique_ptr<client::PodSession>>> ContainerSessions::exec(
    Key pod, client::SessionOptions options, std::vector<std::string> command) {
  CO_TRY(const Target target, co_await find(std::move(pod), options, false));
  co_return start_command(loop_, clock_, target.run, options, command);
}

awaitable<Result<std::unique_ptr<client::PodSession>>> ContainerSessions::attach(
    Key pod, client::SessionOptions options) {
  CO_TRY(const Target target, co_await find(std::move(pod), options, true));
  // The terminal is the container's own; a client's wish for one cannot give it one.
  options.tty = bool_at(target.spec, "tty");
  ContainerRun run(target.run, config_.shim);
  co_return co_await attach_to(loop_, clock_, std::move(run), std::move(options));
}

}  // namespace trainyard::node
