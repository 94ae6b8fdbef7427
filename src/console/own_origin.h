#pragma once

#include "http/wire/message.h"

#include <cstdint>
#include <string>

namespace trainyard::console {

/// The console's address, and which requests are meant for it. A page from elsewhere can make a
/// browser send requests here, under a name of its own (DNS rebinding) or with our cookies.
class OwnOrigin {
 public:
  /// Once the port is known.
  void set(const std::string& host, std::uint16_t port);
  const std::string& authority() const { return authority_; }  // 127.0.0.1:6481
  std::string url() const { return "http://" + authority_; }
  std::uint16_t port() const { return port_; }

  /// Whether Host says that it is for us.
  bool is_named_by(const http::Request& request) const;
  /// Whether Host says localhost: the same machine, for people; for browsers another origin, and a
  /// name that leads to ::1 as well, where anybody may listen.
  bool is_called_localhost(const http::Request& request) const;

 private:
  std::string authority_;
  std::string local_authority_;  // localhost:6481
  std::uint16_t port_ = 0;
};

/// Whether it was sent by a page of the origin that it asks, or by none: by a person, or a program.
bool is_from_own_page(const http::Request& request);

/// Whether somebody followed a link to here, from wherever: a page in a tab of its own.
bool is_visit(const http::Request& request);

}  // namespace trainyard::console
