// The writing verbs.
#include "base/elsewhere.h"
#include "server/access/host_access.h"
#include "server/access/user_tokens.h"
#include "server/rest/handlers.h"
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

/// What the rights on a resource alone do not decide. `before` is what will be replaced, whatever
/// was there when the request came; null: the object will be created or nothing is written.
Result<> check_write(const Rbac& rbac, const Call& call, const Json& object, const Json* before) {
  // An apply that found its object and lost it to a deletion creates it anew.
  if (before == nullptr && call.verb != "create") {
    TRY_OK(rbac.check(call.user, creation_of(call.route)));
  }
  TRY_OK(check_host_access(rbac, call.user, *call.kind, object, before));
  TRY_OK(check_user_secret(rbac, call.user, *call.kind, object));
  if (before != nullptr) TRY_OK(check_user_secret(rbac, call.user, *call.kind, *before));
  return rbac.check_escalation(call.user, object, before);
}

/// Bodies of megabytes are read on another thread: that takes a second at worst.
awaitable<Result<Json>> decode(const Call& call, std::vector<std::string>& duplicates) {
  const http::Request& request = call.request;
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
  Decoded decoded = co_await run_elsewhere(call.heavy, std::move(work));
  duplicates.insert(duplicates.end(), decoded.duplicates.begin(), decoded.duplicates.end());
  co_return std::move(decoded.body);
}

Result<WriteOptions> options_of(Call& call, const Rbac& rbac) {
  TRY(WriteOptions options, write_options(call.request));
  options.warnings = &call.warnings;
  options.check = [&rbac, &call](const Json& object, const Json* before) {
    return check_write(rbac, call, object, before);
  };
  return options;
}

awaitable<Result<>> create_object(Call& call, Verbs& verbs, const Rbac& rbac) {
  CO_TRY(WriteOptions options, options_of(call, rbac));
  if (!call.route.key.name.empty()) co_return call.not_served();
  CO_TRY(Json body, co_await decode(call, options.duplicates));
  CO_TRY(const ObjectPtr created,
         co_await verbs.create(call.kind, call.route.key.ns, std::move(body), std::move(options)));
  call.writer.set_about(name_of(created->body()));
  co_return co_await call.send_object(201, created);
}

awaitable<Result<>> update_object(Call& call, Verbs& verbs, const Rbac& rbac) {
  CO_TRY(WriteOptions options, options_of(call, rbac));
  if (call.route.key.name.empty()) co_return call.not_served();
  CO_TRY(Json body, co_await decode(call, options.duplicates));
  CO_TRY(const ObjectPtr updated, co_await verbs.update(call.kind, call.route.key, std::move(body),
                                                        call.part, std::move(options)));
  co_return co_await call.send_object(200, updated);
}

awaitable<Result<>> apply_object(Call& call, Verbs& verbs, const Rbac& rbac, WriteOptions options) {
  CO_TRY(Json body, co_await decode(call, options.duplicates));
  const bool force = call.request.query.flag("force");
  // It may create the object, so it needs the right to; who has it not learns nothing else.
  if (!verbs.get(*call.kind, call.route.key) && call.part == Part::kMain) {
    CO_TRY_OK(rbac.check(call.user, creation_of(call.route)));
  }
  CO_TRY(const Verbs::Applied applied,
         co_await verbs.apply(call.kind, call.route.key, std::move(body), call.part, force,
                              std::move(options)));
  co_return co_await call.send_object(applied.created ? 201 : 200, applied.object);
}

awaitable<Result<>> patch_object(Call& call, Verbs& verbs, const Rbac& rbac) {
  CO_TRY(WriteOptions options, options_of(call, rbac));
  if (media_type(call.request) == kApplyType) {
    co_return co_await apply_object(call, verbs, rbac, std::move(options));
  }
  const client::PatchType type = *patch_type(call.request);
  CO_TRY(Json body, co_await decode(call, options.duplicates));
  if (type == client::PatchType::kStrategic && call.kind->custom) {
    http::Response refusal = refuse_type(
        415, "UnsupportedMediaType",
        "the body of the request was in an unknown format - accepted media types include: "
        "application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml");
    co_return co_await call.writer.send(std::move(refusal));
  }
  CO_TRY(const ObjectPtr patched,
         co_await verbs.patch(call.kind, call.route.key, type, std::move(body), call.part,
                              std::move(options)));
  co_return co_await call.send_object(200, patched);
}

awaitable<Result<>> remove_object(Call& call, Verbs& verbs, const Rbac& rbac) {
  CO_TRY(DeleteRequest request, delete_request(call.request));
  request.check = [&rbac, &call](const Json& object) {
    return check_user_secret(rbac, call.user, *call.kind, object);
  };
  const bool dry_run = request.dry_run;
  CO_TRY(const ObjectPtr removed,
         co_await verbs.remove(call.kind, call.route.key, std::move(request)));
  if (!dry_run && is_being_deleted(removed->body()) &&
      verbs.store().get(call.kind->collection, call.route.key) != nullptr) {
    co_return co_await call.send_object(200, removed);
  }
  if (returns_deleted(*call.kind)) co_return co_await call.send_object(200, removed);
  co_return co_await call.send(200, to_text(deletion_status(*call.kind, removed->body())));
}

awaitable<Result<>> remove_objects(Call& call, Verbs& verbs, const Rbac& rbac) {
  CO_TRY(DeleteRequest request, delete_request(call.request));
  request.check = [&rbac, &call](const Json& object) {
    return check_user_secret(rbac, call.user, *call.kind, object);
  };
  CO_TRY(const ListRequest selection, list_request(call.route, call.request.query));
  Page page;
  CO_TRY(page.listing, co_await verbs.remove_collection(call.kind, selection, request));
  co_return co_await call.send_list(page);
}

}  // namespace

CallHandler handle_create(const Sources& sources) {
  return handler(create_object, sources.verbs, sources.rbac);
}

CallHandler handle_update(const Sources& sources) {
  return handler(update_object, sources.verbs, sources.rbac);
}

CallHandler handle_patch(const Sources& sources) {
  return handler(patch_object, sources.verbs, sources.rbac);
}

CallHandler handle_delete(const Sources& sources) {
  return handler(remove_object, sources.verbs, sources.rbac);
}

CallHandler handle_delete_collection(const Sources& sources) {
  return handler(remove_objects, sources.verbs, sources.rbac);
}

}  // namespace trainyard::server
