// …/NAME/scale: how many replicas there are to be, whatever the kind calls it.
#include "object/patch/patch.h"
#include "object/yaml/yaml.h"
#include "server/rest/handlers.h"
#include "server/verbs/scale.h"
#include "server/wire/request_options.h"

#include <functional>

namespace trainyard::server {
namespace {

awaitable<Result<>> send_scale(Call& call, const Json& object) {
  const auto scale = std::make_shared<const StoredObject>(scale_of(*call.kind, object), 0);
  co_return co_await call.send_object_of(scale_kind(), 200, scale);
}

awaitable<Result<>> get_scale(Call& call, Verbs& verbs) {
  CO_TRY(const ObjectPtr object, verbs.get(*call.kind, call.route.key));
  co_return co_await send_scale(call, object->body());
}

awaitable<Result<>> write_scale(Call& call, Verbs& verbs) {
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
  CO_TRY(const ObjectPtr scaled, co_await verbs.update_scale(call.kind, call.route.key,
                                                             std::move(edit), std::move(options)));
  co_return co_await send_scale(call, scaled->body());
}

}  // namespace

CallHandler handle_get_scale(const Sources& sources) {
  return handler(get_scale, sources.verbs);
}

CallHandler handle_write_scale(const Sources& sources) {
  return handler(write_scale, sources.verbs);
}

}  // namespace trainyard::server
