#pragma once

#include "base/clock.h"
#include "http/wire/message.h"
#include "server/route.h"
#include "server/verbs/verbs.h"

#include <string>
#include <vector>

namespace trainyard::server {

/// How objects go over the wire, in the form that the client asked for. The plain form is the text
/// that was made once when the object was stored.

void append_object(std::string& out, const Kind& kind, Form form, const ObjectPtr& object,
                   const std::string& include, WallTime now);
/// Others have a turn now and then.
awaitable<std::string> encode_list_in_turns(const Kind& kind, Form form, const Page& page,
                                            std::string include, WallTime now);
std::string encode_list(const Kind& kind, Form form, const Page& page, const std::string& include,
                        WallTime now);

http::Response json_response(int status, std::string body);
http::Response text_response(std::string text);
http::Response error_response(const Error& error);
http::Response error_response(const Error& error, const Kind& kind, const std::string& name);
/// For the two statuses that belong to HTTP alone and have no Code: 406 and 415.
http::Response refuse_type(int status, const char* reason, const std::string& message);
/// Warning headers as RFC 7234 writes them. Long ones are cut, and beyond fifty, or 4 KiB, where
/// Kubernetes stops too, there are no more: clients refuse answers whose header has no end.
void add_warnings(http::Response& response, const std::vector<std::string>& warnings);

/// Compresses large answers for clients that accept it.
void compress(const http::Request& request, http::Response& response);

}  // namespace trainyard::server
