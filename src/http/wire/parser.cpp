#include "http/wire/parser.h"

#include "base/words/text.h"

#include <utility>

namespace trainyard::http {
namespace {

/// Path and query of a target. Proxies send the absolute form, http://host/path?query.
std::string_view without_origin(std::string_view target) {
  const std::size_t scheme = target.find("://");
  if (target.starts_with('/') || scheme == std::string_view::npos) return target;
  const std::size_t path = target.find('/', scheme + 3);
  return path == std::string_view::npos ? std::string_view("/") : target.substr(path);
}

}  // namespace

bool RequestParser::expects_continue() const {
  const std::optional<std::string_view> expect = headers_.find("Expect");
  return version_ == 11 && expect && equal_ignoring_case(*expect, "100-continue");
}

Request RequestParser::take_head() {
  request_.headers = std::move(headers_);
  return std::move(request_);
}

Request RequestParser::take() {
  request_.body = std::move(body_);
  return take_head();
}

void RequestParser::on_request_impl(boost::beast::http::verb /*method*/, beast_view name,
                                    beast_view target, int version, error_code& /*failure*/) {
  version_ = version;
  request_.method.assign(name.data(), name.size());
  request_.target.assign(target.data(), target.size());
  const std::string_view local = without_origin(request_.target);
  const std::size_t question = local.find('?');
  request_.path = percent_decode(local.substr(0, question));
  if (question != std::string_view::npos) request_.query = Query(local.substr(question + 1));
  if (wanted_ == nullptr || !*wanted_ || !(*wanted_)(request_)) return;
  streamed_ = true;
  body_limit(boost::none);
}

void RequestParser::on_response_impl(int /*code*/, beast_view /*reason*/, int /*version*/,
                                     error_code& /*failure*/) {}

void ResponseParser::on_request_impl(boost::beast::http::verb /*method*/, beast_view /*name*/,
                                     beast_view /*target*/, int /*version*/,
                                     error_code& /*failure*/) {}

void ResponseParser::on_response_impl(int code, beast_view /*reason*/, int version,
                                      error_code& /*failure*/) {
  status_ = code;
  version_ = version;
}

}  // namespace trainyard::http
