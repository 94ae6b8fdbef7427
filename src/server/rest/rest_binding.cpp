// pods/NAME/binding and pods/NAME/eviction: where a pod goes, and that it has to go.
#include "object/values/metadata.h"
#include "server/rest/handlers.h"
#include "server/wire/request_options.h"

namespace trainyard::server {
namespace {

Json success() {
  return {{"kind", "Status"},
          {"apiVersion", "v1"},
          {"metadata", JsonObject()},
          {"status", "Success"},
          {"code", 201}};
}

awaitable<Result<>> bind_pod(Call& call, Verbs& verbs) {
  CO_TRY(const Json body, decode_body(call.request));
  client::Binding binding{call.route.key, std::string(string_at(body, "target.name"))};
  if (binding.node.empty()) {
    co_return Error(Code::kInvalid, "Binding \"" + call.route.key.name +
                                        "\" is invalid: target.name: Required value");
  }
  for (const auto& annotation : object_at(body, "metadata.annotations")) {
    if (!annotation.value().is_string() || is_system_annotation(annotation.key())) continue;
    binding.annotations[annotation.key()] = to_string(annotation.value().get_string());
  }
  std::vector<client::Binding> bindings;
  bindings.push_back(std::move(binding));
  CO_TRY_OK(co_await verbs.bind(std::move(bindings)));
  co_return co_await call.send(201, to_text(success()));
}

awaitable<Result<>> evict_pod(Call& call, Verbs& verbs) {
  CO_TRY(const Json body, decode_body(call.request));
  DeleteRequest request;
  if (const Json* grace = find(body, "deleteOptions.gracePeriodSeconds");
      grace != nullptr && grace->is_int64()) {
    request.grace_seconds = grace->get_int64();
  }
  request.uid = string_at(body, "deleteOptions.preconditions.uid");
  request.dry_run = !array_at(body, "deleteOptions.dryRun").empty();
  CO_TRY_OK(co_await verbs.remove(call.kind, call.route.key, std::move(request)));
  co_return co_await call.send(201, to_text(success()));
}

}  // namespace

CallHandler handle_binding(const Sources& sources) {
  return handler(bind_pod, sources.verbs);
}

CallHandler handle_eviction(const Sources& sources) {
  return handler(evict_pod, sources.verbs);
}

}  // namespace trainyard::server
