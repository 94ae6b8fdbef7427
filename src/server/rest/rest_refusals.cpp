// What other servers serve and we do not, and what to do instead.
#include "server/rest/handlers.h"

#include <fmt/format.h>

namespace trainyard::server {
namespace {

awaitable<Result<>> refuse_verb(Call& call) {
  co_return call.not_served();
}

awaitable<Result<>> refuse_port_forward(Call& call, Verbs& verbs) {
  CO_TRY(const ObjectPtr pod, verbs.get(*call.kind, call.route.key));
  const std::string ip(string_at(pod->body(), "status.podIP"));
  co_return Error(
      Code::kBadRequest,
      fmt::format("port-forward needs SPDY, which is not served here. The pod's ports are on this "
                  "machine already{}; for a notebook or TensorBoard use `trainyard open`",
                  ip.empty() ? "" : ", at " + ip));
}

awaitable<Result<>> refuse_ephemeral_containers(Call&) {
  co_return Error(Code::kBadRequest,
                  "ephemeral containers (kubectl debug) are not supported: a pod has the tools "
                  "of this machine, so `kubectl exec` can run them in it");
}

}  // namespace

CallHandler handle_not_served(const Sources&) {
  return refuse_verb;
}

CallHandler handle_port_forward(const Sources& sources) {
  return handler(refuse_port_forward, sources.verbs);
}

CallHandler handle_ephemeral_containers(const Sources&) {
  return refuse_ephemeral_containers;
}

}  // namespace trainyard::server
