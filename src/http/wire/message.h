#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace trainyard::http {

/// Header fields in order. Names compare without regard to case.
class Headers {
 public:
  Headers() = default;
  Headers(std::initializer_list<std::pair<std::string, std::string>> fields) : fields_(fields) {}

  void add(std::string name, std::string value);
  /// The first value of that name, or nothing.
  std::optional<std::string_view> find(std::string_view name) const;
  /// How many values it has.
  std::size_t count(std::string_view name) const;
  const std::vector<std::pair<std::string, std::string>>& all() const { return fields_; }

 private:
  std::vector<std::pair<std::string, std::string>> fields_;
};

/// The query part of a target, percent-decoded, in order.
class Query {
 public:
  Query() = default;
  explicit Query(std::string_view encoded);

  std::optional<std::string_view> find(std::string_view name) const;
  std::string get(std::string_view name) const { return std::string(find(name).value_or("")); }
  /// true for `name`, `name=true` and `name=1`, as Kubernetes reads its flags.
  bool flag(std::string_view name) const;
  const std::vector<std::pair<std::string, std::string>>& all() const { return fields_; }

 private:
  std::vector<std::pair<std::string, std::string>> fields_;
};

std::string percent_decode(std::string_view text);
std::string percent_encode(std::string_view text);

/// What Content-Length says, when it says a number.
std::optional<std::uint64_t> content_length(const Headers& headers);

/// Who the other side proved to be: a certificate that the server's client authority has signed.
struct PeerCertificate {
  std::string common_name;
  std::vector<std::string> organizations;
  std::string fingerprint;                          // SHA-256 of the certificate, in hex
  std::chrono::system_clock::time_point not_after;  // a connection may live longer
};

/// A request with its whole body.
struct Request {
  std::string method;  // GET, POST, …
  std::string target;  // as sent: path?query, still encoded
  std::string path;    // decoded, without the query
  Query query;
  Headers headers;
  std::string body;
  std::string peer;  // address:port of the other side
  std::optional<PeerCertificate> certificate;
};

struct Response {
  int status = 200;
  Headers headers;
  std::string body;
};

}  // namespace trainyard::http
