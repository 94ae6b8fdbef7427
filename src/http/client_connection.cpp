#include "http/client_connection.h"

#include "http/authorities.h"
#include "http/wire.h"

#include <boost/asio/connect.hpp>
#include <boost/asio/ssl/error.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/http/error.hpp>
#include <fmt/format.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

#include <array>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <utility>

namespace trainyard::http {

namespace asio = boost::asio;
using HttpError = boost::beast::http::error;

namespace {

constexpr std::size_t kReadSize = 16 << 10;
constexpr std::size_t kInputLimit = 256 << 10;
// An answer that is kept whole. Far above any list of ours; a stop for a server gone mad.
constexpr std::size_t kBodyLimit = 512 << 20;

/// A watch reads for hours and sends nothing: only probes notice that the server's machine has
/// gone. After about a minute the read then fails.
void set_up_socket(tcp::socket& socket) {
  ErrorCode ignored;
  socket.set_option(tcp::no_delay(true), ignored);
  socket.set_option(asio::socket_base::keep_alive(true), ignored);
  const auto set = [&socket](int option, int value) {
    ::setsockopt(socket.native_handle(), IPPROTO_TCP, option, &value, sizeof(value));
  };
  set(TCP_KEEPIDLE, 15);
  set(TCP_KEEPINTVL, 15);
  set(TCP_KEEPCNT, 3);
}

bool is_end(ErrorCode failure) {
  return failure == asio::error::eof || failure == asio::ssl::error::stream_truncated;
}

}  // namespace

ClientConnection::ClientConnection(std::shared_ptr<const ClientContext> context)
    : context_(std::move(context)),
      stream_(tcp::socket(context_->executor), context_->tls.get()),
      resolver_(context_->executor),
      connect_timer_(context_->executor),
      input_(kInputLimit) {}

void ClientConnection::abort() {
  resolver_.cancel();
  stream_.close();
}

awaitable<Result<>> ClientConnection::connect(std::shared_ptr<ClientConnection> connection) {
  const int seconds = connection->context_->options.connect_timeout_seconds;
  // Weak: the timer's handler may still be queued when a cancelled caller drops the connection.
  std::weak_ptr<ClientConnection> watched = connection;
  connection->connect_timer_.expires_after(std::chrono::seconds(seconds));
  connection->connect_timer_.async_wait([watched](ErrorCode stopped) {
    const auto late = watched.lock();
    if (stopped || !late) return;
    late->timed_out_ = true;
    late->abort();
  });
  Result<> dialled = co_await connection->dial();
  connection->connect_timer_.cancel();
  if (connection->timed_out_) {
    co_return connection->unreachable(fmt::format("no answer within {} s", seconds));
  }
  co_return dialled;
}

awaitable<Result<>> ClientConnection::dial() {
  if (context_->options.dial) {
    CO_TRY_OK(co_await take_socket());
  } else if (const ErrorCode failure = co_await dial_tcp()) {
    if (failure == asio::error::operation_aborted) co_return lost(failure);
    co_return unreachable(failure.message());
  }
  set_up_socket(stream_.socket());
  if (!context_->tls) co_return Ok();
  if (!context_->options.insecure_skip_verify) {
    CO_TRY_OK(expect_host(stream_.ssl(), context_->address.host));
  }
  const ErrorCode failure = co_await stream_.handshake(asio::ssl::stream_base::client);
  if (!failure) co_return Ok();
  if (failure == asio::error::operation_aborted) co_return lost(failure);
  const long verdict = SSL_get_verify_result(stream_.ssl());
  if (verdict != X509_V_OK) {
    std::string why = X509_verify_cert_error_string(verdict);
    if (context_->options.ca_pem.empty()) {
      why += fmt::format(" (authorities: {}; SSL_CERT_FILE names others)",
                         where_authorities_are(Authorities::of_this_process()));
    }
    co_return unreachable("its certificate is not trusted: " + why);
  }
  co_return unreachable("TLS handshake: " + failure.message());
}

awaitable<Result<>> ClientConnection::take_socket() {
  CO_TRY(UniqueFd connected, co_await context_->options.dial());
  ErrorCode failure;
  stream_.socket().assign(tcp::v4(), connected.get(), failure);
  if (failure) co_return unreachable(failure.message());
  (void)connected.release();
  co_return Ok();
}

awaitable<ErrorCode> ClientConnection::dial_tcp() {
  const ServerAddress& address = context_->address;
  ErrorCode failure;
  const asio::ip::address literal = asio::ip::make_address(address.host, failure);
  if (!failure) {
    const auto port = static_cast<std::uint16_t>(std::stoul(address.port));
    const tcp::endpoint endpoint(literal, port);
    std::tie(failure) = co_await stream_.socket().async_connect(endpoint, kAsTuple);
    co_return failure;
  }
  tcp::resolver::results_type found;
  std::tie(failure, found) = co_await resolver_.async_resolve(address.host, address.port, kAsTuple);
  if (failure) co_return failure;
  std::tie(failure, std::ignore) = co_await asio::async_connect(stream_.socket(), found, kAsTuple);
  co_return failure;
}

void ClientConnection::format_head(const ClientRequest& request) {
  output_.clear();
  output_.append(request.method).append(" ").append(context_->address.prefix);
  output_.append(request.target.empty() ? "/" : request.target).append(" HTTP/1.1\r\n");
  if (!request.headers.find("Host")) append_field(output_, "Host", context_->address.authority);
  if (!request.headers.find("User-Agent")) append_field(output_, "User-Agent", "trainyard");
  append_fields(output_, request.headers);
  if (request.upgrade) append_field(output_, "Connection", "Upgrade");
  const bool bodyless = request.method == "GET" || request.method == "HEAD";
  if (request.next_part && !request.length) {
    append_field(output_, "Transfer-Encoding", "chunked");
  } else if (request.next_part) {
    append_length(output_, *request.length);
  } else if (!bodyless || !request.body.empty()) {
    append_length(output_, request.body.size());
  }
  output_.append("\r\n");
}

/// kCancelled when the parts cannot be had; kUnavailable when the server takes no more.
awaitable<Result<>> ClientConnection::send_parts(const ClientRequest& request) {
  for (;;) {
    CO_TRY(std::string part, co_await request.next_part());
    const bool last = part.empty();
    output_.clear();
    if (request.length) {
      output_ = std::move(part);
    } else if (last) {
      output_ = "0\r\n\r\n";
    } else {
      append_chunk(output_, part);
    }
    const auto [failure, size] =
        co_await asio::async_write(stream_, asio::buffer(output_), kAsTuple);
    if (failure) co_return lost(failure);
    if (last) co_return Ok();
  }
}

awaitable<Result<>> ClientConnection::send_all(const ClientRequest& request) {
  const std::array<asio::const_buffer, 2> both{asio::buffer(output_), asio::buffer(request.body)};
  const auto [failure, size] = co_await asio::async_write(stream_, both, kAsTuple);
  if (failure) co_return lost(failure);
  if (!request.next_part) co_return Ok();
  co_return co_await send_parts(request);
}

awaitable<Result<>> ClientConnection::begin(const ClientRequest& request) {
  format_head(request);
  heard_ = false;
  Result<> sent = co_await send_all(request);
  if (!sent && !sent.failed_with(Code::kUnavailable)) co_return sent;
  // Even after a failed write the server may have said why, as with 413: read first.
  Result<> answered = co_await read_answer(request.method == "HEAD");
  if (!answered && !sent) co_return sent;
  co_return answered;
}

awaitable<Result<std::string>> ClientConnection::read_raw() {
  if (input_.size() > 0) {
    std::string early(static_cast<const char*>(input_.data().data()), input_.size());
    input_.consume(input_.size());
    co_return early;
  }
  std::string bytes(kReadSize, '\0');
  const auto [failure, size] = co_await stream_.async_read_some(asio::buffer(bytes), kAsTuple);
  if (failure && !is_end(failure)) co_return lost(failure);
  bytes.resize(size);
  co_return bytes;
}

awaitable<Result<>> ClientConnection::write_raw(std::string bytes) {
  const auto [failure, size] = co_await asio::async_write(stream_, asio::buffer(bytes), kAsTuple);
  if (failure) co_return lost(failure);
  co_return Ok();
}

awaitable<Result<>> ClientConnection::read_answer(bool head_only) {
  do {
    parser_.emplace(boost::none);
    parser_->skip(head_only);
    while (!parser_->is_header_done()) CO_TRY_OK(co_await fill());
    // Interim answers come before the real one; 101 is the last of HTTP.
  } while (parser_->status() / 100 == 1 && parser_->status() != 101);
  co_return Ok();
}

awaitable<Result<>> ClientConnection::fill() {
  // What one read brought may hold more than one message: use it up before reading on.
  if (input_.size() == 0 || parser_->got_some()) {
    if (input_.size() > kInputLimit - kReadSize) {
      co_return unreachable("the header of its answer is too large");
    }
    const auto [failure, size] =
        co_await stream_.async_read_some(input_.prepare(kReadSize), kAsTuple);
    input_.commit(size);
    if (size > 0) heard_ = true;
    if (failure) {
      ErrorCode incomplete = failure;
      // Without a length the end of the connection is the end of the body.
      if (is_end(failure) && parser_->got_some()) parser_->put_eof(incomplete);
      if (incomplete) co_return lost(failure);
      co_return Ok();
    }
  }
  ErrorCode failure;
  input_.consume(parser_->put(input_.cdata(), failure));
  if (failure && failure != HttpError::need_more) {
    co_return unreachable("its answer is not HTTP: " + failure.message());
  }
  co_return Ok();
}

awaitable<Result<std::string>> ClientConnection::read_body() {
  for (;;) {
    std::string part = parser_->take_body();
    if (!part.empty() || parser_->is_done()) co_return part;
    CO_TRY_OK(co_await fill());
  }
}

awaitable<Result<std::string>> ClientConnection::read_all() {
  std::string body = parser_->take_body();
  while (!parser_->is_done()) {
    CO_TRY_OK(co_await fill());
    if (body.empty()) {
      body = parser_->take_body();
    } else {
      body += parser_->take_body();
    }
    if (body.size() > kBodyLimit) co_return unreachable("its answer is too large");
  }
  co_return body;
}

bool ClientConnection::stale() {
  // A server says nothing on an idle connection, except goodbye.
  char byte = 0;
  const ssize_t size = ::recv(stream_.socket().native_handle(), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
  return input_.size() > 0 || size >= 0 || (errno != EAGAIN && errno != EWOULDBLOCK);
}

Error ClientConnection::unreachable(const std::string& cause) const {
  return Error(Code::kUnavailable,
               fmt::format("cannot reach {}: {}", context_->address.authority, cause));
}

Error ClientConnection::lost(ErrorCode failure) const {
  if (failure == asio::error::operation_aborted) {
    return Error(Code::kCancelled, "request to " + context_->address.authority + " cancelled");
  }
  const std::string cause = is_end(failure) ? "the server closed it" : failure.message();
  return Error(Code::kUnavailable,
               fmt::format("connection to {} lost: {}", context_->address.authority, cause));
}

}  // namespace trainyard::http
