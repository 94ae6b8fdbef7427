#pragma once

#include "base/async.h"
#include "base/files/unique_fd.h"
#include "base/result.h"
#include "http/tunnel.h"
#include "http/wire/message.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace trainyard::http {

struct ClientOptions {
  std::string url;     // https://127.0.0.1:6480 (http:// also works)
  std::string ca_pem;  // what the server's certificate must be signed by; empty: system CAs
  std::string client_certificate_pem;  // optional
  std::string client_key_pem;          // optional
  bool insecure_skip_verify = false;
  int connect_timeout_seconds = 10;
  /// How to get a connected socket, when not by the address of the url.
  std::function<awaitable<Result<UniqueFd>>()> dial;
  /// For request() as a whole, from connecting to the last byte of the answer. 0: no limit.
  int request_timeout_seconds = 0;
  /// For open(), until the header of the answer is there. 0: no limit.
  int answer_timeout_seconds = 0;
};

struct ClientRequest {
  std::string method = "GET";
  std::string target;  // /api/v1/pods?watch=true, encoded
  Headers headers;
  std::string body;
  /// For open(): gives the body in parts, an empty one at its end; instead of `body`. It is sent
  /// chunked unless its length is told.
  std::function<awaitable<Result<std::string>>()> next_part{};
  std::optional<std::uint64_t> length{};
  bool upgrade = false;  // asks to leave HTTP; the header Upgrade says for what
};

/// An answer whose body is still arriving.
class ResponseStream {
 public:
  virtual ~ResponseStream() = default;
  virtual int status() const = 0;
  virtual const Headers& headers() const = 0;
  /// The next bytes of the body as they come; an empty string is the end.
  virtual awaitable<Result<std::string>> read() = 0;
  /// After an answer 101: the connection, in the protocol that was agreed on. Once.
  virtual std::unique_ptr<Tunnel> take_tunnel() = 0;
};

/// An HTTP client for one server. Keeps idle connections for reuse; each stream has its own.
class Client {
 public:
  Client(Executor executor, ClientOptions options);
  ~Client();
  /// kUnavailable when the server cannot be reached: the message names the address and the cause.
  /// kTimeout when the whole answer was not there in time.
  awaitable<Result<Response>> request(ClientRequest request);
  /// kTimeout when the answer did not begin in time. A request with `next_part` or `upgrade` gets a
  /// connection of its own: it cannot be sent again.
  awaitable<Result<std::unique_ptr<ResponseStream>>> open(ClientRequest request);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace trainyard::http
