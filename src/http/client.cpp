#include "http/client.h"

#include "http/client_connection.h"

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

 private:
  ConnectionPtr connection_;
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
  awaitable<Result<ConnectionPtr>> begin(const ClientRequest& request);
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

awaitable<Result<ConnectionPtr>> Client::Impl::begin(const ClientRequest& request) {
  if (!context) co_return context.error();
  if (ConnectionPtr kept = take_idle()) {
    Result<> begun = co_await kept->begin(request);
    if (begun) co_return kept;
    // The server closed the idle connection just as we wrote: it has not seen this request.
    const bool retry = begun.failed_with(Code::kUnavailable) && kept->heard_nothing();
    if (!retry) co_return std::move(begun).error();
  }
  CO_TRY(ConnectionPtr connection, co_await ClientConnection::connect(*context));
  CO_TRY_OK(co_await connection->begin(request));
  co_return connection;
}

Client::Client(Executor executor, ClientOptions options)
    : impl_(std::make_unique<Impl>(std::move(executor), std::move(options))) {}

Client::~Client() = default;

awaitable<Result<Response>> Client::request(ClientRequest request) {
  CO_TRY(ConnectionPtr connection, co_await impl_->begin(request));
  Response response;
  response.status = connection->answer().status();
  CO_TRY(response.body, co_await connection->read_all());
  response.headers = connection->answer().headers();
  if (connection->reusable() && impl_->idle.size() < kIdleLimit) {
    impl_->idle.push_back(std::move(connection));
  }
  co_return response;
}

awaitable<Result<std::unique_ptr<ResponseStream>>> Client::open(ClientRequest request) {
  CO_TRY(ConnectionPtr connection, co_await impl_->begin(request));
  std::unique_ptr<ResponseStream> stream = std::make_unique<StreamedAnswer>(std::move(connection));
  co_return stream;
}

}  // namespace trainyard::http
