#pragma once

#include "http/wire/message.h"
#include "server/route.h"
#include "server/verbs/verbs.h"

#include <optional>
#include <string>

namespace trainyard::server {

/// What requests say in their query, headers and bodies, read and checked.

Result<WriteOptions> write_options(const http::Request& request);
Result<ListRequest> list_request(const Route& route, const http::Query& query);
/// From the query and, where there is one, the DeleteOptions in the body.
Result<DeleteRequest> delete_request(const http::Request& request);

/// A number that may be left out, 0 or more.
Result<std::optional<std::int64_t>> integer_parameter(const http::Query& query,
                                                      std::string_view name);

/// The Content-Type without its parameters; JSON when none is given.
std::string media_type(const http::Request& request);
/// A body in JSON, YAML or protobuf, as its media type says.
Result<Json> decode_body(const http::Request& request);
/// The same where a key may occur twice in one object: the last one counts, and each is told of.
Result<Json> decode_body(const http::Request& request, std::vector<std::string>& duplicates);
/// What is wrong with the type of the body; empty when it can be read.
std::string body_type_problem(const http::Request& request);

inline constexpr const char* kApplyType = "application/apply-patch+yaml";
std::optional<client::PatchType> patch_type(const http::Request& request);

}  // namespace trainyard::server
