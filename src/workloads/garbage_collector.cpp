#include "workloads/garbage_collector.h"

#include "base/log.h"
#include "workloads/text.h"

#include <fmt/format.h>

namespace trainyard::workloads {

using namespace std::chrono_literals;

namespace {

constexpr std::chrono::milliseconds kStrayPause = 1min;
const Key kStrays{"", "strays"};  // no uid looks like that

/// What is gone needs nothing any more.
Result<> unless_gone(const Result<ObjectPtr>& written) {
  if (written || written.failed_with(Code::kNotFound)) return Ok();
  return written.error();
}

OwnerState state_of_present(const Json& owner) {
  return is_deleting_foreground(owner) ? OwnerState::kWaiting : OwnerState::kSolid;
}

/// A patch that holds only for the object in the state that was looked at.
Json metadata_patch(const Json& object, const char* field, JsonArray value) {
  JsonObject metadata{{"uid", uid_of(object)},
                      {"resourceVersion", string_at(object, "metadata.resourceVersion")}};
  if (value.empty()) {
    metadata[field] = nullptr;
  } else {
    metadata[field] = std::move(value);
  }
  return {{"metadata", std::move(metadata)}};
}

}  // namespace

GarbageCollector::GarbageCollector(Executor loop, client::Api& api, Clock& clock,
                                   ServedKinds& kinds)
    : api_(api),
      kinds_(kinds),
      events_(api, clock, "garbage-collector-controller"),
      controller_("garbage collector", loop, clock, *this),
      followers_(loop, api, clock,
                 [this](const Resource& resource, const ObjectPtr& object, bool deleted) {
                   look_at(deleted ? graph_.forget(std::string(uid_of(object->body())))
                                   : graph_.observe(resource, object));
                 }) {
  kinds_.on_change([this] { follow_kinds(); });
}

void GarbageCollector::start() {
  controller_.add_after(kStrays, kStrayPause);
  controller_.start(/*workers=*/20);
}

awaitable<void> GarbageCollector::stop() {
  co_await followers_.stop();
  co_await controller_.stop();
}

void GarbageCollector::follow_kinds() {
  std::set<Resource> resources;
  for (const ServedKind& kind : kinds_.all()) {
    // Nobody owns them, and there are many: they go by their age.
    if (kind.resource.plural != "events") resources.insert(kind.resource);
  }
  for (const Resource& resource : followers_.followed()) {
    if (!resources.contains(resource)) graph_.drop(resource);
  }
  followers_.follow(resources);
  look_at_strays();
}

void GarbageCollector::look_at(const OwnerGraph::Uids& uids) {
  for (const std::string& uid : uids) controller_.add(Key{"", uid});
}

void GarbageCollector::look_at_strays() {
  look_at(graph_.dependents_of_unseen());
}

awaitable<Result<client::Requeue>> GarbageCollector::reconcile(Key key) {
  if (key == kStrays) {
    look_at_strays();
    co_return client::Requeue(kStrayPause);
  }
  const OwnerGraph::Member* member = graph_.find(key.name);
  if (member == nullptr || member->object == nullptr) co_return client::Requeue();
  const Resource resource = member->resource;
  const Key object_key = key_of(member->object->body());
  // The watch may lag: what is decided upon is the object as it is now.
  auto object = co_await api_.get(resource, object_key);
  if (object.failed_with(Code::kNotFound)) co_return client::Requeue();
  if (!object) co_return std::move(object).error();
  if (uid_of((*object)->body()) != key.name) co_return client::Requeue();
  co_return co_await judge(resource, *object);
}

awaitable<Result<client::Requeue>> GarbageCollector::judge(Resource resource, ObjectPtr object) {
  const Json& body = object->body();
  const std::string uid(uid_of(body));
  const bool held_for_dependents = is_deleting_foreground(body) || is_orphaning(body);
  if (held_for_dependents && !followers_.synced()) {
    co_return client::Requeue(200ms);  // its dependents may be of a kind not listed yet
  }
  if (is_orphaning(body)) {
    CO_TRY_OK(co_await orphan_dependents(resource, object));
    co_return client::Requeue();
  }
  CollectionView view{body, {}, false, false, false};
  if (!is_being_deleted(body)) {
    for (OwnerReference& reference : read_owners(body)) {
      CO_TRY(const OwnerState state, co_await state_of(std::move(reference), object));
      view.owners.push_back(state);
    }
  }
  const OwnerGraph::Member* member = graph_.find(uid);
  view.has_dependents = member != nullptr && !member->dependents.empty();
  view.has_waiting_dependent = graph_.has_waiting_dependent(uid);
  view.is_blocked = graph_.is_blocked(uid);
  CO_TRY_OK(co_await apply(resource, object, decide_collection(view)));
  co_return client::Requeue();
}

awaitable<Result<OwnerState>> GarbageCollector::state_of(OwnerReference reference,
                                                         ObjectPtr dependent) {
  const std::string ns(namespace_of(dependent->body()));
  const ServedKind* kind = kinds_.find(reference.api_version, reference.kind);
  // An owner of a kind that is not served cannot be looked up, so nothing is removed for it.
  if (kind == nullptr) co_return OwnerState::kSolid;
  const std::string complaint = fmt::format("the owner {} {} (uid {}) is not in namespace \"{}\"",
                                            reference.kind, reference.name, reference.uid, ns);
  if (kind->namespaced && ns.empty()) {
    co_await events_.warning(dependent, "OwnerRefInvalidNamespace", complaint);
    co_return OwnerState::kSolid;
  }
  const Resource resource = kind->resource;
  const Key owner_key{kind->namespaced ? ns : "", reference.name};
  const OwnerGraph::Member* member = graph_.find(reference.uid);
  if (member != nullptr && member->gone) co_return OwnerState::kDangling;
  if (member != nullptr && member->object != nullptr) {
    const Json& owner = member->object->body();
    if (!is_cross_reference(dependent->body(), reference, owner)) {
      co_return state_of_present(owner);
    }
    co_await events_.warning(dependent, "OwnerRefInvalidNamespace", complaint);
    co_return OwnerState::kDangling;
  }
  // Younger than our copy, or never there: only the server knows.
  auto owner = co_await api_.get(resource, owner_key);
  if (owner.failed_with(Code::kNotFound)) co_return OwnerState::kDangling;
  if (!owner) co_return std::move(owner).error();
  if (uid_of((*owner)->body()) != reference.uid) co_return OwnerState::kDangling;
  co_return state_of_present((*owner)->body());
}

awaitable<Result<>> GarbageCollector::apply(Resource resource, ObjectPtr object,
                                            CollectionStep step) {
  if (step.let_go) co_return co_await drop_finalizer(resource, object, kForegroundFinalizer);
  std::string version(string_at(object->body(), "metadata.resourceVersion"));
  if (step.owners) {
    CO_TRY_OK(co_await set_owners(resource, object, *std::move(step.owners)));
    version.clear();  // it is another one now; the uid must do
  }
  if (step.remove.empty()) co_return Ok();
  const Key key = key_of(object->body());
  log_debug("removing what belonged to a deleted object",
            {{"resource", resource.plural}, {"object", key}});
  client::DeleteOptions options;
  options.uid = uid_of(object->body());
  options.resource_version = std::move(version);
  options.propagation = std::move(step.remove);
  auto removed = co_await api_.remove(resource, key, std::move(options));
  if (!removed && !removed.failed_with(Code::kNotFound)) co_return removed;
  co_return Ok();
}

awaitable<Result<>> GarbageCollector::set_owners(Resource resource, ObjectPtr object,
                                                 JsonArray owners) {
  Json patch = metadata_patch(object->body(), "ownerReferences", std::move(owners));
  co_return unless_gone(co_await api_.patch(resource, key_of(object->body()),
                                            client::PatchType::kMerge, std::move(patch), ""));
}

awaitable<Result<>> GarbageCollector::drop_finalizer(Resource resource, ObjectPtr object,
                                                     std::string finalizer) {
  JsonArray others;
  for (const Json& one : array_at(object->body(), "metadata.finalizers")) {
    if (text_of(one) != finalizer) others.push_back(one);
  }
  Json patch = metadata_patch(object->body(), "finalizers", std::move(others));
  co_return unless_gone(co_await api_.patch(resource, key_of(object->body()),
                                            client::PatchType::kMerge, std::move(patch), ""));
}

/// Asks the server for the dependents instead of the graph: one that the watch has not told of yet
/// would be removed with its owner, which is the very thing that was not asked for.
awaitable<Result<>> GarbageCollector::orphan_dependents(Resource resource, ObjectPtr object) {
  const std::string uid(uid_of(object->body()));
  for (const ServedKind& kind : kinds_.all()) {
    client::ListOptions where;
    where.ns = namespace_of(object->body());
    if (!where.ns.empty() && !kind.namespaced) continue;
    auto listed = co_await api_.list(kind.resource, where);
    if (listed.failed_with(Code::kNotFound)) continue;  // the kind has just gone
    if (!listed) co_return std::move(listed).error();
    for (const ObjectPtr& dependent : listed->items) {
      CO_TRY_OK(co_await orphan(kind.resource, dependent, uid));
    }
  }
  co_return co_await drop_finalizer(resource, object, kOrphanFinalizer);
}

awaitable<Result<>> GarbageCollector::orphan(Resource resource, ObjectPtr dependent,
                                             std::string owner_uid) {
  JsonArray others;
  const JsonArray& owners = array_at(dependent->body(), "metadata.ownerReferences");
  for (const Json& owner : owners) {
    if (string_at(owner, "uid") != owner_uid) others.push_back(owner);
  }
  if (others.size() == owners.size()) co_return Ok();
  co_return co_await set_owners(std::move(resource), std::move(dependent), std::move(others));
}

}  // namespace trainyard::workloads
