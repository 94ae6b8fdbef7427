#include "client/fake_api.h"

#include "object/patch/patch.h"
#include "object/values/selector.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace trainyard::client {
namespace {

constexpr const char* kForeground = "foregroundDeletion";
constexpr const char* kOrphan = "orphan";

struct Selectors {
  LabelSelector labels;
  FieldSelector fields;
  std::string ns;

  static Result<Selectors> parse(const ListOptions& options) {
    Selectors selectors;
    TRY(selectors.labels, LabelSelector::parse(options.labels));
    TRY(selectors.fields, FieldSelector::parse(options.fields));
    selectors.ns = options.ns;
    return selectors;
  }
  bool match(const Json& object) const {
    return (ns.empty() || namespace_of(object) == ns) && labels.matches(object) &&
           fields.matches(object);
  }
};

Json without(const Json& object, std::initializer_list<const char*> members) {
  JsonObject rest = object.get_object();
  for (const char* member : members) rest.erase(member);
  return rest;
}

void keep(Json& object, const Json& before, const std::string& path) {
  if (const Json* value = find(before, path)) {
    make_path(object, path) = *value;
  } else if (find(object, path) != nullptr) {
    const std::size_t dot = path.rfind('.');
    Json& parent = dot == std::string::npos ? object : *find(object, path.substr(0, dot));
    parent.get_object().erase(dot == std::string::npos ? path : path.substr(dot + 1));
  }
}

bool held(const Json& object) {
  return !array_at(object, "metadata.finalizers").empty() ||
         !array_at(object, "spec.finalizers").empty();
}

/// The finalizers that a deletion leaves: those that stand for what becomes of the dependents are
/// replaced by the one that was asked for.
JsonArray finalizers_after(const Json& object, const std::string& propagation) {
  const JsonArray& before = array_at(object, "metadata.finalizers");
  if (propagation.empty()) return before;
  JsonArray after;
  for (const Json& finalizer : before) {
    if (finalizer != kForeground && finalizer != kOrphan) after.push_back(finalizer);
  }
  if (propagation == "Foreground") after.emplace_back(kForeground);
  if (propagation == "Orphan") after.emplace_back(kOrphan);
  return after;
}

}  // namespace

class FakeWatch final : public Watch {
 public:
  FakeWatch(FakeApi& api, Resource resource, Selectors selectors, std::int64_t revision)
      : api_(api),
        resource_(std::move(resource)),
        selectors_(std::move(selectors)),
        broken_(api.broken_) {
    while (place_ < api_.history_.size() && api_.history_[place_].revision <= revision) ++place_;
  }

  awaitable<Result<WatchEvent>> next() override {
    while (true) {
      if (api_.broken_ != broken_) co_return Error(Code::kUnavailable, "the connection was cut");
      if (place_ == api_.history_.size()) {
        co_await api_.changed_.wait();
        continue;
      }
      const FakeApi::Change& change = api_.history_[place_++];
      if (change.type == WatchEvent::Type::kBookmark) {
        co_return WatchEvent{change.type, change.object};
      }
      if (change.resource != resource_) continue;
      const bool was = change.before != nullptr && selectors_.match(change.before->body());
      const bool is =
          change.type != WatchEvent::Type::kDeleted && selectors_.match(change.object->body());
      if (is) {
        const auto type = was ? WatchEvent::Type::kModified : WatchEvent::Type::kAdded;
        co_return WatchEvent{type, change.object};
      }
      if (was) co_return WatchEvent{WatchEvent::Type::kDeleted, change.object};
    }
  }

 private:
  FakeApi& api_;
  Resource resource_;
  Selectors selectors_;
  int broken_;
  std::size_t place_ = 0;
};

FakeApi::FakeApi(Executor loop, Clock& clock) : clock_(clock), changed_(loop) {}

Result<> FakeApi::begin(const Call& call) {
  ++calls_[call.verb];
  if (before_call) TRY_OK(before_call(call));
  if (unserved_.contains(call.resource)) {
    return Error(Code::kNotFound, "the server could not find the requested resource");
  }
  return Ok();
}

Result<ObjectPtr> FakeApi::finish(const Call& call, Result<ObjectPtr> written) const {
  if (written && after_write) TRY_OK(after_write(call));
  return written;
}

Result<ObjectPtr> FakeApi::current(const Resource& resource, const Key& key) const {
  if (ObjectPtr object = find(resource, key)) return object;
  return Error(Code::kNotFound, fmt::format("{} \"{}\" not found", resource.plural, key.name));
}

ObjectPtr FakeApi::find(const Resource& resource, const Key& key) const {
  const auto collection = objects_.find(resource);
  if (collection == objects_.end()) return nullptr;
  const auto object = collection->second.find(key);
  return object == collection->second.end() ? nullptr : object->second;
}

std::vector<ObjectPtr> FakeApi::all(const Resource& resource) const {
  std::vector<ObjectPtr> found;
  const auto collection = objects_.find(resource);
  if (collection == objects_.end()) return found;
  for (const auto& [key, object] : collection->second) found.push_back(object);
  return found;
}

ObjectPtr FakeApi::write(const Resource& resource, Json object) {
  const Key key = key_of(object);
  const ObjectPtr before = find(resource, key);
  make_path(object, "metadata.resourceVersion") = std::to_string(++revision_);
  auto stored = std::make_shared<const StoredObject>(std::move(object), revision_);
  objects_[resource][key] = stored;
  const auto type = before ? WatchEvent::Type::kModified : WatchEvent::Type::kAdded;
  history_.push_back(Change{revision_, resource, type, stored, before});
  changed_.notify_all();
  return stored;
}

void FakeApi::drop(const Resource& resource, const Key& key) {
  const ObjectPtr before = find(resource, key);
  if (before == nullptr) return;
  objects_[resource].erase(key);
  Json last = before->body();
  make_path(last, "metadata.resourceVersion") = std::to_string(++revision_);
  auto object = std::make_shared<const StoredObject>(std::move(last), revision_);
  history_.push_back(Change{revision_, resource, WatchEvent::Type::kDeleted, object, before});
  changed_.notify_all();
}

Result<ObjectPtr> FakeApi::make(const Resource& resource, const std::string& ns, Json object) {
  ++named_;
  if (!ns.empty()) {
    make_path(object, "metadata.namespace") = ns;
    const ObjectPtr home = find(kNamespaces, Key{"", ns});
    if (home != nullptr && is_being_deleted(home->body())) {
      return Error(Code::kForbidden, fmt::format("namespace {} is being terminated", ns));
    }
  }
  if (name_of(object).empty()) {
    make_path(object, "metadata.name") =
        fmt::format("{}{:05}", string_at(object, "metadata.generateName"), named_);
  }
  if (find(resource, key_of(object)) != nullptr) {
    return Error(Code::kAlreadyExists,
                 fmt::format("{} \"{}\" already exists", resource.plural, name_of(object)));
  }
  if (uid_of(object).empty()) make_path(object, "metadata.uid") = fmt::format("uid-{}", named_);
  make_path(object, "metadata.creationTimestamp") = format_time(clock_.wall());
  make_path(object, "metadata.generation") = 1;
  if (resource == kNamespaces) make_path(object, "spec.finalizers") = JsonArray{"kubernetes"};
  return write(resource, std::move(object));
}

Result<ObjectPtr> FakeApi::replace(const Resource& resource, const ObjectPtr& before, Json object,
                                   const std::string& part) {
  const Json& old = before->body();
  const std::string_view version = string_at(object, "metadata.resourceVersion");
  if ((!version.empty() && version != string_at(old, "metadata.resourceVersion")) ||
      (!uid_of(object).empty() && uid_of(object) != uid_of(old))) {
    return Error(Code::kConflict, fmt::format("{} has been modified", name_of(old)));
  }
  if (part == "status") {
    Json changed = old;
    keep(changed, object, "status");
    object = std::move(changed);
  } else if (part == "finalize") {
    Json changed = old;
    keep(changed, object, "spec.finalizers");
    object = std::move(changed);
  } else {
    keep(object, old, "status");
    if (resource == kNamespaces) keep(object, old, "spec.finalizers");
    for (const char* field : {"name", "namespace", "uid", "creationTimestamp", "generation",
                              "deletionTimestamp", "deletionGracePeriodSeconds"}) {
      keep(object, old, std::string("metadata.") + field);
    }
    if (without(object, {"metadata", "status"}) != without(old, {"metadata", "status"})) {
      make_path(object, "metadata.generation") = int_at(old, "metadata.generation") + 1;
    }
  }
  make_path(object, "metadata.resourceVersion") = string_at(old, "metadata.resourceVersion");
  if (is_being_deleted(object) && held(old) && !held(object) &&
      int_at(object, "metadata.deletionGracePeriodSeconds") == 0) {
    drop(resource, key_of(old));
    return before;
  }
  if (object == old) return before;
  return write(resource, std::move(object));
}

Result<> FakeApi::mark_or_drop(const Resource& resource, const ObjectPtr& object,
                               const DeleteOptions& options) {
  const Json& body = object->body();
  if ((!options.uid.empty() && options.uid != uid_of(body)) ||
      (!options.resource_version.empty() &&
       options.resource_version != string_at(body, "metadata.resourceVersion"))) {
    return Error(Code::kConflict, fmt::format("{} is not the object meant", name_of(body)));
  }
  JsonArray finalizers = finalizers_after(body, options.propagation);
  const bool runs = resource == kPods && !string_at(body, "spec.nodeName").empty() &&
                    string_at(body, "status.phase") != "Failed" &&
                    string_at(body, "status.phase") != "Succeeded";
  const std::int64_t grace = runs ? options.grace_seconds.value_or(30) : 0;
  Json marked = body;
  if (!is_being_deleted(body)) {
    make_path(marked, "metadata.deletionTimestamp") =
        format_time(clock_.wall() + std::chrono::seconds(grace));
    make_path(marked, "metadata.deletionGracePeriodSeconds") = grace;
    if (resource == kNamespaces) make_path(marked, "status.phase") = "Terminating";
  }
  make_path(marked, "metadata.finalizers") = std::move(finalizers);
  if (array_at(marked, "metadata.finalizers").empty()) {
    marked.get_object()["metadata"].get_object().erase("finalizers");
  }
  if (!held(marked) && grace == 0) {
    drop(resource, key_of(body));
  } else if (marked != body) {
    write(resource, std::move(marked));
  }
  return Ok();
}

awaitable<Result<ObjectPtr>> FakeApi::get(Resource resource, Key key) {
  CO_TRY_OK(begin(Call{"get", resource, key, ""}));
  co_return current(resource, key);
}

awaitable<Result<Listing>> FakeApi::list(Resource resource, ListOptions options) {
  CO_TRY_OK(begin(Call{"list", resource, Key{options.ns, ""}, ""}));
  CO_TRY(const Selectors selectors, Selectors::parse(options));
  Listing listing;
  listing.resource_version = std::to_string(revision_);
  for (const ObjectPtr& object : all(resource)) {
    if (selectors.match(object->body())) listing.items.push_back(object);
  }
  co_return listing;
}

awaitable<Result<std::unique_ptr<Watch>>> FakeApi::watch(Resource resource, ListOptions options,
                                                         std::string from_version) {
  CO_TRY_OK(begin(Call{"watch", resource, Key{options.ns, ""}, ""}));
  CO_TRY(Selectors selectors, Selectors::parse(options));
  std::int64_t revision = 0;
  std::from_chars(from_version.data(), from_version.data() + from_version.size(), revision);
  if (revision < oldest_) co_return Error(Code::kExpired, "too old resource version");
  std::unique_ptr<Watch> watch =
      std::make_unique<FakeWatch>(*this, std::move(resource), std::move(selectors), revision);
  co_return watch;
}

awaitable<Result<ObjectPtr>> FakeApi::create(Resource resource, std::string ns, Json object) {
  const Call call{"create", resource, Key{ns, std::string(name_of(object))}, ""};
  CO_TRY_OK(begin(call));
  object.get_object().erase("status");
  co_return finish(call, make(resource, ns, std::move(object)));
}

awaitable<Result<ObjectPtr>> FakeApi::update(Resource resource, Json object) {
  const Call call{"update", resource, key_of(object), ""};
  CO_TRY_OK(begin(call));
  CO_TRY(const ObjectPtr before, current(resource, call.key));
  co_return finish(call, replace(resource, before, std::move(object), ""));
}

awaitable<Result<ObjectPtr>> FakeApi::update_status(Resource resource, Json object) {
  const Call call{"update", resource, key_of(object), "status"};
  CO_TRY_OK(begin(call));
  CO_TRY(const ObjectPtr before, current(resource, call.key));
  co_return finish(call, replace(resource, before, std::move(object), "status"));
}

awaitable<Result<ObjectPtr>> FakeApi::patch(Resource resource, Key key, PatchType type, Json patch,
                                            std::string subresource) {
  const Call call{"patch", resource, key, subresource};
  CO_TRY_OK(begin(call));
  CO_TRY(const ObjectPtr before, current(resource, key));
  Json patched = before->body();
  if (type == PatchType::kMerge) {
    apply_merge_patch(patched, patch);
  } else if (type == PatchType::kJson) {
    CO_TRY_OK(apply_json_patch(patched, patch));
  } else {
    co_return Error(Code::kUnsupported, "the fake has no schemas to merge by");
  }
  co_return finish(call, replace(resource, before, std::move(patched), subresource));
}

awaitable<Result<>> FakeApi::remove(Resource resource, Key key, DeleteOptions options) {
  const Call call{"remove", resource, key, ""};
  CO_TRY_OK(begin(call));
  CO_TRY(const ObjectPtr object, current(resource, key));
  CO_TRY_OK(mark_or_drop(resource, object, options));
  if (after_write) CO_TRY_OK(after_write(call));
  co_return Ok();
}

awaitable<Result<Json>> FakeApi::request_token(Key account, Json request) {
  CO_TRY_OK(begin(Call{"create", kServiceAccounts, account, "token"}));
  CO_TRY_OK(current(kServiceAccounts, account));
  const auto seconds = std::chrono::seconds(int_at(request, "spec.expirationSeconds", 3600));
  make_path(request, "status") =
      Json{{"token", "token of " + account.name},
           {"expirationTimestamp", format_time(clock_.wall() + seconds)}};
  co_return request;
}

awaitable<Result<>> FakeApi::bind(std::vector<Binding> bindings) {
  for (const Binding& binding : bindings) {
    CO_TRY_OK(begin(Call{"bind", kPods, binding.pod, ""}));
    CO_TRY(const ObjectPtr pod, current(kPods, binding.pod));
    if (!string_at(pod->body(), "spec.nodeName").empty() || is_being_deleted(pod->body())) {
      co_return Error(Code::kConflict, "placed already or being deleted");
    }
  }
  for (const Binding& binding : bindings) {
    Json pod = find(kPods, binding.pod)->body();
    make_path(pod, "spec.nodeName") = binding.node;
    for (const auto& [name, value] : binding.annotations) {
      Json& annotations = make_path(pod, "metadata.annotations");
      if (!annotations.is_object()) annotations = JsonObject();
      annotations.get_object()[name] = value;
    }
    make_path(pod, "status.conditions") = JsonArray{{{"type", "PodScheduled"}, {"status", "True"}}};
    write(kPods, std::move(pod));
  }
  co_return Ok();
}

ObjectPtr FakeApi::put(const Resource& resource, Json object) {
  const ObjectPtr before = find(resource, key_of(object));
  if (before != nullptr) {
    for (const char* field : {"uid", "creationTimestamp", "generation"}) {
      keep(object, before->body(), std::string("metadata.") + field);
    }
    return write(resource, std::move(object));
  }
  const std::string ns(namespace_of(object));
  return *make(resource, ns, std::move(object));
}

Result<> FakeApi::user_patches(const Resource& resource, const Key& key, const Json& patch) {
  TRY(const ObjectPtr before, current(resource, key));
  Json patched = before->body();
  apply_merge_patch(patched, patch);
  TRY_OK(replace(resource, before, std::move(patched), ""));
  return Ok();
}

Result<> FakeApi::user_removes(const Resource& resource, const Key& key, DeleteOptions options) {
  TRY(const ObjectPtr object, current(resource, key));
  return mark_or_drop(resource, object, options);
}

void FakeApi::erase(const Resource& resource, const Key& key) {
  drop(resource, key);
}

void FakeApi::break_watches() {
  ++broken_;
  changed_.notify_all();
}

void FakeApi::forget_history() {
  oldest_ = ++revision_;
  break_watches();
}

void FakeApi::send_bookmarks() {
  Json place{{"metadata", {{"resourceVersion", std::to_string(++revision_)}}}};
  auto object = std::make_shared<const StoredObject>(std::move(place), revision_);
  history_.push_back(Change{revision_, {}, WatchEvent::Type::kBookmark, object, nullptr});
  changed_.notify_all();
}

std::size_t FakeApi::calls(const std::string& verb) const {
  const auto found = calls_.find(verb);
  return found == calls_.end() ? 0 : found->second;
}

}  // namespace trainyard::client
