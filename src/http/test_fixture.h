#pragma once

#include "base/clock.h"
#include "base/run_to_end.h"
#include "http/certificate.h"
#include "http/client.h"
#include "http/server.h"

#include <boost/asio/io_context.hpp>
#include <gtest/gtest.h>

#include <chrono>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <utility>

// For the tests of this room only: a server with a scripted handler, and a loop to run it on.

namespace trainyard::http {

/// Answers by path; remembers what happened to it.
class ScriptedHandler final : public Handler {
 public:
  awaitable<void> handle(Request request, ResponseWriter& writer) override;

  int requests = 0;
  int streams_open = 0;       // handlers of /hang that are waiting
  int streams_cancelled = 0;  // and those that were unwound
  std::string last_peer;
  std::optional<PeerCertificate> last_certificate;
  std::string write_error;  // what the last write() of /flood came back with

 private:
  awaitable<Result<>> echo(Request request, ResponseWriter& writer);
  awaitable<Result<>> count_slowly(ResponseWriter& writer);
  awaitable<Result<>> hang(ResponseWriter& writer);
  awaitable<Result<>> flood(ResponseWriter& writer);
  awaitable<Result<>> serve_websocket(std::string subprotocol, ResponseWriter& writer);

  SystemClock clock_;
};

class HttpTest : public ::testing::Test {
 protected:
  HttpTest();
  ~HttpTest() override;

  /// Runs the loop until the task has ended; throws what the task threw.
  template <class T>
  T run(awaitable<T> task) {
    std::optional<T> result;
    run(keep_result(std::move(task), &result));
    return *std::move(result);
  }
  void run(awaitable<void> task);
  void run_for(std::chrono::milliseconds span);
  /// Runs the loop until the condition holds; false when it does not come to that.
  template <class Condition>
  bool run_until_true(Condition condition) {
    for (int turn = 0; turn < 1000 && !condition(); ++turn) run_for(std::chrono::milliseconds(5));
    return condition();
  }

  /// A server with TLS and a certificate for 127.0.0.1 and localhost, or without.
  void serve_tls();
  /// The same, asking clients for certificates of its authority.
  void serve_tls_for_certificates();
  void serve_plain();
  void serve(ServerOptions options);
  void stop();
  ClientOptions client_options(const std::string& host = "127.0.0.1") const;

  boost::asio::io_context io_{1};
  SystemClock clock_;
  ScriptedHandler handler_;
  std::unique_ptr<Server> server_;
  TlsIdentity authority_;
  bool tls_ = false;

 private:
  void run_until(const bool& done);
  ServerOptions tls_options();
};

std::chrono::milliseconds since(TimePoint start);
ClientRequest get(std::string target, std::string method = "GET");

}  // namespace trainyard::http
