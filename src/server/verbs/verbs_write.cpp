// The writing verbs: create, update, patch, apply, scale.
#include "object/apply/managed_fields.h"
#include "object/patch/patch.h"
#include "server/admission/definitions.h"
#include "server/kinds/versions.h"
#include "server/status.h"
#include "server/verbs/scale.h"
#include "server/verbs/verbs.h"

#include <fmt/format.h>

namespace trainyard::server {
namespace {

constexpr int kApplyTries = 16;
constexpr int kNameTries = 8;  // for generateName: how often a taken name is replaced

Result<Json> apply_patch(const Kind& kind, const Json& current, client::PatchType type,
                         const Json& patch) {
  Json patched = current;
  switch (type) {
    case client::PatchType::kMerge:
      apply_merge_patch(patched, patch);
      break;
    case client::PatchType::kStrategic:
      TRY_OK(apply_strategic_patch(patched, patch, *kind.schema));
      break;
    case client::PatchType::kJson:
      TRY_OK(apply_json_patch(patched, patch));
      break;
  }
  return patched;
}

/// Deletion was asked for, and nobody has anything left to do before it.
bool may_go(const Kind& kind, const Json& object) {
  return is_being_deleted(object) && array_at(object, "metadata.finalizers").empty() &&
         int_at(object, "metadata.deletionGracePeriodSeconds") == 0 &&
         (kind.resource != kNamespaces || array_at(object, "spec.finalizers").empty());
}

/// A name made of generateName may be taken; then another one is.
bool chooses_name(const Json& object) {
  return object.is_object() && name_of(object).empty() &&
         !string_at(object, "metadata.generateName").empty();
}

}  // namespace

awaitable<Result<ObjectPtr>> Verbs::create(KindPtr kind, std::string ns, Json object,
                                           WriteOptions options) {
  if (!chooses_name(object)) {
    co_return co_await create_once(std::move(kind), std::move(ns), std::move(object), options);
  }
  Result<ObjectPtr> created;
  for (int i = 0; i < kNameTries; ++i) {
    created = co_await create_once(kind, ns, object, options);
    if (!created.failed_with(Code::kAlreadyExists)) break;
  }
  co_return created;
}

awaitable<Result<ObjectPtr>> Verbs::create_once(KindPtr kind, std::string ns, Json object,
                                                WriteOptions options, Json owners) {
  CO_TRY_OK(check_definition_stays(*kind));
  CO_TRY(Json admitted, admit_create(*kind, ns, std::move(object), context(options)));
  keep_system_fields(options.writer, nullptr, admitted, options.warnings);
  CO_TRY_OK(policies_.admit_create(*kind, ns, admitted));
  CO_TRY_OK(assign_ports(*kind, admitted));
  if (kind->resource == kDefinitions) {
    CO_TRY_OK(admit_definition(kinds_, nullptr, admitted, context(options)));
  }
  if (options.check) CO_TRY_OK(options.check(admitted, nullptr));
  if (owners.is_null()) {
    track(*kind, nullptr, admitted, Part::kMain, options);
  } else {
    make_path(admitted, "metadata.managedFields") = std::move(owners);
  }
  admitted = to_stored(*kind, std::move(admitted));
  const Key key = key_of(admitted);
  if (options.dry_run) {
    if (store_.get(kind->collection, key) != nullptr) co_return already_exists(*kind, key.name);
    CO_TRY_OK(quotas_.charge(*kind, nullptr, admitted, nullptr));
    co_return present(*kind, std::make_shared<const StoredObject>(std::move(admitted), 0));
  }
  store::Store::Write write;
  write.collection = kind->collection;
  write.key = key;
  auto hold = quotas_.hold();
  write.edit = [this, kind, held = hold.get(), admitted = std::move(admitted)](
                   const ObjectPtr& current) mutable -> Result<store::Store::Decision> {
    if (current != nullptr) {
      Error taken = already_exists(*kind, std::string(name_of(admitted)));
      if (!is_being_deleted(current->body())) return taken;
      return std::move(taken).within("object is being deleted");
    }
    TRY_OK(quotas_.charge(*kind, nullptr, admitted, held));
    return store::Store::Decision(std::move(admitted));
  };
  write.keep = std::move(hold);
  CO_TRY(ObjectPtr written, co_await store_.write(std::move(write)));
  CO_TRY_OK(co_await after_write(kind, written));
  co_return present(*kind, std::move(written));
}

awaitable<Result<ObjectPtr>> Verbs::change(KindPtr kind, Key key, bool dry_run, Change change) {
  if (dry_run) {
    CO_TRY(const ObjectPtr current, get(*kind, key));
    CO_TRY(Json changed, change(current->whole()));
    CO_TRY_OK(quotas_.charge(*kind, &current->body(), changed, nullptr));
    co_return std::make_shared<const StoredObject>(std::move(changed), current->revision());
  }
  store::Store::Write write;
  write.collection = kind->collection;
  write.key = key;
  auto hold = quotas_.hold();
  write.edit = [this, kind, name = key.name, held = hold.get(), change = std::move(change)](
                   const ObjectPtr& current) -> Result<store::Store::Decision> {
    if (current == nullptr) return not_found(*kind, name);
    const std::int64_t revision = current->revision();
    TRY(Json changed,
        change(differs_from_stored(*kind, revision) ? to_version(*kind, current->whole(), revision)
                                                    : current->whole()));
    if (may_go(*kind, changed) && !may_go(*kind, current->body())) return store::Store::Decision();
    TRY_OK(quotas_.charge(*kind, &current->body(), changed, held));
    return store::Store::Decision(to_stored(*kind, std::move(changed)));
  };
  write.keep = std::move(hold);
  CO_TRY(ObjectPtr written, co_await store_.write(std::move(write)));
  CO_TRY_OK(co_await after_write(kind, written));
  co_return present(*kind, std::move(written));
}

Result<> Verbs::assign_ports(const Kind& kind, Json& admitted) {
  if (kind.resource != kServices) return Ok();
  std::vector<FieldError> errors = node_ports_.assign(admitted);
  if (errors.empty()) return Ok();
  return invalid_object(kind, std::string(name_of(admitted)), std::move(errors));
}

Result<Json> Verbs::admit_change(const Kind& kind, const Json& current, Json object, Part part,
                                 const WriteOptions& options) {
  const AdmissionContext admission = context(options);
  const bool service = kind.resource == kServices && part == Part::kMain;
  if (service) NodePorts::keep_given(current, object);
  TRY(Json admitted, admit_update(kind, current, std::move(object), part, admission));
  keep_system_fields(options.writer, &current, admitted, options.warnings);
  if (service) TRY_OK(assign_ports(kind, admitted));
  if (kind.resource == kDefinitions && part == Part::kMain) {
    TRY_OK(admit_definition(kinds_, &current, admitted, admission));
  }
  if (options.check) TRY_OK(options.check(admitted, &current));
  return admitted;
}

awaitable<Result<ObjectPtr>> Verbs::update(KindPtr kind, Key key, Json object, Part part,
                                           WriteOptions options) {
  Change apply = [this, kind, part, options,
                  object = std::move(object)](const Json& current) -> Result<Json> {
    TRY(Json admitted, admit_change(*kind, current, object, part, options));
    track(*kind, &current, admitted, part, options);
    return admitted;
  };
  co_return co_await change(kind, std::move(key), options.dry_run, std::move(apply));
}

awaitable<Result<ObjectPtr>> Verbs::patch(KindPtr kind, Key key, client::PatchType type, Json patch,
                                          Part part, WriteOptions options) {
  Change apply = [this, kind, type, part, options,
                  patch = std::move(patch)](const Json& current) -> Result<Json> {
    TRY(Json patched, apply_patch(*kind, current, type, patch));
    TRY(Json admitted, admit_change(*kind, current, std::move(patched), part, options));
    track(*kind, &current, admitted, part, options);
    return admitted;
  };
  co_return co_await change(kind, std::move(key), options.dry_run, std::move(apply));
}

awaitable<Result<Verbs::Applied>> Verbs::apply(KindPtr kind, Key key, Json configuration, Part part,
                                               bool force, WriteOptions options) {
  FieldManager manager;
  manager.name = options.manager;
  manager.api_version = kind->resource.api_version();
  manager.time = format_time(clock_.wall());
  if (part == Part::kStatus) manager.subresource = "status";
  if (!name_of(configuration).empty() && name_of(configuration) != key.name) {
    co_return Error(Code::kBadRequest,
                    fmt::format("the name of the object ({}) does not match the name on the URL "
                                "({})",
                                name_of(configuration), key.name));
  }
  make_path(configuration, "metadata.name") = key.name;
  Change merge = [this, kind, part, force, manager, options,
                  configuration](const Json& current) -> Result<Json> {
    TRY(Json merged, apply_configuration(&current, configuration, *kind->schema, manager, force));
    const Json* managed = find(merged, "metadata.managedFields");
    Json owners = managed == nullptr ? Json(nullptr) : *managed;
    TRY(Json admitted, admit_change(*kind, current, std::move(merged), part, options));
    if (!owners.is_null()) make_path(admitted, "metadata.managedFields") = std::move(owners);
    return admitted;
  };
  // Others may create and delete it meanwhile: what is there is changed, what is not is created.
  Result<ObjectPtr> written;
  for (int i = 0; i < kApplyTries; ++i) {
    if (part == Part::kMain && store_.get(kind->collection, key) == nullptr) {
      CO_TRY(Json object,
             apply_configuration(nullptr, configuration, *kind->schema, manager, force));
      Json owners = *find(object, "metadata.managedFields");
      written = co_await create_once(kind, key.ns, std::move(object), options, std::move(owners));
      if (written) co_return Applied{*std::move(written), true};
      if (!written.failed_with(Code::kAlreadyExists)) break;
    } else {
      written = co_await change(kind, key, options.dry_run, merge);
      if (written) co_return Applied{*std::move(written), false};
      if (!written.failed_with(Code::kNotFound) || part != Part::kMain) break;
    }
  }
  co_return std::move(written).error();
}

awaitable<Result<ObjectPtr>> Verbs::update_scale(
    KindPtr kind, Key key, std::function<Result<Json>(const Json& scale)> edit,
    WriteOptions options) {
  options.subresource = "scale";
  Change apply = [this, kind, options,
                  edit = std::move(edit)](const Json& current) -> Result<Json> {
    const Json before = scale_of(*kind, current);
    TRY(const Json scale, edit(before));
    const std::string_view asked = string_at(scale, "metadata.resourceVersion");
    if (!asked.empty() && asked != string_at(before, "metadata.resourceVersion")) {
      return modified_meanwhile(*kind, std::string(name_of(current)));
    }
    Json scaled = current;
    TRY_OK(set_scale(*kind, scaled, scale));
    TRY(Json admitted, admit_change(*kind, current, std::move(scaled), Part::kMain, options));
    track(*kind, &current, admitted, Part::kMain, options);
    return admitted;
  };
  co_return co_await change(kind, std::move(key), options.dry_run, std::move(apply));
}

}  // namespace trainyard::server
