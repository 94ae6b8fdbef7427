// Reading, but for watches.
#include "server/rest/handlers.h"
#include "server/wire/request_options.h"

namespace trainyard::server {
namespace {

awaitable<Result<>> get_object(Call& call, Verbs& verbs) {
  CO_TRY(const ObjectPtr object, verbs.get(*call.kind, call.route.key));
  co_return co_await call.send_object(200, object);
}

awaitable<Result<>> list_objects(Call& call, Verbs& verbs) {
  CO_TRY(const ListRequest request, list_request(call.route, call.request.query));
  CO_TRY(const Page page, verbs.list(*call.kind, request));
  co_return co_await call.send_list(page);
}

}  // namespace

CallHandler handle_get(const Sources& sources) {
  return handler(get_object, sources.verbs);
}

CallHandler handle_list(const Sources& sources) {
  return handler(list_objects, sources.verbs);
}

}  // namespace trainyard::server
