// pods/NAME/stacks: where its processes are.
#include "server/rest/handlers.h"

namespace trainyard::server {
namespace {

/// Like the log, what a program shows of itself, so the same people may see it.
awaitable<Result<>> tell_stacks(Call& call, client::PodStacks& stacks) {
  CO_TRY(const auto taken, co_await stacks.take_stacks(call.route.key));
  Json answer = client::stacks_json(taken);
  answer.get_object()["metadata"] =
      JsonObject{{"name", call.route.key.name}, {"namespace", call.route.key.ns}};
  co_return co_await call.send(200, to_text(answer));
}

}  // namespace

CallHandler handle_stacks(const Sources& sources) {
  return handler(tell_stacks, sources.stacks);
}

}  // namespace trainyard::server
