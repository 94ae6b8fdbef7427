#include "node/pod/probe_action.h"

#include "http/client.h"
#include "node/sessions/container_exec.h"
#include "node/sessions/container_ports.h"

#include <boost/asio/ip/tcp.hpp>
#include <fmt/format.h>

#include <charconv>

namespace trainyard::node {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;

constexpr std::size_t kLongestBody = 4096;  // of an answer, in a message

std::vector<std::string> words_of(const Json& list) {
  std::vector<std::string> words;
  for (const Json& word : array_at(list, "command")) {
    if (word.is_string()) words.push_back(to_string(word.get_string()));
  }
  return words;
}

awaitable<ActionResult> run_command(Executor loop, Clock& clock, Json exec, ActionPlace place,
                                    std::chrono::seconds timeout) {
  const std::vector<std::string> command = words_of(exec);
  auto done = co_await run_in_container(loop, clock, place.run_folder, command, timeout);
  if (done.failed_with(Code::kTimeout)) {
    co_return ActionResult{false, fmt::format("command timed out: \"{}\" timed out after {}s",
                                              fmt::join(command, " "), timeout.count())};
  }
  if (!done) co_return ActionResult{false, done.error().message()};
  co_return ActionResult{done->exit_code == 0, done->output};
}

/// Where a probe goes: an address, or a private network.
awaitable<Result<tcp::socket>> dial_place(Executor loop, Clock& clock, std::string host,
                                          ActionPlace place, std::uint16_t port,
                                          std::chrono::seconds timeout) {
  if (place.alone) co_return co_await dial_inside(loop, clock, place.run_folder, port, timeout);
  if (host == "localhost") host = "127.0.0.1";
  co_return co_await dial(loop, clock, std::move(host), port, timeout);
}

awaitable<Result<UniqueFd>> dial_fd(Executor loop, Clock& clock, std::string host,
                                    ActionPlace place, std::uint16_t port,
                                    std::chrono::seconds timeout) {
  CO_TRY(tcp::socket socket,
         co_await dial_place(loop, clock, std::move(host), std::move(place), port, timeout));
  co_return UniqueFd(socket.release());
}

awaitable<ActionResult> connect(Executor loop, Clock& clock, std::string host, ActionPlace place,
                                std::uint16_t port, std::chrono::seconds timeout) {
  const auto socket =
      co_await dial_place(loop, clock, std::move(host), std::move(place), port, timeout);
  co_return ActionResult{socket.has_value(), socket ? "" : socket.error().message()};
}

awaitable<ActionResult> get(Executor loop, Clock& clock, Json request, std::string host,
                            ActionPlace place, std::uint16_t port, std::chrono::seconds timeout) {
  const bool tls = string_at(request, "scheme") == "HTTPS";
  http::ClientOptions options;
  options.url = fmt::format("{}://{}:{}", tls ? "https" : "http", host, port);
  options.insecure_skip_verify = true;  // as kubelet: a probe asks whether it answers, not who
  options.request_timeout_seconds = static_cast<int>(timeout.count());
  if (place.alone) {
    options.dial = [&] { return dial_fd(loop, clock, host, place, port, timeout); };
  }
  http::Client client(loop, options);
  http::ClientRequest ask;
  ask.target = string_at(request, "path", "/");
  if (!ask.target.starts_with('/')) ask.target.insert(0, 1, '/');
  ask.headers.add("User-Agent", "kube-probe/1.33");
  ask.headers.add("Accept", "*/*");
  for (const Json& header : array_at(request, "httpHeaders")) {
    ask.headers.add(std::string(string_at(header, "name")),
                    std::string(string_at(header, "value")));
  }
  const std::string url = options.url + ask.target;
  auto answer = co_await client.request(std::move(ask));
  if (!answer)
    co_return ActionResult{false, fmt::format("Get \"{}\": {}", url, answer.error().message())};
  if (answer->status >= 200 && answer->status < 400) {
    co_return ActionResult{true, answer->body.substr(0, kLongestBody)};
  }
  co_return ActionResult{false,
                         fmt::format("HTTP probe failed with statuscode: {}", answer->status)};
}

}  // namespace

int port_of(const Json& action, const Json& container) {
  const Json* port = find(action, "port");
  if (port == nullptr) return 0;
  if (!port->is_string()) return static_cast<int>(int_at(action, "port"));
  const std::string name = to_string(port->get_string());
  for (const Json& known : array_at(container, "ports")) {
    if (string_at(known, "name") == name) return static_cast<int>(int_at(known, "containerPort"));
  }
  int number = 0;
  std::from_chars(name.data(), name.data() + name.size(), number);
  return number;
}

awaitable<ActionResult> do_action(Executor loop, Clock& clock, Json action, ActionPlace place,
                                  std::chrono::seconds timeout) {
  if (const Json* exec = find(action, "exec")) {
    co_return co_await run_command(loop, clock, *exec, std::move(place), timeout);
  }
  if (find(action, "sleep") != nullptr) {
    co_await clock.sleep_for(std::chrono::seconds(int_at(action, "sleep.seconds")));
    co_return ActionResult{true, ""};
  }
  for (const char* kind : {"tcpSocket", "httpGet"}) {
    const Json* found = find(action, kind);
    if (found == nullptr) continue;
    const int port = port_of(*found, place.container);
    if (port <= 0 || port > 65535) {
      co_return ActionResult{
          false, fmt::format("the container has no port {}", to_text(*find(*found, "port")))};
    }
    std::string host(string_at(*found, "host", place.pod_ip));
    if (std::string_view(kind) == "tcpSocket") {
      co_return co_await connect(loop, clock, std::move(host), std::move(place),
                                 static_cast<std::uint16_t>(port), timeout);
    }
    co_return co_await get(loop, clock, *found, std::move(host), std::move(place),
                           static_cast<std::uint16_t>(port), timeout);
  }
  co_return ActionResult{false, "only exec, httpGet, tcpSocket and sleep are supported here"};
}

}  // namespace trainyard::node
