#pragma once

#include "http/wire/message.h"

#include <boost/asio/buffer.hpp>
#include <boost/beast/http/basic_parser.hpp>
#include <boost/beast/http/error.hpp>

#include <cstdint>
#include <functional>
#include <string>

namespace trainyard::http {

/// What both directions share: Beast's parser puts fields and body straight into our own types, so
/// that no second copy of a message is ever made. One parser reads one message.
template <bool kRequest>
class MessageParser : public boost::beast::http::basic_parser<kRequest> {
  using Base = boost::beast::http::basic_parser<kRequest>;

 public:
  using error_code = boost::beast::error_code;
  using beast_view = boost::beast::string_view;

  explicit MessageParser(boost::optional<std::uint64_t> body_limit) {
    this->eager(true);
    this->header_limit(kHeaderLimit);
    this->body_limit(body_limit);
  }

  /// How many bytes of `waiting` were read; what was left is given again, with more behind it.
  std::size_t put(const boost::asio::const_buffer& waiting, error_code& failure) {
    // A message whose only chunk is the last one ("0", CRLF, CRLF), of which all but the last byte
    // is there: Beast takes this for impossible, and says so by an assertion.
    if (wants_more_ && this->is_header_done() && waiting.size() > 0 &&
        waiting.size() < kLastChunk && *static_cast<const char*>(waiting.data()) == '0') {
      failure = boost::beast::http::error::need_more;
      return 0;
    }
    const std::size_t used = Base::put(waiting, failure);
    wants_more_ = failure == boost::beast::http::error::need_more;
    return used;
  }

  /// 10 or 11.
  int version() const { return version_; }

 protected:
  // Bearer tokens with many groups reach some 10 KiB; Beast's own limit of 8 would refuse them.
  static constexpr std::uint32_t kHeaderLimit = 64 * 1024;
  static constexpr std::uint64_t kTrustedLength = 1 << 20;
  static constexpr std::size_t kLastChunk = 5;

  void on_field_impl(boost::beast::http::field /*name*/, beast_view name, beast_view value,
                     error_code& /*failure*/) override {
    headers_.add(std::string(name), std::string(value));
  }
  void on_header_impl(error_code& /*failure*/) override {}
  void on_body_init_impl(const boost::optional<std::uint64_t>& length,
                         error_code& /*failure*/) override {
    // A claimed length costs the sender nothing: do not take much memory on its word alone.
    if (length) body_.reserve(static_cast<std::size_t>(std::min(*length, kTrustedLength)));
  }
  std::size_t on_body_impl(beast_view bytes, error_code& /*failure*/) override {
    body_.append(bytes.data(), bytes.size());
    return bytes.size();
  }
  void on_chunk_header_impl(std::uint64_t /*size*/, beast_view /*extensions*/,
                            error_code& /*failure*/) override {}
  std::size_t on_chunk_body_impl(std::uint64_t /*remain*/, beast_view bytes,
                                 error_code& /*failure*/) override {
    body_.append(bytes.data(), bytes.size());
    return bytes.size();
  }
  void on_finish_impl(error_code& /*failure*/) override {}

  int version_ = 11;
  bool wants_more_ = false;
  Headers headers_;
  std::string body_;
};

class RequestParser final : public MessageParser<true> {
 public:
  using MessageParser::MessageParser;

  /// Bodies of the requests of which `wanted` says so are of any size, and are taken in parts.
  /// `wanted` must outlive the parser.
  void stream_where(const std::function<bool(const Request&)>& wanted) { wanted_ = &wanted; }
  bool is_streamed() const { return streamed_; }
  /// Whether the client holds its body back until it sees "100 Continue".
  bool expects_continue() const;
  /// The message, once is_done(). Leaves the parser empty.
  Request take();
  /// The message without its body, once is_header_done().
  Request take_head();
  /// The part of the body that came since the last call.
  std::string take_body() { return std::exchange(body_, std::string()); }

 private:
  void on_request_impl(boost::beast::http::verb method, beast_view name, beast_view target,
                       int version, error_code& failure) override;
  void on_response_impl(int code, beast_view reason, int version, error_code& failure) override;

  Request request_;
  const std::function<bool(const Request&)>* wanted_ = nullptr;
  bool streamed_ = false;
};

class ResponseParser final : public MessageParser<false> {
 public:
  using MessageParser::MessageParser;

  int status() const { return status_; }
  const Headers& headers() const { return headers_; }
  /// The part of the body that came since the last call.
  std::string take_body() { return std::exchange(body_, std::string()); }

 private:
  void on_request_impl(boost::beast::http::verb method, beast_view name, beast_view target,
                       int version, error_code& failure) override;
  void on_response_impl(int code, beast_view reason, int version, error_code& failure) override;

  int status_ = 0;
};

}  // namespace trainyard::http
