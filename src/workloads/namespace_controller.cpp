#include "workloads/namespace_controller.h"

#include "client/watching/parallel.h"
#include "workloads/conditions.h"
#include "workloads/text.h"

#include <fmt/format.h>

namespace trainyard::workloads {

using namespace std::chrono_literals;

namespace {

constexpr std::size_t kRemovalsAtOnce = 16;
constexpr std::chrono::milliseconds kPause = 500ms;
constexpr const char* kOwnFinalizer = "kubernetes";

std::string full_name(const Resource& resource) {
  return resource.plural + "." + resource.group;
}

/// `pods. has 2 resource instances, …`: worded as Kubernetes does, since people search for it.
std::string list_counts(const std::map<std::string, std::size_t>& counts, const char* verb) {
  std::string text;
  for (const auto& [name, count] : counts) {
    text +=
        fmt::format("{}{} {} {} resource instances", text.empty() ? "" : ", ", name, verb, count);
  }
  return text;
}

bool holds_kubernetes(const Json& ns) {
  for (const Json& finalizer : array_at(ns, "spec.finalizers")) {
    if (text_of(finalizer) == kOwnFinalizer) return true;
  }
  return false;
}

}  // namespace

JsonArray namespace_conditions(const JsonArray& before, const NamespaceContents& contents,
                               WallTime now) {
  JsonArray conditions = before;
  const auto set = [&](const char* type, bool holds, const char* reason, std::string message) {
    set_condition(conditions, Condition{type, holds ? "True" : "False", reason, std::move(message)},
                  now);
  };
  const bool failed = !contents.failures.empty();
  set("NamespaceDeletionContentFailure", failed,
      failed ? "ContentDeletionFailed" : "ContentDeleted",
      failed ? fmt::format("{}", fmt::join(contents.failures, "; "))
             : "All content successfully deleted, may be waiting on finalization");
  const bool remain = !contents.objects.empty();
  set("NamespaceContentRemaining", remain, remain ? "SomeResourcesRemain" : "ContentRemoved",
      remain ? "Some resources are remaining: " + list_counts(contents.objects, "has")
             : "All content successfully removed");
  const bool held = !contents.finalizers.empty();
  set("NamespaceFinalizersRemaining", held,
      held ? "SomeFinalizersRemain" : "ContentHasNoFinalizers",
      held ? "Some content in the namespace has finalizers remaining: " +
                 list_counts(contents.finalizers, "in")
           : "All content-preserving finalizers finished");
  return conditions;
}

NamespaceController::NamespaceController(Executor loop, client::Api& api, Clock& clock,
                                         const ServedKinds& kinds)
    : api_(api),
      clock_(clock),
      kinds_(kinds),
      controller_("namespaces", loop, clock, *this),
      namespaces_(loop, api, clock, kNamespaces),
      tasks_(loop) {
  namespaces_.add_listener([this](const ObjectPtr& ns, bool deleted) {
    if (deleted || is_being_deleted(ns->body())) controller_.add(key_of(ns->body()));
  });
}

void NamespaceController::start() {
  tasks_.spawn("watch namespaces", namespaces_.run());
  controller_.start(/*workers=*/4);
}

awaitable<void> NamespaceController::stop() {
  co_await tasks_.stop();
  co_await controller_.stop();
}

awaitable<Result<client::Requeue>> NamespaceController::reconcile(Key key) {
  auto ns = co_await api_.get(kNamespaces, key);
  const bool gone = ns.failed_with(Code::kNotFound);
  if (!ns && !gone) co_return std::move(ns).error();
  if (ns && (!is_being_deleted((*ns)->body()) || !holds_kubernetes((*ns)->body()))) {
    co_return client::Requeue();
  }
  const NamespaceContents contents = co_await clear(key.name);
  const bool empty = contents.objects.empty() && contents.failures.empty();
  if (gone && empty) co_return client::Requeue();
  if (!gone) {
    CO_TRY_OK(co_await report(*ns, contents));
    if (empty) {
      CO_TRY_OK(co_await finalize(*ns));
      co_return client::Requeue();
    }
  }
  // What is left has been asked to go, and takes its time: pods, and what finalizers hold.
  if (contents.failures.empty()) co_return client::Requeue(kPause);
  co_return Error(Code::kUnavailable, contents.failures.front());
}

/// Asks every object to go, and looks at what is there afterwards.
awaitable<NamespaceContents> NamespaceController::clear(std::string ns) {
  NamespaceContents contents;
  std::vector<std::pair<Resource, ObjectPtr>> doomed;
  client::ListOptions where;
  where.ns = ns;
  std::vector<ServedKind> kinds = kinds_.all();
  kinds.push_back(ServedKind{kEvents, "Event", true});
  for (const ServedKind& kind : kinds) {
    if (!kind.namespaced) continue;
    auto listed = co_await api_.list(kind.resource, where);
    if (listed.failed_with(Code::kNotFound)) continue;  // the kind has just gone
    if (!listed) {
      contents.failures.push_back(
          fmt::format("listing {}: {}", full_name(kind.resource), listed.error().message()));
      continue;
    }
    for (ObjectPtr& object : listed->items) {
      const Json& body = object->body();
      if (!is_being_deleted(body)) {
        doomed.emplace_back(kind.resource, std::move(object));
        continue;
      }
      ++contents.objects[full_name(kind.resource)];
      for (const Json& finalizer : array_at(body, "metadata.finalizers")) {
        ++contents.finalizers[std::string(text_of(finalizer))];
      }
    }
  }
  const Result<> removed = co_await client::run_parallel(
      doomed.size(), kRemovalsAtOnce,
      [&](std::size_t index) { return remove(doomed[index].first, doomed[index].second); });
  if (!removed) contents.failures.push_back(removed.error().message());
  // A second look, for what went at once needs no wait, and what was made meanwhile must go too.
  if (!doomed.empty() && removed) {
    contents.objects.clear();
    contents.finalizers.clear();
    co_await count(ns, contents);
  }
  co_return contents;
}

awaitable<Result<>> NamespaceController::remove(Resource resource, ObjectPtr object) {
  client::DeleteOptions options;
  options.uid = uid_of(object->body());
  options.propagation = "Background";
  const Key key = key_of(object->body());
  auto removed = co_await api_.remove(resource, key, std::move(options));
  if (removed || removed.failed_with(Code::kNotFound)) co_return Ok();
  if (removed.failed_with(Code::kConflict)) co_return Ok();  // another one by now: the next look
  co_return std::move(removed).error().within(fmt::format("{} {}", full_name(resource), key));
}

awaitable<void> NamespaceController::count(std::string ns, NamespaceContents& contents) {
  client::ListOptions where;
  where.ns = ns;
  for (const ServedKind& kind : kinds_.all()) {
    if (!kind.namespaced) continue;
    auto listed = co_await api_.list(kind.resource, where);
    if (!listed) continue;
    for (const ObjectPtr& object : listed->items) {
      ++contents.objects[full_name(kind.resource)];
      for (const Json& finalizer : array_at(object->body(), "metadata.finalizers")) {
        ++contents.finalizers[std::string(text_of(finalizer))];
      }
    }
  }
}

awaitable<Result<>> NamespaceController::report(ObjectPtr ns, const NamespaceContents& contents) {
  const JsonArray& before = array_at(ns->body(), "status.conditions");
  JsonArray conditions = namespace_conditions(before, contents, clock_.wall());
  if (conditions == before) co_return Ok();
  Json patch{{"metadata", {{"uid", uid_of(ns->body())}}},
             {"status", {{"conditions", std::move(conditions)}}}};
  auto patched = co_await api_.patch(kNamespaces, key_of(ns->body()), client::PatchType::kMerge,
                                     std::move(patch), "status");
  if (patched || patched.failed_with(Code::kNotFound)) co_return Ok();
  co_return std::move(patched).error();
}

awaitable<Result<>> NamespaceController::finalize(ObjectPtr ns) {
  JsonArray others;
  for (const Json& finalizer : array_at(ns->body(), "spec.finalizers")) {
    if (text_of(finalizer) != kOwnFinalizer) others.push_back(finalizer);
  }
  Json left = others.empty() ? Json(nullptr) : Json(std::move(others));
  Json patch{{"spec", {{"finalizers", std::move(left)}}}};
  auto patched = co_await api_.patch(kNamespaces, key_of(ns->body()), client::PatchType::kMerge,
                                     std::move(patch), "finalize");
  if (patched || patched.failed_with(Code::kNotFound)) co_return Ok();
  co_return std::move(patched).error();
}

}  // namespace trainyard::workloads
