#pragma once

#include "http/wire/message.h"

#include <string>
#include <string_view>

namespace trainyard::http {

// The text of HTTP/1.1 as we write it. All append to a buffer that its owner keeps and reuses.

/// "HTTP/1.1 200 OK" and its line end.
void append_status_line(std::string& out, int status);
/// Line breaks inside become spaces: a value taken from user input must not start a new header.
void append_field(std::string& out, std::string_view name, std::string_view value);
/// All of `headers` except those which frame the message: they are ours to write.
void append_fields(std::string& out, const Headers& headers);
void append_length(std::string& out, std::size_t body_size);
/// One chunk with its framing. `data` must not be empty: that would be the end of the body.
void append_chunk(std::string& out, std::string_view data);

/// Whether an answer with this status has a body at all.
bool status_has_body(int status);
/// An answer of the http layer itself: a Kubernetes Status, which is what clients can print.
/// `message` must need no escaping in JSON.
Response error_response(int status, std::string_view reason, std::string_view message);

}  // namespace trainyard::http
