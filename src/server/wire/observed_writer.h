#pragma once

#include "http/server.h"

#include <memory>
#include <string>
#include <utility>

namespace trainyard::server {

/// Passes everything on, and remembers with which status it was answered.
class ObservedWriter final : public http::ResponseWriter {
 public:
  explicit ObservedWriter(http::ResponseWriter& writer) : writer_(writer) {}

  /// 0: not at all.
  int status() const { return status_; }

  awaitable<Result<>> send(http::Response response) override {
    status_ = response.status;
    return writer_.send(std::move(response));
  }
  awaitable<Result<>> start(int status, http::Headers headers) override {
    status_ = status;
    return writer_.start(status, std::move(headers));
  }
  awaitable<Result<>> write(std::string chunk) override { return writer_.write(std::move(chunk)); }
  awaitable<Result<>> finish() override { return writer_.finish(); }
  awaitable<Result<std::unique_ptr<http::WebSocket>>> upgrade(std::string subprotocol) override {
    status_ = kSwitching;
    return writer_.upgrade(std::move(subprotocol));
  }
  awaitable<Result<std::unique_ptr<http::Tunnel>>> switch_protocols(
      http::Headers headers) override {
    status_ = kSwitching;
    return writer_.switch_protocols(std::move(headers));
  }
  awaitable<Result<std::string>> read_body() override { return writer_.read_body(); }
  bool answered() const override { return writer_.answered(); }

 private:
  static constexpr int kSwitching = 101;

  http::ResponseWriter& writer_;
  int status_ = 0;
};

}  // namespace trainyard::server
