#include "node/sessions/container_ports.h"

#include "node/network/network_places.h"
#include "node/run/container_run.h"
#include "node/run/shim_control.h"

#include <boost/asio/experimental/awaitable_operators.hpp>
#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <utility>
#include <variant>

namespace trainyard::node {

namespace asio = boost::asio;
using asio::ip::tcp;
using namespace std::chrono_literals;

namespace {

constexpr auto kDialTime = 5s;

}  // namespace

awaitable<Result<tcp::socket>> dial_inside(Executor loop, Clock& clock,
                                           std::filesystem::path run_folder, std::uint16_t port,
                                           std::chrono::nanoseconds timeout) {
  using namespace asio::experimental::awaitable_operators;
  constexpr std::string_view kRequest("socket\0", 7);
  const std::vector<int> nothing;
  ShimControl control(loop);
  CO_TRY_OK(control.connect(run_folder));
  CO_TRY_OK(control.send(kRequest, nothing));
  auto first = co_await (control.receive() || clock.sleep_for(timeout));
  if (first.index() == 1) {
    co_return Error(Code::kTimeout, "the container's supervisor does not answer");
  }
  ShimControl::Answer& answer = std::get<0>(first);
  if (!answer.fd.valid()) {
    co_return Error(Code::kUnavailable,
                    fmt::format("the container's supervisor gives no way in: {}",
                                answer.text.empty() ? "it has ended" : answer.text));
  }
  tcp::socket socket(loop);
  boost::system::error_code failed;
  socket.assign(tcp::v4(), answer.fd.get(), failed);
  if (failed) co_return Error(Code::kUnavailable, failed.message());
  (void)answer.fd.release();
  co_return co_await dial_by(std::move(socket), clock, "127.0.0.1", port, timeout);
}

Result<UniqueFd> dial_file(const std::filesystem::path& folder, const std::string& file) {
  const auto failure = [&](int cause) {
    return Error(Code::kUnavailable,
                 fmt::format("nobody answers at {}: {}", file, std::strerror(cause)));
  };
  const UniqueFd place(::open(folder.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!place.valid()) return failure(errno);
  const UniqueFd node(::openat(place.get(), file.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
  struct stat found{};
  if (!node.valid() || ::fstat(node.get(), &found) != 0) return failure(errno);
  if (!S_ISSOCK(found.st_mode)) return failure(ENOTSOCK);
  UniqueFd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!socket.valid()) return failure(errno);
  // By its descriptor: it is the very file that was looked at, however long its path is.
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string path = fmt::format("/proc/self/fd/{}", node.get());
  path.copy(address.sun_path, sizeof address.sun_path - 1);
  if (::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    return failure(errno);
  }
  return socket;
}

awaitable<Result<ObjectPtr>> ContainerPorts::find_running(Key pod) {
  CO_TRY(ObjectPtr object, co_await api_.get(kPods, pod));
  const std::string_view phase = string_at(object->body(), "status.phase");
  if (phase == "Running" && !string_at(object->body(), "status.podIP").empty()) co_return object;
  co_return Error(Code::kBadRequest,
                  fmt::format("pod \"{}\" does not run: it is {}", pod.name, phase));
}

awaitable<Result<UniqueFd>> ContainerPorts::connect_file(Key pod, std::string volume,
                                                         std::string file) {
  CO_TRY(const ObjectPtr object, co_await find_running(std::move(pod)));
  co_return dial_file(paths_.pod_volume(std::string(uid_of(object->body())), volume), file);
}

awaitable<Result<UniqueFd>> ContainerPorts::connect(Key pod, std::uint16_t port) {
  CO_TRY(const ObjectPtr object, co_await find_running(std::move(pod)));
  const std::string ip(string_at(object->body(), "status.podIP"));
  Result<tcp::socket> socket;
  if (has_private_network(object->body())) {
    socket = co_await connect_inside(object, port);
  } else {
    socket = co_await dial(loop_, clock_, ip, port, kDialTime);
  }
  if (!socket) co_return std::move(socket).error();
  co_return UniqueFd(socket->release());
}

/// Each container has a network of its own: the first in which somebody listens there.
awaitable<Result<tcp::socket>> ContainerPorts::connect_inside(ObjectPtr pod, std::uint16_t port) {
  const std::string uid(uid_of(pod->body()));
  Result<tcp::socket> socket;
  for (const Json& container : array_at(pod->body(), "spec.containers")) {
    const std::string name(string_at(container, "name"));
    auto run = paths_.run(uid, name, last_run(paths_.container(uid, name)));
    socket = co_await dial_inside(loop_, clock_, std::move(run), port, kDialTime);
    if (socket) break;
  }
  co_return socket;
}

}  // namespace trainyard::node
