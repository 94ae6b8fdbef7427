#include "http/wire.h"

#include "base/words/text.h"

#include <boost/beast/http/status.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace trainyard::http {
namespace {

void append_number(std::string& out, std::size_t number, int base) {
  char digits[24];
  const auto end = std::to_chars(std::begin(digits), std::end(digits), number, base).ptr;
  out.append(digits, end);
}

void append_line_part(std::string& out, std::string_view text) {
  const std::size_t start = out.size();
  out.append(text);
  if (text.find_first_of("\r\n") == std::string_view::npos) return;
  const auto from = out.begin() + static_cast<std::ptrdiff_t>(start);
  std::replace_if(from, out.end(), [](char c) { return c == '\r' || c == '\n'; }, ' ');
}

}  // namespace

void append_status_line(std::string& out, int status) {
  if (status == 200) {  // nearly always
    out.append("HTTP/1.1 200 OK\r\n");
    return;
  }
  namespace beast_http = boost::beast::http;
  const auto code = static_cast<unsigned>(status);
  const auto phrase = beast_http::obsolete_reason(beast_http::int_to_status(code));
  out.append("HTTP/1.1 ");
  append_number(out, code, 10);
  out.push_back(' ');
  out.append(phrase.data(), phrase.size());
  out.append("\r\n");
}

void append_field(std::string& out, std::string_view name, std::string_view value) {
  append_line_part(out, name);
  out.append(": ");
  append_line_part(out, value);
  out.append("\r\n");
}

void append_fields(std::string& out, const Headers& headers) {
  for (const auto& [name, value] : headers.all()) {
    if (equal_ignoring_case(name, "Content-Length") ||
        equal_ignoring_case(name, "Transfer-Encoding") || equal_ignoring_case(name, "Connection")) {
      continue;
    }
    append_field(out, name, value);
  }
}

void append_length(std::string& out, std::size_t body_size) {
  out.append("Content-Length: ");
  append_number(out, body_size, 10);
  out.append("\r\n");
}

void append_chunk(std::string& out, std::string_view data) {
  append_number(out, data.size(), 16);
  out.append("\r\n");
  out.append(data);
  out.append("\r\n");
}

bool status_has_body(int status) {
  return status >= 200 && status != 204 && status != 304;
}

Response error_response(int status, std::string_view reason, std::string_view message) {
  Response response;
  response.status = status;
  response.headers.add("Content-Type", "application/json");
  response.body =
      fmt::format(R"({{"kind":"Status","apiVersion":"v1","metadata":{{}},"status":"Failure",)"
                  R"("message":"{}","reason":"{}","code":{}}})"
                  "\n",
                  message, reason, status);
  return response;
}

}  // namespace trainyard::http
