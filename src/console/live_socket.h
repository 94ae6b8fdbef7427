#pragma once

#include "base/notifier.h"
#include "base/task_group.h"
#include "client/api.h"
#include "client/pod_streams.h"
#include "http/server.h"

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>

namespace trainyard::console {

/// One browser tab's WebSocket, which carries all its watches and logs. Messages are JSON:
///
///   to us: {"id":1,"watch":{"group":G,"version":V,"plural":P,"namespace":N},"resourceVersion":R}
///             {"id":2,"log":{"namespace":N,"pod":P,"container":C,"tailLines":L,
///                            "uid":U,"previous":B,"timestamps":B}}    (U: also of one that is
///                            gone)
///             {"id":2,"stop":true}
///   from us:  {"id":1,"event":{"type":T,"object":O}}   {"id":1,"synced":true}
///             {"id":2,"text":S}   {"id":2,"end":true}   {"id":1,"error":{"code":C,"message":M}}
class LiveSocket {
 public:
  LiveSocket(Executor loop, client::Api& api, client::PodStreams& streams,
             std::unique_ptr<http::WebSocket> socket);
  /// Is told when the tab looks at Secrets; of which namespace, empty: of all.
  void on_secrets(std::function<void(const std::string& ns)> tell) {
    on_secrets_ = std::move(tell);
  }
  /// Returns when the tab has gone.
  awaitable<void> run();

 private:
  struct Subscription {
    explicit Subscription(const Executor& loop) : tasks(loop) {}
    TaskGroup tasks;
  };

  awaitable<void> read_messages();
  awaitable<void> end_all();
  awaitable<void> accept(Json message);
  awaitable<void> watch(std::int64_t id, Json request);
  awaitable<void> log(std::int64_t id, Json request);
  awaitable<Result<>> stream_watch(std::int64_t id, Json request);
  awaitable<Result<>> stream_log(std::int64_t id, Json request);
  awaitable<void> write_all();
  awaitable<void> end_subscription(std::int64_t id);
  void forget_ended();
  /// Waits while the tab is slower than what it asked for.
  awaitable<void> send(Json message);
  awaitable<void> send_text(std::string message);

  Executor loop_;
  client::Api& api_;
  client::PodStreams& streams_;
  std::unique_ptr<http::WebSocket> socket_;
  std::function<void(const std::string& ns)> on_secrets_;
  std::deque<std::string> outbox_;
  Notifier outbox_changed_;
  std::map<std::int64_t, std::unique_ptr<Subscription>> subscriptions_;
  TaskGroup tasks_;
};

}  // namespace trainyard::console
