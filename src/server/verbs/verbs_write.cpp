// The writing verbs: create, update, patch, apply, scale.
#include "base/elsewhere.h"
#include "object/apply/managed_fields.h"
#include "object/patch/patch.h"
#include "server/admission/definitions.h"
#include "server/kinds/versions.h"
#include "server/status.h"
#include "server/verbs/scale.h"
#include "server/verbs/verbs.h"

#include <fmt/format.h>

#include <algorithm>

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

/// Who has no name changes fields for the system, which keeps track where somebody has begun to.
void track(const Kind& kind, const Json* before, Json& after, FieldManager manager) {
  if (manager.name.empty()) {
    const bool tracked = before != nullptr && find(*before, "metadata.managedFields") != nullptr;
    if (!tracked) return;
    manager.name = "trainyard";
  }
  track_update(after, before, *kind.schema, manager);
}

/// Counts values, and texts by their length, until it is clear.
bool exceeds(const Json& value, std::size_t& left) {
  const std::size_t own = 1 + (value.is_string() ? value.get_string().size() / 64 : 0);
  if (own > left) return true;
  left -= own;
  if (value.is_array()) {
    return std::any_of(value.get_array().begin(), value.get_array().end(),
                       [&](const Json& element) { return exceeds(element, left); });
  }
  if (!value.is_object()) return false;
  return std::any_of(value.get_object().begin(), value.get_object().end(),
                     [&](const auto& member) { return exceeds(member.value(), left); });
}

/// Whether looking at it takes so long that others should not wait for it.
bool is_heavy(const Json& object) {
  std::size_t left = 4000;
  return exceeds(object, left);
}
constexpr std::size_t kHeavyText = 128 << 10;

constexpr int kPreparations =
    3;  // before an object that changes all the time is changed on the loop

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
  CO_TRY(Json admitted, co_await admit_new(kind, ns, std::move(object), options));
  CO_TRY_OK(policies_.admit_create(*kind, ns, admitted));
  auto hold = options.dry_run ? nullptr : std::make_shared<Hold>();
  CO_TRY_OK(assign_ports(*kind, admitted, hold.get()));
  if (kind->resource == kDefinitions) {
    CO_TRY_OK(admit_definition(kinds_, nullptr, admitted, context(options)));
  }
  if (options.check) CO_TRY_OK(options.check(admitted, nullptr));
  if (owners.is_null()) {
    admitted = co_await track_new(kind, std::move(admitted), options);
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

awaitable<Result<Json>> Verbs::admit_new(KindPtr kind, std::string ns, Json object,
                                         WriteOptions options) {
  AdmissionContext admission = context(options);
  const auto admit = [writer = options.writer](const Kind& of, const std::string& where, Json sent,
                                               const AdmissionContext& with) -> Result<Json> {
    TRY(Json admitted, admit_create(of, where, std::move(sent), with));
    keep_system_fields(writer, nullptr, admitted, with.warnings);
    return admitted;
  };
  if (!is_heavy(object)) co_return admit(*kind, ns, std::move(object), admission);
  struct Admitted {
    Result<Json> object;
    std::vector<std::string> warnings;
  };
  auto work = [admit, admission, kind, ns, object = std::move(object)]() mutable {
    Admitted admitted;
    admission.warnings = &admitted.warnings;
    admitted.object = admit(*kind, ns, std::move(object), admission);
    return admitted;
  };
  Admitted admitted = co_await run_elsewhere(heavy(), std::move(work));
  co_await turnstile_.pass();
  if (options.warnings != nullptr) {
    options.warnings->insert(options.warnings->end(), admitted.warnings.begin(),
                             admitted.warnings.end());
  }
  co_return std::move(admitted.object);
}

awaitable<Json> Verbs::track_new(KindPtr kind, Json admitted, WriteOptions options) {
  const FieldManager manager = manager_of(*kind, Part::kMain, options);
  if (!is_heavy(admitted)) {
    track(*kind, nullptr, admitted, manager);
    co_return admitted;
  }
  auto work = [kind, manager, object = std::move(admitted)]() mutable {
    track(*kind, nullptr, object, manager);
    return std::move(object);
  };
  Json tracked = co_await run_elsewhere(heavy(), std::move(work));
  co_await turnstile_.pass();
  co_return tracked;
}

awaitable<Result<ObjectPtr>> Verbs::change(KindPtr kind, Key key, bool dry_run, Change change) {
  const auto shared = std::make_shared<const Change>(std::move(change));
  for (int i = 0; i < kPreparations; ++i) {
    CO_TRY(const std::shared_ptr<Prepared> prepared, co_await prepare(kind, key, shared));
    Result<ObjectPtr> changed = co_await change_once(kind, key, dry_run, shared, prepared);
    if (prepared == nullptr || !prepared->outdated) co_return changed;
  }
  co_return co_await change_once(std::move(kind), std::move(key), dry_run, shared, nullptr);
}

/// Null: it is small enough to be changed where it is stored, or is not there.
awaitable<Result<std::shared_ptr<Verbs::Prepared>>> Verbs::prepare(
    KindPtr kind, Key key, std::shared_ptr<const Change> change) {
  const std::shared_ptr<Prepared> nothing;
  const ObjectPtr seen = store_.get(kind->collection, key);
  if (!change->make_apart || seen == nullptr || differs_from_stored(*kind, seen->revision())) {
    co_return nothing;
  }
  struct Made {
    Result<Json> object;
    OwnWarnings warnings;
  };
  auto work = [change, text = seen->text()]() {
    Made made;
    const auto current = parse_json(text);
    made.object =
        current ? change->make_apart(*current, made.warnings) : Result<Json>(current.error());
    return made;
  };
  Made made = co_await run_elsewhere(heavy(), std::move(work));
  co_await turnstile_.pass();
  if (!made.object) co_return std::move(made.object).error();
  if (change->check) CO_TRY_OK(change->check(*made.object, &seen->body()));
  if (change->warnings != nullptr) {
    change->warnings->insert(change->warnings->end(), made.warnings.begin(), made.warnings.end());
  }
  auto prepared = std::make_shared<Prepared>();
  prepared->revision = seen->revision();
  prepared->object = *std::move(made.object);
  co_return prepared;
}

awaitable<Result<ObjectPtr>> Verbs::change_once(KindPtr kind, Key key, bool dry_run,
                                                std::shared_ptr<const Change> change,
                                                std::shared_ptr<Prepared> prepared) {
  const auto changed_from = [change, prepared](const Json& current, std::int64_t revision,
                                               Hold* hold) -> Result<Json> {
    if (prepared == nullptr) return change->make(current, hold);
    prepared->outdated = prepared->revision != revision;
    if (!prepared->outdated) return std::move(prepared->object);
    return Error(Code::kConflict, "it has changed meanwhile");
  };
  if (dry_run) {
    CO_TRY(const ObjectPtr current, get(*kind, key));
    CO_TRY(Json changed, changed_from(current->whole(), current->revision(), nullptr));
    CO_TRY_OK(quotas_.charge(*kind, &current->body(), changed, nullptr));
    co_return std::make_shared<const StoredObject>(std::move(changed), current->revision());
  }
  store::Store::Write write;
  write.collection = kind->collection;
  write.key = key;
  auto hold = std::make_shared<Hold>();
  write.edit = [this, kind, name = key.name, held = hold.get(), changed_from,
                is_prepared = prepared !=
                              nullptr](const ObjectPtr& current) -> Result<store::Store::Decision> {
    if (current == nullptr) return not_found(*kind, name);
    const std::int64_t revision = current->revision();
    Json before;
    if (!is_prepared) before = current->whole();
    if (differs_from_stored(*kind, revision))
      before = to_version(*kind, std::move(before), revision);
    TRY(Json changed, changed_from(before, revision, held));
    if (may_go(*kind, changed) && !may_go(*kind, current->body())) return store::Store::Decision();
    TRY_OK(quotas_.charge(*kind, &current->body(), changed, held));
    return store::Store::Decision(to_stored(*kind, std::move(changed)));
  };
  write.keep = std::move(hold);
  CO_TRY(ObjectPtr written, co_await store_.write(std::move(write)));
  CO_TRY_OK(co_await after_write(kind, written));
  co_return present(*kind, std::move(written));
}

/// `edit` must need nothing but its argument. `tracked`: the fields that it changes become the
/// manager's; else it has seen to that itself, and what it says stays.
Verbs::Change Verbs::change_by(KindPtr kind, Part part, const WriteOptions& options, bool tracked,
                               std::function<Result<Json>(const Json& current)> edit) {
  const auto finish = [kind, tracked, manager = manager_of(*kind, part, options)](
                          const Json& current, Json& admitted, Json owners) {
    if (tracked) {
      track(*kind, &current, admitted, manager);
    } else if (!owners.is_null()) {
      make_path(admitted, "metadata.managedFields") = std::move(owners);
    }
  };
  const auto owners_in = [](const Json& object) {
    const Json* owners = find(object, "metadata.managedFields");
    return owners == nullptr ? Json(nullptr) : *owners;
  };
  Change change;
  change.check = options.check;
  change.warnings = options.warnings;
  change.make = [this, kind, part, options, edit, finish, owners_in, tracked](
                    const Json& current, Hold* hold) -> Result<Json> {
    TRY(Json edited, edit(current));
    Json owners = tracked ? Json(nullptr) : owners_in(edited);
    TRY(Json admitted, admit_change(*kind, current, std::move(edited), part, options, hold));
    finish(current, admitted, std::move(owners));
    return admitted;
  };
  // Of these, more than the object itself decides.
  if (kind->resource == kServices || kind->resource == kDefinitions) return change;
  change.make_apart = [kind, part, edit, finish, owners_in, tracked, writer = options.writer,
                       admission = context(options)](const Json& current,
                                                     OwnWarnings& warnings) -> Result<Json> {
    AdmissionContext own = admission;
    own.warnings = &warnings;
    TRY(Json edited, edit(current));
    Json owners = tracked ? Json(nullptr) : owners_in(edited);
    TRY(Json admitted, admit_update(*kind, current, std::move(edited), part, own));
    keep_system_fields(writer, &current, admitted, &warnings);
    finish(current, admitted, std::move(owners));
    return admitted;
  };
  return change;
}

Result<> Verbs::assign_ports(const Kind& kind, Json& admitted, Hold* hold) {
  if (kind.resource != kServices) return Ok();
  std::vector<FieldError> errors = node_ports_.assign(admitted, hold);
  if (errors.empty()) return Ok();
  return invalid_object(kind, std::string(name_of(admitted)), std::move(errors));
}

Result<Json> Verbs::admit_change(const Kind& kind, const Json& current, Json object, Part part,
                                 const WriteOptions& options, Hold* hold) {
  const AdmissionContext admission = context(options);
  const bool service = kind.resource == kServices && part == Part::kMain;
  if (service) NodePorts::keep_given(current, object);
  TRY(Json admitted, admit_update(kind, current, std::move(object), part, admission));
  keep_system_fields(options.writer, &current, admitted, options.warnings);
  if (service) TRY_OK(assign_ports(kind, admitted, hold));
  if (kind.resource == kDefinitions && part == Part::kMain) {
    TRY_OK(admit_definition(kinds_, &current, admitted, admission));
  }
  if (options.check) TRY_OK(options.check(admitted, &current));
  return admitted;
}

// What was sent is shared by the two ways to do it: copies of megabytes would hold the loop, too.

awaitable<Result<ObjectPtr>> Verbs::update(KindPtr kind, Key key, Json object, Part part,
                                           WriteOptions options) {
  const bool heavy = is_heavy(object) || is_heavy_there(*kind, key);
  const auto sent = std::make_shared<const Json>(std::move(object));
  Change apply =
      change_by(kind, part, options, true, [sent](const Json&) -> Result<Json> { return *sent; });
  if (!heavy) apply.make_apart = nullptr;
  co_return co_await change(kind, std::move(key), options.dry_run, std::move(apply));
}

awaitable<Result<ObjectPtr>> Verbs::patch(KindPtr kind, Key key, client::PatchType type, Json patch,
                                          Part part, WriteOptions options) {
  const bool heavy = is_heavy(patch) || is_heavy_there(*kind, key);
  const auto sent = std::make_shared<const Json>(std::move(patch));
  Change apply = change_by(kind, part, options, true, [kind, type, sent](const Json& current) {
    return apply_patch(*kind, current, type, *sent);
  });
  if (!heavy) apply.make_apart = nullptr;
  co_return co_await change(kind, std::move(key), options.dry_run, std::move(apply));
}

/// By the length of its text, which costs nothing to know.
bool Verbs::is_heavy_there(const Kind& kind, const Key& key) const {
  const ObjectPtr there = store_.get(kind.collection, key);
  return there != nullptr && there->text_size() > kHeavyText;
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
  const bool heavy = is_heavy(configuration) || is_heavy_there(*kind, key);
  const auto sent = std::make_shared<const Json>(std::move(configuration));
  Change merge =
      change_by(kind, part, options, false,
                [kind, force, manager, sent](const Json& current) -> Result<Json> {
                  return apply_configuration(&current, *sent, *kind->schema, manager, force);
                });
  if (!heavy) merge.make_apart = nullptr;
  // Others may create and delete it meanwhile: what is there is changed, what is not is created.
  Result<ObjectPtr> written;
  for (int i = 0; i < kApplyTries; ++i) {
    if (part == Part::kMain && store_.get(kind->collection, key) == nullptr) {
      auto begin = [kind, sent, manager, force] {
        return apply_configuration(nullptr, *sent, *kind->schema, manager, force);
      };
      Result<Json> begun = heavy ? co_await run_elsewhere(heavy_.get_executor(), begin) : begin();
      CO_TRY(Json object, std::move(begun));
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
  Change apply;
  apply.make = [this, kind, options, edit = std::move(edit)](const Json& current,
                                                             Hold* hold) -> Result<Json> {
    const Json before = scale_of(*kind, current);
    TRY(const Json scale, edit(before));
    const std::string_view asked = string_at(scale, "metadata.resourceVersion");
    if (!asked.empty() && asked != string_at(before, "metadata.resourceVersion")) {
      return modified_meanwhile(*kind, std::string(name_of(current)));
    }
    Json scaled = current;
    TRY_OK(set_scale(*kind, scaled, scale));
    TRY(Json admitted, admit_change(*kind, current, std::move(scaled), Part::kMain, options, hold));
    track(*kind, &current, admitted, manager_of(*kind, Part::kMain, options));
    return admitted;
  };
  co_return co_await change(kind, std::move(key), options.dry_run, std::move(apply));
}

}  // namespace trainyard::server
