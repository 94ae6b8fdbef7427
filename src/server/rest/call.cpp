#include "server/rest/call.h"

#include "base/elsewhere.h"
#include "server/wire/encode.h"

#include <fmt/format.h>

namespace trainyard::server {

awaitable<Result<>> Call::send(int status, std::string body) {
  http::Response response = json_response(status, std::move(body));
  add_warnings(response, warnings);
  constexpr std::size_t kLong = 512UL << 10;
  if (response.body.size() < kLong) {
    compress(request, response);
  } else {
    http::Request asked;  // who is cancelled leaves the work behind: it has what it needs
    asked.headers = request.headers;
    auto work = [asked = std::move(asked), response = std::move(response)]() mutable {
      compress(asked, response);
      return std::move(response);
    };
    response = co_await run_elsewhere(heavy, std::move(work));
  }
  co_return co_await writer.send(std::move(response));
}

awaitable<Result<>> Call::send_object(int status, const ObjectPtr& object) {
  return send_object_of(*kind, status, object);
}

awaitable<Result<>> Call::send_object_of(const Kind& other, int status, const ObjectPtr& object) {
  std::string body;
  append_object(body, other, form, object, request.query.get("includeObject"), clock.wall());
  return send(status, std::move(body));
}

awaitable<Result<>> Call::send_list(const Page& page) {
  std::string text = co_await encode_list_in_turns(
      *kind, form, page, request.query.get("includeObject"), clock.wall());
  co_return co_await send(200, std::move(text));
}

Error Call::not_served() const {
  return Error(Code::kUnsupported,
               fmt::format("{} is not served at {}", request.method, request.path));
}

}  // namespace trainyard::server
