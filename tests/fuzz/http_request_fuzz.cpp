// HTTP requests: how they arrive does not matter, and what was read can be sent again.
#include "fuzz.h"
#include "http/wire/parser.h"

#include <boost/asio/buffer.hpp>
#include <boost/beast/http/error.hpp>
#include <fmt/format.h>

#include <algorithm>

namespace trainyard::fuzz {
namespace {

using http::Request;

constexpr std::uint64_t kBodyLimit = 64UL * 1024;

/// As a connection reads: bytes collect until the parser takes them, one message after the other.
std::vector<Request> read_in_pieces(std::string_view input, std::size_t piece) {
  std::vector<Request> requests;
  std::string waiting;
  auto parser = std::make_unique<http::RequestParser>(kBodyLimit);
  while (!input.empty()) {
    waiting += input.substr(0, piece);
    input.remove_prefix(std::min(piece, input.size()));
    for (bool more = true; more && !waiting.empty();) {
      boost::beast::error_code failure;
      const std::size_t used = parser->put(boost::asio::buffer(waiting), failure);
      require(used <= waiting.size(), "the parser takes what is there");
      waiting.erase(0, used);
      if (failure && failure != boost::beast::http::error::need_more) return requests;
      more = parser->is_done();
      if (!more) break;
      requests.push_back(parser->take());
      parser = std::make_unique<http::RequestParser>(kBodyLimit);
    }
  }
  return requests;
}

bool same(const Request& a, const Request& b) {
  return a.method == b.method && a.target == b.target && a.path == b.path &&
         a.query.all() == b.query.all() && a.headers.all() == b.headers.all() && a.body == b.body;
}

void check_query(const http::Query& query) {
  std::string encoded;
  for (const auto& [name, value] : query.all()) {
    encoded += fmt::format("&{}={}", http::percent_encode(name), http::percent_encode(value));
    require(http::percent_decode(http::percent_encode(value)) == value, "encoding loses nothing",
            value);
  }
  require(http::Query(encoded).all() == query.all(), "a query is encoded and read as it is",
          encoded);
}

/// Sends what was read, with its body in one piece.
void check_again(const Request& request) {
  std::string wire = fmt::format("{} {} HTTP/1.1\r\n", request.method, request.target);
  for (const auto& [name, value] : request.headers.all()) {
    const std::string_view unframed[] = {"content-length", "transfer-encoding", "connection"};
    std::string lower = name;
    std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) {
      return static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
    });
    if (std::find(std::begin(unframed), std::end(unframed), lower) != std::end(unframed)) continue;
    wire += fmt::format("{}: {}\r\n", name, value);
  }
  wire += fmt::format("Content-Length: {}\r\n\r\n{}", request.body.size(), request.body);
  if (wire.size() - request.body.size() > 60UL * 1024) return;  // near the limit of headers
  const std::vector<Request> again = read_in_pieces(wire, wire.size());
  require(again.size() == 1, "a request that was read can be sent again", wire);
  const Request& copy = again.front();
  require(copy.method == request.method && copy.path == request.path && copy.body == request.body &&
              copy.query.all() == request.query.all(),
          "and is the same request then", wire);
}

}  // namespace

void run(std::string_view input) {
  if (input.empty()) return;
  const std::size_t piece = 1 + static_cast<unsigned char>(input.front()) % 16;
  input.remove_prefix(1);
  // What is broken may be refused earlier or later; what is read must not depend on it.
  const auto whole = read_in_pieces(input, std::max<std::size_t>(input.size(), 1));
  for (const std::size_t size : {std::size_t{1}, piece}) {
    const auto parts = read_in_pieces(input, size);
    require(whole.size() == parts.size(), "how requests arrive does not matter", input);
    for (std::size_t i = 0; i < whole.size(); ++i) {
      require(same(whole[i], parts[i]), "nor what is read then", input);
    }
  }
  for (const Request& request : whole) {
    check_query(request.query);
    check_again(request);
  }
}

}  // namespace trainyard::fuzz
