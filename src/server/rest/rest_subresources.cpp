// What hangs below an object: status, scale, stacks, binding, eviction, token, finalize.
// Sessions are in rest_sessions.cpp, logs in rest_log.cpp.
#include "object/patch/patch.h"
#include "object/yaml/yaml.h"
#include "server/rest/rest.h"
#include "server/status.h"
#include "server/verbs/scale.h"
#include "server/wire/encode.h"
#include "server/wire/request_options.h"

#include <fmt/format.h>

#include <algorithm>

namespace trainyard::server {
namespace {

Json success() {
  return {{"kind", "Status"},
          {"apiVersion", "v1"},
          {"metadata", JsonObject()},
          {"status", "Success"},
          {"code", 201}};
}

}  // namespace

awaitable<Result<>> RestHandler::answer_subresource(Call& call) {
  const std::string& name = call.route.subresource;
  const Kind& kind = *call.kind;
  const bool stands_alone =
      (name == "status" && kind.has_status) || (name == "finalize" && kind.resource == kNamespaces);
  if (stands_alone) {
    call.part = name == "status" ? Part::kStatus : Part::kFinalize;
    if (call.verb == "get") co_return co_await read(call);
    if (call.verb == "update" || call.verb == "patch") co_return co_await write(call);
  }
  if (name == "scale" && kind.scale) co_return co_await scale(call);
  if (kind.resource == kPods) {
    if (name == "log" && call.verb == "get") co_return co_await log(call);
    if (name == "stacks" && call.verb == "get") co_return co_await stacks(call);
    if (name == "binding" && call.verb == "create") co_return co_await bind(call);
    if (name == "eviction" && call.verb == "create") co_return co_await evict(call);
    if (name == "exec" || name == "attach") co_return co_await open_session(call);
    if (name == "portforward") co_return co_await refuse_port_forward(call);
    if (name == "ephemeralcontainers") {
      co_return Error(Code::kBadRequest,
                      "ephemeral containers (kubectl debug) are not supported: a pod has the tools "
                      "of this machine, so `kubectl exec` can run them in it");
    }
  }
  if (name == client::kCurves && call.verb == "get" && contract::may_have_logs(kind.resource)) {
    co_return co_await read_curves(call);
  }
  if (kind.resource == kServiceAccounts && name == "token" && call.verb == "create") {
    co_return co_await make_token(call);
  }
  co_return Error(Code::kNotFound, fmt::format("{} have no subresource \"{}\" here that serves {}",
                                               kind.resource.plural, name, call.request.method));
}

awaitable<Result<>> RestHandler::scale(Call& call) {
  if (call.verb == "get") {
    CO_TRY(const ObjectPtr object, verbs_.get(*call.kind, call.route.key));
    co_return co_await send_scale(call, object->body());
  }
  if (call.verb != "update" && call.verb != "patch") {
    co_return Error(Code::kUnsupported,
                    fmt::format("{} is not served at {}", call.request.method, call.request.path));
  }
  CO_TRY(WriteOptions options, write_options(call.request));
  std::function<Result<Json>(const Json&)> edit;
  CO_TRY(Json body,
         call.verb == "patch" ? parse_json_or_yaml(call.request.body) : decode_body(call.request));
  if (call.verb == "update") {
    edit = [body = std::move(body)](const Json&) -> Result<Json> { return body; };
  } else {
    const bool json_patch = patch_type(call.request) == client::PatchType::kJson;
    edit = [body = std::move(body), json_patch](const Json& current) -> Result<Json> {
      Json scale = current;
      // The version that the patch was made for is its own affair: what is there is what it
      // changes.
      if (json_patch) {
        TRY_OK(apply_json_patch(scale, body));
      } else {
        apply_merge_patch(scale, body);
      }
      return scale;
    };
  }
  CO_TRY(const ObjectPtr scaled, co_await verbs_.update_scale(call.kind, call.route.key,
                                                              std::move(edit), std::move(options)));
  co_return co_await send_scale(call, scaled->body());
}

awaitable<Result<>> RestHandler::send_scale(Call& call, const Json& object) {
  const auto scale = std::make_shared<const StoredObject>(scale_of(*call.kind, object), 0);
  std::string body;
  append_object(body, scale_kind(), call.form, scale, call.request.query.get("includeObject"),
                verbs_.clock().wall());
  co_return co_await send(call, 200, std::move(body));
}

awaitable<Result<>> RestHandler::bind(Call& call) {
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
  CO_TRY_OK(co_await verbs_.bind(std::move(bindings)));
  co_return co_await send(call, 201, to_text(success()));
}

awaitable<Result<>> RestHandler::evict(Call& call) {
  CO_TRY(const Json body, decode_body(call.request));
  DeleteRequest request;
  if (const Json* grace = find(body, "deleteOptions.gracePeriodSeconds");
      grace != nullptr && grace->is_int64()) {
    request.grace_seconds = grace->get_int64();
  }
  request.uid = string_at(body, "deleteOptions.preconditions.uid");
  request.dry_run = !array_at(body, "deleteOptions.dryRun").empty();
  CO_TRY_OK(co_await verbs_.remove(call.kind, call.route.key, std::move(request)));
  co_return co_await send(call, 201, to_text(success()));
}

awaitable<Result<>> RestHandler::make_token(Call& call) {
  CO_TRY(Json body, decode_body(call.request));
  CO_TRY(const Json answer, reviews_.request_token(call.route.key, std::move(body)));
  co_return co_await send(call, 201, to_text(answer));
}

/// Where its processes are: like the log, what a program shows of itself, so the same people may
/// see it.
awaitable<Result<>> RestHandler::stacks(Call& call) {
  CO_TRY(const auto taken, co_await stacks_.take_stacks(call.route.key));
  Json answer = client::stacks_json(taken);
  answer.get_object()["metadata"] =
      JsonObject{{"name", call.route.key.name}, {"namespace", call.route.key.ns}};
  co_return co_await send(call, 200, to_text(answer));
}

awaitable<Result<>> RestHandler::list_kept(Call& call) {
  CO_TRY(const auto kept, co_await streams_.kept_logs(call.route.key.ns));
  JsonArray items;
  for (const client::KeptLog& log : kept) {
    items.push_back({{"metadata",
                      {{"namespace", log.pod.ns},
                       {"name", log.pod.name},
                       {"uid", log.uid},
                       {"labels", log.labels}}},
                     {"kept", format_time_micro(log.kept)}});
  }
  co_return co_await send(call, 200, to_text(Json{{"items", std::move(items)}}));
}

}  // namespace trainyard::server
