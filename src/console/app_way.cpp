#include "console/app_way.h"

#include "object/values/status.h"

namespace trainyard::console {
namespace {

// Whatever an app is asked for, it has begun to answer by then.
constexpr int kAnswerSeconds = 600;

awaitable<Result<UniqueFd>> dial(client::PodPorts& ports, AppAddress::Kind kind, Key pod) {
  if (kind == AppAddress::Kind::kTensorBoard) {
    co_return co_await ports.connect(std::move(pod), contract::kTensorBoardPort);
  }
  co_return co_await ports.connect_file(std::move(pod), contract::kNotebookSocketVolume,
                                        contract::kNotebookSocketFile);
}

}  // namespace

std::optional<Key> ready_pod(const Json& object) {
  const std::string_view pod = string_at(object, "status.pod.reference.name");
  if (pod.empty() || bool_at(object, "spec.suspend") || !has_condition(object, "Ready")) {
    return std::nullopt;
  }
  return Key{std::string(namespace_of(object)), std::string(pod)};
}

http::ClientOptions way_to(const AppAddress& app, const Key& pod, client::PodPorts& ports) {
  http::ClientOptions options;
  options.url = "http://127.0.0.1";
  options.dial = [&ports, kind = app.kind, pod] { return dial(ports, kind, pod); };
  options.answer_timeout_seconds = kAnswerSeconds;
  return options;
}

}  // namespace trainyard::console
