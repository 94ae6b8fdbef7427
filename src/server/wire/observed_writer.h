#pragma once

#include "http/server.h"

#include <functional>
#include <memory>
#include <string>
#include <utility>

namespace trainyard::server {

/// Passes everything on, and remembers with which status it was answered.
class ObservedWriter final : public http::ResponseWriter {
 public:
  /// Hears of the status, before the answer is sent, and 0 where none ever was; and of the object
  /// that it is about, when the path did not name it. What it returns becomes the Audit-Id.
  using Tell = std::function<std::string(int status, const std::string& about)>;

  explicit ObservedWriter(http::ResponseWriter& writer, Tell tell = {})
      : writer_(writer), tell_(std::move(tell)) {}
  ~ObservedWriter() override {
    if (!told_) tell(0);
  }
  ObservedWriter(const ObservedWriter&) = delete;
  ObservedWriter& operator=(const ObservedWriter&) = delete;

  /// 0: not at all.
  int status() const { return status_; }
  /// The name of what was made.
  void set_about(std::string_view name) { about_ = name; }

  awaitable<Result<>> send(http::Response response) override {
    status_ = response.status;
    add_id(response.headers, tell(status_));
    return writer_.send(std::move(response));
  }
  awaitable<Result<>> start(int status, http::Headers headers) override {
    status_ = status;
    add_id(headers, tell(status_));
    return writer_.start(status, std::move(headers));
  }
  awaitable<Result<>> write(std::string chunk) override { return writer_.write(std::move(chunk)); }
  awaitable<Result<>> finish() override { return writer_.finish(); }
  awaitable<Result<std::unique_ptr<http::WebSocket>>> upgrade(std::string subprotocol) override {
    status_ = kSwitching;
    auto socket = co_await writer_.upgrade(std::move(subprotocol));
    tell(socket ? kSwitching : kNoSocket);
    co_return socket;
  }
  awaitable<Result<std::unique_ptr<http::Tunnel>>> switch_protocols(
      http::Headers headers) override {
    status_ = kSwitching;
    add_id(headers, tell(status_));
    return writer_.switch_protocols(std::move(headers));
  }
  awaitable<Result<std::string>> read_body() override { return writer_.read_body(); }
  bool answered() const override { return writer_.answered(); }

 private:
  static constexpr int kSwitching = 101;
  static constexpr int kNoSocket = 400;

  std::string tell(int status) {
    if (std::exchange(told_, true) || !tell_) return {};
    return tell_(status, about_);
  }
  static void add_id(http::Headers& headers, std::string id) {
    if (!id.empty()) headers.add("Audit-Id", std::move(id));
  }

  http::ResponseWriter& writer_;
  Tell tell_;
  std::string about_;
  bool told_ = false;
  int status_ = 0;
};

}  // namespace trainyard::server
