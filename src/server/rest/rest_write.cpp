// The writing verbs of RestHandler.
#include "base/elsewhere.h"
#include "server/access/host_access.h"
#include "server/access/user_tokens.h"
#include "server/rest/rest.h"
#include "server/status.h"
#include "server/wire/encode.h"
#include "server/wire/request_options.h"

#include <fmt/format.h>

namespace trainyard::server {
namespace {

/// Of these kinds clients expect the object that was deleted as the answer, of others a Status.
bool returns_deleted(const Kind& kind) {
  const std::string& name = kind.resource.plural;
  return kind.resource.group.empty() &&
         (name == "pods" || name == "services" || name == "persistentvolumes" ||
          name == "persistentvolumeclaims" || name == "resourcequotas" ||
          name == "serviceaccounts");
}

Access creation_of(const Route& route) {
  Access access;
  access.verb = "create";
  access.is_resource = true;
  access.resource = route.resource;
  access.key = Key{route.key.ns, ""};
  return access;
}

}  // namespace

/// What the rights on a resource alone do not decide. `before` is what will be replaced, whatever
/// was there when the request came; null: the object will be created or nothing is written.
Result<> RestHandler::check_write(const Call& call, const Json& object, const Json* before) const {
  // An apply that found its object and lost it to a deletion creates it anew.
  if (before == nullptr && call.verb != "create") {
    TRY_OK(rbac_.check(call.user, creation_of(call.route)));
  }
  TRY_OK(check_host_access(rbac_, call.user, *call.kind, object, before));
  TRY_OK(check_user_secret(rbac_, call.user, *call.kind, object));
  if (before != nullptr) TRY_OK(check_user_secret(rbac_, call.user, *call.kind, *before));
  return rbac_.check_escalation(call.user, object, before);
}

/// Bodies of megabytes are read on another thread: that takes a second at worst.
awaitable<Result<Json>> RestHandler::decode(const http::Request& request,
                                            std::vector<std::string>& duplicates) {
  constexpr std::size_t kLong = 64 << 10;
  if (request.body.size() < kLong) co_return decode_body(request, duplicates);
  struct Decoded {
    Result<Json> body;
    std::vector<std::string> duplicates;
  };
  // Who is cancelled leaves the work behind: it has what it needs.
  http::Request own;
  own.method = request.method;
  own.headers = request.headers;
  own.body = request.body;
  auto work = [own = std::move(own)] {
    Decoded decoded;
    decoded.body = decode_body(own, decoded.duplicates);
    return decoded;
  };
  Decoded decoded = co_await run_elsewhere(verbs_.heavy(), std::move(work));
  duplicates.insert(duplicates.end(), decoded.duplicates.begin(), decoded.duplicates.end());
  co_return std::move(decoded.body);
}

awaitable<Result<>> RestHandler::write(Call& call) {
  if (call.verb == "delete") co_return co_await remove(call);
  if (call.verb == "deletecollection") co_return co_await remove_collection(call);
  CO_TRY(WriteOptions options, write_options(call.request));
  options.warnings = &call.warnings;
  options.check = [this, &call](const Json& object, const Json* before) {
    return check_write(call, object, before);
  };
  const bool named = !call.route.key.name.empty();
  if (call.verb == "create" && !named) co_return co_await create(call, std::move(options));
  if (call.verb == "update" && named) co_return co_await update(call, std::move(options));
  if (call.verb == "patch" && named) co_return co_await patch(call, std::move(options));
  co_return Error(Code::kUnsupported,
                  fmt::format("{} is not served at {}", call.request.method, call.request.path));
}

awaitable<Result<>> RestHandler::create(Call& call, WriteOptions options) {
  if (Reviews::answers(call.kind->resource)) {
    CO_TRY(Json body, decode_body(call.request));
    CO_TRY(const Json review,
           reviews_.answer(call.user, call.kind->resource, call.route.key.ns, std::move(body)));
    co_return co_await send(call, 201, to_text(review));
  }
  CO_TRY(Json body, co_await decode(call.request, options.duplicates));
  CO_TRY(const ObjectPtr created,
         co_await verbs_.create(call.kind, call.route.key.ns, std::move(body), std::move(options)));
  co_return co_await send_object(call, 201, created);
}

awaitable<Result<>> RestHandler::update(Call& call, WriteOptions options) {
  CO_TRY(Json body, co_await decode(call.request, options.duplicates));
  CO_TRY(const ObjectPtr updated, co_await verbs_.update(call.kind, call.route.key, std::move(body),
                                                         call.part, std::move(options)));
  co_return co_await send_object(call, 200, updated);
}

awaitable<Result<>> RestHandler::patch(Call& call, WriteOptions options) {
  if (media_type(call.request) == kApplyType) co_return co_await apply(call, std::move(options));
  const client::PatchType type = *patch_type(call.request);
  CO_TRY(Json body, co_await decode(call.request, options.duplicates));
  if (type == client::PatchType::kStrategic && call.kind->custom) {
    http::Response refusal = refuse_type(
        415, "UnsupportedMediaType",
        "the body of the request was in an unknown format - accepted media types include: "
        "application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml");
    co_return co_await call.writer.send(std::move(refusal));
  }
  CO_TRY(const ObjectPtr patched,
         co_await verbs_.patch(call.kind, call.route.key, type, std::move(body), call.part,
                               std::move(options)));
  co_return co_await send_object(call, 200, patched);
}

awaitable<Result<>> RestHandler::apply(Call& call, WriteOptions options) {
  CO_TRY(Json body, co_await decode(call.request, options.duplicates));
  const bool force = call.request.query.flag("force");
  // It may create the object, so it needs the right to; who has it not learns nothing else.
  if (!verbs_.get(*call.kind, call.route.key) && call.part == Part::kMain) {
    CO_TRY_OK(rbac_.check(call.user, creation_of(call.route)));
  }
  CO_TRY(const Verbs::Applied applied,
         co_await verbs_.apply(call.kind, call.route.key, std::move(body), call.part, force,
                               std::move(options)));
  co_return co_await send_object(call, applied.created ? 201 : 200, applied.object);
}

awaitable<Result<>> RestHandler::remove(Call& call) {
  CO_TRY(DeleteRequest request, delete_request(call.request));
  request.check = [this, &call](const Json& object) {
    return check_user_secret(rbac_, call.user, *call.kind, object);
  };
  const bool dry_run = request.dry_run;
  CO_TRY(const ObjectPtr removed,
         co_await verbs_.remove(call.kind, call.route.key, std::move(request)));
  if (!dry_run && is_being_deleted(removed->body()) &&
      verbs_.store().get(call.kind->collection, call.route.key) != nullptr) {
    co_return co_await send_object(call, 200, removed);
  }
  if (returns_deleted(*call.kind)) co_return co_await send_object(call, 200, removed);
  co_return co_await send(call, 200, to_text(deletion_status(*call.kind, removed->body())));
}

awaitable<Result<>> RestHandler::remove_collection(Call& call) {
  CO_TRY(DeleteRequest request, delete_request(call.request));
  request.check = [this, &call](const Json& object) {
    return check_user_secret(rbac_, call.user, *call.kind, object);
  };
  CO_TRY(const ListRequest selection, list_request(call.route, call.request.query));
  Page page;
  CO_TRY(page.listing, co_await verbs_.remove_collection(call.kind, selection, request));
  std::string text = co_await encode_list_in_turns(
      *call.kind, call.form, page, call.request.query.get("includeObject"), verbs_.clock().wall());
  co_return co_await send(call, 200, std::move(text));
}

}  // namespace trainyard::server
