#include "http/client.h"

#include "http/client_connection.h"

#include <boost/asio/steady_timer.hpp>
#include <fmt/format.h>

#include <utility>
#include <vector>

namespace trainyard::http {
namespace {

// More would only be kept from one burst to the next, at some 80 KiB each.
constexpr std::size_t kIdleLimit = 16;

using ConnectionPtr = std::shared_ptr<ClientConnection>;

class StreamedAnswer final : public ResponseStream {
 public:
  explicit StreamedAnswer(ConnectionPtr connection) : connection_(std::move(connection)) {}

  int status() const override { return connection_->answer().status(); }
  const Headers& headers() const override { return connection_->answer().headers(); }
  awaitable<Result<std::string>> read() override { co_return co_await connection_->read_body(); }
  std::unique_ptr<Tunnel> take_tunnel() override;

 private:
  ConnectionPtr connection_;
};

class ClientTunnel final : public Tunnel {
 public:
  explicit ClientTunnel(ConnectionPtr connection) : connection_(std::move(connection)) {}

  awaitable<Result<std::string>> read() override { co_return co_await connection_->read_raw(); }
  awaitable<Result<>> write(std::string bytes) override {
    co_return co_await connection_->write_raw(std::move(bytes));
  }

 private:
  ConnectionPtr connection_;
};

std::unique_ptr<Tunnel> StreamedAnswer::take_tunnel() {
  return std::make_unique<ClientTunnel>(std::move(connection_));
}

/// Watches over one request(): when its time is over, the connection that it uses just then is
/// aborted.
class Deadline {
 public:
  Deadline(const Executor& executor, int seconds)
      : timer_(executor), state_(std::make_shared<State>()) {
    if (seconds == 0) return;
    timer_.expires_after(std::chrono::seconds(seconds));
    // The state is shared: the handler may still be queued when the request has ended.
    timer_.async_wait([state = state_](ErrorCode stopped) {
      if (stopped) return;
      state->passed = true;
      if (const ConnectionPtr connection = state->watched.lock()) connection->abort();
    });
  }
  /// From here on the connection may serve another request.
  ~Deadline() { state_->watched.reset(); }
  Deadline(const Deadline&) = delete;
  Deadline& operator=(const Deadline&) = delete;

  void watch(const ConnectionPtr& connection) { state_->watched = connection; }
  bool passed() const { return state_->passed; }

 private:
  struct State {
    std::weak_ptr<ClientConnection> watched;
    bool passed = false;
  };
  boost::asio::steady_timer timer_;
  std::shared_ptr<State> state_;
};

Result<std::shared_ptr<const ClientContext>> make_context(Executor executor,
                                                          ClientOptions options) {
  auto context = std::make_shared<ClientContext>();
  TRY(context->address, parse_server_url(options.url));
  if (context->address.tls) {
    TRY(context->tls, make_client_tls(options));
  }
  context->executor = std::move(executor);
  context->options = std::move(options);
  return std::shared_ptr<const ClientContext>(std::move(context));
}

}  // namespace

struct Client::Impl {
  Impl(Executor executor, ClientOptions options)
      : context(make_context(std::move(executor), std::move(options))) {}

  /// Sends the request and reads the answer's header, on an idle connection or a new one.
  awaitable<Result<ConnectionPtr>> begin(const ClientRequest& request, Deadline& deadline);
  awaitable<Result<Response>> exchange(const ClientRequest& request, Deadline& deadline);
  ConnectionPtr take_idle();

  Result<std::shared_ptr<const ClientContext>> context;  // its error is every request's error
  std::vector<ConnectionPtr> idle;                       // at most kIdleLimit; the newest is last
};

ConnectionPtr Client::Impl::take_idle() {
  while (!idle.empty()) {
    ConnectionPtr connection = std::move(idle.back());
    idle.pop_back();
    if (!connection->stale()) return connection;
  }
  return nullptr;
}

awaitable<Result<ConnectionPtr>> Client::Impl::begin(const ClientRequest& request,
                                                     Deadline& deadline) {
  const bool only_once = request.next_part || request.upgrade;
  if (ConnectionPtr kept = only_once ? nullptr : take_idle()) {
    deadline.watch(kept);
    Result<> begun = co_await kept->begin(request);
    if (begun) co_return kept;
    // The server closed the idle connection just as we wrote: it has not seen this request.
    const bool retry =
        begun.failed_with(Code::kUnavailable) && kept->heard_nothing() && !deadline.passed();
    if (!retry) co_return std::move(begun).error();
  }
  auto connection = std::make_shared<ClientConnection>(*context);
  deadline.watch(connection);
  CO_TRY_OK(co_await ClientConnection::connect(connection));
  CO_TRY_OK(co_await connection->begin(request));
  co_return connection;
}

Client::Client(Executor executor, ClientOptions options)
    : impl_(std::make_unique<Impl>(std::move(executor), std::move(options))) {}

Client::~Client() = default;

awaitable<Result<Response>> Client::Impl::exchange(const ClientRequest& request,
                                                   Deadline& deadline) {
  CO_TRY(ConnectionPtr connection, co_await begin(request, deadline));
  Response response;
  response.status = connection->answer().status();
  CO_TRY(response.body, co_await connection->read_all());
  response.headers = connection->answer().headers();
  if (connection->reusable() && idle.size() < kIdleLimit) idle.push_back(std::move(connection));
  co_return response;
}

awaitable<Result<Response>> Client::request(ClientRequest request) {
  if (!impl_->context) co_return impl_->context.error();
  const std::shared_ptr<const ClientContext> context = *impl_->context;
  const int seconds = context->options.request_timeout_seconds;
  Deadline deadline(context->executor, seconds);
  Result<Response> response = co_await impl_->exchange(request, deadline);
  // The abort shows as whatever failure the connection was open to just then.
  if (response || !deadline.passed()) co_return response;
  co_return Error(Code::kTimeout, fmt::format("no answer from {} within {} s",
                                              context->address.authority, seconds));
}

awaitable<Result<std::unique_ptr<ResponseStream>>> Client::open(ClientRequest request) {
  if (!impl_->context) co_return impl_->context.error();
  const std::shared_ptr<const ClientContext> context = *impl_->context;
  const int seconds = context->options.answer_timeout_seconds;
  Deadline deadline(context->executor, seconds);
  Result<ConnectionPtr> connection = co_await impl_->begin(request, deadline);
  if (!connection && deadline.passed()) {
    co_return Error(Code::kTimeout, fmt::format("no answer from {} within {} s",
                                                context->address.authority, seconds));
  }
  if (!connection) co_return std::move(connection).error();
  std::unique_ptr<ResponseStream> stream = std::make_unique<StreamedAnswer>(*std::move(connection));
  co_return stream;
}

}  // namespace trainyard::http
