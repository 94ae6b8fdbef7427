#include "server/verbs.h"

#include "object/patch.h"
#include "server/status.h"

#include <fmt/format.h>

#include <algorithm>

namespace trainyard::server {
namespace {

constexpr std::int64_t kDefaultGrace = 30;

bool is_selectable(const Kind& kind, const std::string& field) {
  if (field == "metadata.name" || field == "metadata.namespace") return true;
  if (kind.resource == kEvents) {
    return field.starts_with("involvedObject.") || field == "type" || field == "reason" ||
           field == "reportingComponent" || field == "source";
  }
  if (kind.resource == kPods) {
    return field == "status.phase" || field == "spec.nodeName" || field == "spec.restartPolicy" ||
           field == "status.podIP" || field == "spec.serviceAccountName";
  }
  return kind.resource == kNamespaces && field == "status.phase";
}

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

bool has_finalizers(const Json& object) {
  return !array_at(object, "metadata.finalizers").empty();
}

/// How long a pod gets to end: nothing where no process can be running.
std::int64_t pod_grace(const Json& pod, const std::optional<std::int64_t>& asked) {
  const std::string_view phase = string_at(pod, "status.phase");
  if (string_at(pod, "spec.nodeName").empty() || phase == "Succeeded" || phase == "Failed") {
    return 0;
  }
  constexpr std::int64_t kLongest = 31'536'000;  // a year, as spec.terminationGracePeriodSeconds
  if (asked) return std::clamp<std::int64_t>(*asked, 0, kLongest);
  return std::clamp<std::int64_t>(int_at(pod, "spec.terminationGracePeriodSeconds", kDefaultGrace),
                                  0, kLongest);
}

Json marked_for_deletion(const Json& object, WallTime now, std::int64_t grace) {
  Json marked = object;
  // A second request may shorten the time that is left, never lengthen it.
  if (is_being_deleted(object) && int_at(object, "metadata.deletionGracePeriodSeconds") <= grace) {
    return marked;
  }
  make_path(marked, "metadata.deletionTimestamp") = format_time(now + std::chrono::seconds(grace));
  make_path(marked, "metadata.deletionGracePeriodSeconds") = grace;
  return marked;
}

Result<> check_preconditions(const Kind& kind, const Json& current, const DeleteRequest& request) {
  const bool same_uid = request.uid.empty() || request.uid == uid_of(current);
  const bool same_version =
      request.resource_version.empty() ||
      request.resource_version == string_at(current, "metadata.resourceVersion");
  if (same_uid && same_version) return Ok();
  return Error(
      Code::kConflict,
      fmt::format("{} \"{}\" is not the object that was meant: uid {} and resourceVersion "
                  "{} are asked for, {} and {} are there",
                  kind.resource.plural, name_of(current), request.uid, request.resource_version,
                  uid_of(current), string_at(current, "metadata.resourceVersion")));
}

}  // namespace

Result<Selection> Selection::parse(const Kind& kind, const client::ListOptions& options) {
  Selection selection;
  selection.ns_ = options.ns;
  TRY(selection.labels_, LabelSelector::parse(options.labels));
  TRY(selection.fields_, FieldSelector::parse(options.fields));
  for (const std::string& field : selection.fields_.fields()) {
    if (!is_selectable(kind, field)) {
      return Error(Code::kBadRequest, fmt::format("field label not supported: {}", field));
    }
  }
  return selection;
}

bool Selection::matches(const Json& object) const {
  return (ns_.empty() || namespace_of(object) == ns_) && labels_.matches(object) &&
         fields_.matches(object);
}

AdmissionContext Verbs::context(const WriteOptions& options) const {
  return AdmissionContext{clock_.wall(), options.validation, options.warnings};
}

Result<ObjectPtr> Verbs::get(const Kind& kind, const Key& key) const {
  ObjectPtr object = store_.get(store::collection_of(kind.resource), key);
  if (object == nullptr) return not_found(kind, key.name);
  return object;
}

Result<store::Listing> Verbs::list(const Kind& kind, const client::ListOptions& options) const {
  TRY(const Selection selection, Selection::parse(kind, options));
  store::Listing listing = store_.list(store::collection_of(kind.resource), options.ns);
  if (!options.labels.empty() || !options.fields.empty()) {
    std::erase_if(listing.objects,
                  [&](const ObjectPtr& object) { return !selection.matches(object->body()); });
  }
  return listing;
}

awaitable<Result<ObjectPtr>> Verbs::create(const Kind& kind, std::string ns, Json object,
                                           WriteOptions options) {
  CO_TRY(Json admitted, admit_create(kind, ns, std::move(object), context(options)));
  if (kind.namespaced && store_.get("namespaces", Key{"", ns}) == nullptr) {
    co_return Error(Code::kNotFound, fmt::format("namespaces \"{}\" not found", ns));
  }
  if (options.dry_run) co_return std::make_shared<const StoredObject>(std::move(admitted), 0);
  store::Store::Write write;
  write.collection = store::collection_of(kind.resource);
  write.key = key_of(admitted);
  write.edit = [&kind, admitted](const ObjectPtr& current) -> Result<store::Store::Decision> {
    if (current != nullptr) return already_exists(kind, std::string(name_of(admitted)));
    return store::Store::Decision(admitted);
  };
  co_return co_await store_.write(std::move(write));
}

awaitable<Result<ObjectPtr>> Verbs::change(const Kind& kind, Key key, bool dry_run, Change change) {
  if (dry_run) {
    CO_TRY(const ObjectPtr current, get(kind, key));
    CO_TRY(Json changed, change(current->body()));
    co_return std::make_shared<const StoredObject>(std::move(changed), current->revision());
  }
  store::Store::Write write;
  write.collection = store::collection_of(kind.resource);
  write.key = key;
  write.edit = [&kind, name = key.name, change = std::move(change)](
                   const ObjectPtr& current) -> Result<store::Store::Decision> {
    if (current == nullptr) return not_found(kind, name);
    TRY(Json changed, change(current->body()));
    // The last finalizer is gone and deletion was asked for: so it goes, unless it is a pod whose
    // processes still have time to end.
    if (is_being_deleted(changed) && has_finalizers(current->body()) && !has_finalizers(changed) &&
        int_at(changed, "metadata.deletionGracePeriodSeconds") == 0) {
      return store::Store::Decision();
    }
    return store::Store::Decision(std::move(changed));
  };
  co_return co_await store_.write(std::move(write));
}

awaitable<Result<ObjectPtr>> Verbs::update(const Kind& kind, Key key, Json object, Part part,
                                           WriteOptions options) {
  const AdmissionContext admission = context(options);
  Change apply = [&kind, part, admission, object = std::move(object)](const Json& current) {
    return admit_update(kind, current, object, part, admission);
  };
  co_return co_await change(kind, std::move(key), options.dry_run, std::move(apply));
}

awaitable<Result<ObjectPtr>> Verbs::patch(const Kind& kind, Key key, client::PatchType type,
                                          Json patch, Part part, WriteOptions options) {
  const AdmissionContext admission = context(options);
  Change apply = [&kind, type, part, admission,
                  patch = std::move(patch)](const Json& current) -> Result<Json> {
    TRY(Json patched, apply_patch(kind, current, type, patch));
    return admit_update(kind, current, std::move(patched), part, admission);
  };
  co_return co_await change(kind, std::move(key), options.dry_run, std::move(apply));
}

awaitable<Result<ObjectPtr>> Verbs::remove(const Kind& kind, Key key, DeleteRequest request) {
  if (kind.resource == kNamespaces && (key.name == "default" || key.name == "kube-system")) {
    co_return Error(
        Code::kForbidden,
        fmt::format("namespaces \"{}\" is forbidden: this namespace may not be deleted", key.name));
  }
  if (request.dry_run) co_return get(kind, key);
  const WallTime now = clock_.wall();
  store::Store::Write write;
  write.collection = store::collection_of(kind.resource);
  write.key = key;
  write.edit = [&kind, name = key.name, request,
                now](const ObjectPtr& current) -> Result<store::Store::Decision> {
    if (current == nullptr) return not_found(kind, name);
    const Json& body = current->body();
    TRY_OK(check_preconditions(kind, body, request));
    const std::int64_t grace = kind.resource == kPods ? pod_grace(body, request.grace_seconds) : 0;
    if (grace > 0 || has_finalizers(body)) {
      return store::Store::Decision(marked_for_deletion(body, now, grace));
    }
    return store::Store::Decision();
  };
  co_return co_await store_.write(std::move(write));
}

awaitable<Result<>> Verbs::bind(std::vector<client::Binding> bindings) {
  std::vector<store::Store::Write> writes;
  const std::string now = format_time(clock_.wall());
  const Kind& pods = *kinds_.find(kPods);
  for (client::Binding& binding : bindings) {
    store::Store::Write write;
    write.collection = store::collection_of(kPods);
    write.key = binding.pod;
    write.edit = [&pods, binding = std::move(binding),
                  now](const ObjectPtr& current) -> Result<store::Store::Decision> {
      if (current == nullptr) return not_found(pods, binding.pod.name);
      if (!string_at(current->body(), "spec.nodeName").empty() ||
          is_being_deleted(current->body())) {
        return Error(Code::kConflict,
                     fmt::format("pod {} is placed already or being deleted", binding.pod.name));
      }
      Json pod = current->body();
      make_path(pod, "spec.nodeName") = binding.node;
      make_path(pod, "status.conditions") =
          JsonArray{{{"type", "PodScheduled"}, {"status", "True"}, {"lastTransitionTime", now}}};
      return store::Store::Decision(std::move(pod));
    };
    writes.push_back(std::move(write));
  }
  CO_TRY_OK(co_await store_.write_all(std::move(writes)));
  co_return Ok();
}

}  // namespace trainyard::server
