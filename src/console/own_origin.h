#pragma once

#include "http/message.h"

#include <cstdint>
#include <string>

namespace trainyard::console {

/// Where a listener is reached, and which requests are meant for it. A page from elsewhere can make
/// a browser send requests here, under a name of its own (DNS rebinding) or with our cookies.
class OwnOrigin {
 public:
  /// Once the port is known.
  void set(const std::string& host, std::uint16_t port);
  const std::string& authority() const { return authority_; }  // 127.0.0.1:6481
  std::string url() const { return "http://" + authority_; }

  /// Whether Host says that it is for us.
  bool is_named_by(const http::Request& request) const;
  /// Whether it was sent by a page of ours, or by none: by a person, or by a program.
  bool is_behind(const http::Request& request) const;

 private:
  std::string authority_;
  std::string local_authority_;  // localhost:6481
};

/// Whether somebody followed a link to here, from wherever: a page in a tab of its own.
bool is_visit(const http::Request& request);

}  // namespace trainyard::console
