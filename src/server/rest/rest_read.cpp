// The reading verbs of RestHandler, but for watch.
#include "server/rest/rest.h"
#include "server/wire/encode.h"
#include "server/wire/request_options.h"

namespace trainyard::server {

awaitable<Result<>> RestHandler::read(Call& call) {
  if (call.verb == "get") {
    CO_TRY(const ObjectPtr object, verbs_.get(*call.kind, call.route.key));
    co_return co_await send_object(call, 200, object);
  }
  CO_TRY(const ListRequest request, list_request(call.route, call.request.query));
  CO_TRY(const Page page, verbs_.list(*call.kind, request));
  std::string text = co_await encode_list_in_turns(
      *call.kind, call.form, page, call.request.query.get("includeObject"), verbs_.clock().wall());
  co_return co_await send(call, 200, std::move(text));
}

}  // namespace trainyard::server
