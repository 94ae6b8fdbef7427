// The verbs that end things, and the one that places pods.
#include "object/values/quota.h"
#include "object/values/status.h"
#include "server/admission/definitions.h"
#include "server/status.h"
#include "server/verbs/verbs.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <set>

namespace trainyard::server {
namespace {

constexpr std::int64_t kDefaultGrace = 30;
constexpr std::string_view kForeground = "foregroundDeletion";
constexpr std::string_view kOrphan = "orphan";

bool has_finalizers(const Json& object) {
  return !array_at(object, "metadata.finalizers").empty();
}

/// How long a pod gets to end: nothing where no process can be running.
std::int64_t pod_grace(const Json& pod, const std::optional<std::int64_t>& asked) {
  if (string_at(pod, "spec.nodeName").empty() || has_ended(pod)) return 0;
  constexpr std::int64_t kLongest = 31'536'000;  // a year, as spec.terminationGracePeriodSeconds
  if (asked) return std::clamp<std::int64_t>(*asked, 0, kLongest);
  return std::clamp<std::int64_t>(int_at(pod, "spec.terminationGracePeriodSeconds", kDefaultGrace),
                                  0, kLongest);
}

void set_finalizer(Json& object, std::string_view name, bool wanted) {
  JsonArray kept;
  for (const Json& one : array_at(object, "metadata.finalizers")) {
    if (!one.is_string() || one.get_string() != name) kept.push_back(one);
  }
  if (wanted) kept.emplace_back(name);
  Json& finalizers = make_path(object, "metadata.finalizers");
  finalizers = std::move(kept);
  if (finalizers.get_array().empty()) {
    JsonObject& metadata = object.get_object()["metadata"].get_object();
    metadata.stable_erase(metadata.find("finalizers"));
  }
}

/// What becomes of dependents is kept as a finalizer, which the garbage collector works off.
void note_propagation(Json& object, const std::string& propagation) {
  if (propagation.empty()) return;
  set_finalizer(object, kForeground, propagation == "Foreground");
  set_finalizer(object, kOrphan, propagation == "Orphan");
}

Json marked_for_deletion(const Kind& kind, Json object, WallTime now, std::int64_t grace) {
  // A second request may shorten the time that is left, never lengthen it.
  if (is_being_deleted(object) && int_at(object, "metadata.deletionGracePeriodSeconds") <= grace) {
    return object;
  }
  make_path(object, "metadata.deletionTimestamp") = format_time(now + std::chrono::seconds(grace));
  make_path(object, "metadata.deletionGracePeriodSeconds") = grace;
  if (kind.resource == kNamespaces) make_path(object, "status.phase") = "Terminating";
  if (kind.resource == kDefinitions) note_termination(object, now);
  return object;
}

Result<> check_preconditions(const Kind& kind, const Json& current, const DeleteRequest& request) {
  if (request.check) TRY_OK(request.check(current));
  const auto differs = [&](const char* what, const std::string& asked, std::string_view there) {
    return Error(Code::kConflict,
                 fmt::format("Operation cannot be fulfilled on {} \"{}\": Precondition failed: {} "
                             "in precondition: {}, {} in object meta: {}",
                             kind.resource.plural, name_of(current), what, asked, what, there));
  };
  if (!request.uid.empty() && request.uid != uid_of(current)) {
    return differs("UID", request.uid, uid_of(current));
  }
  const std::string_view version = string_at(current, "metadata.resourceVersion");
  if (!request.resource_version.empty() && request.resource_version != version) {
    return differs("ResourceVersion", request.resource_version, version);
  }
  return Ok();
}

Result<> check_removable(const KindTable& kinds, const Kind& kind, const Key& key) {
  if (kind.resource == kNamespaces && (key.name == "default" || key.name == "kube-system")) {
    return forbidden_object(kind, key.name, "this namespace may not be deleted");
  }
  if (kind.resource == kDefinitions && kinds.is_built_in(key.name)) {
    return forbidden_object(kind, key.name, "this kind is part of Trainyard");
  }
  return Ok();
}

/// The numbers in an annotation such as "0,2"; nothing when it is no such list, or names one twice.
std::optional<std::set<int>> numbers_in(std::string_view list) {
  std::set<int> numbers;
  while (true) {
    const std::string_view word = list.substr(0, list.find(','));
    int number = -1;
    const auto read = std::from_chars(word.data(), word.data() + word.size(), number);
    const bool whole = read.ec == std::errc() && read.ptr == word.data() + word.size();
    if (!whole || number < 0 || !numbers.insert(number).second) return std::nullopt;
    if (word.size() == list.size()) return numbers;
    list.remove_prefix(word.size() + 1);
  }
}

/// A pod that asks for GPUs is bound together with as many, by number: one that had fewer would
/// run without them, or share those of others.
Result<> check_gpus(const Json& pod, const client::Binding& binding) {
  const Amounts asked = pod_resources(pod, false);
  const auto found = asked.find(std::string(client::kGpuResource));
  const std::int64_t wanted = found == asked.end() ? 0 : found->second.as_integer();
  const auto told = binding.annotations.find(client::kGpusAnnotation);
  std::optional<std::set<int>> given = std::set<int>();
  if (told != binding.annotations.end()) given = numbers_in(told->second);
  if (given && std::ssize(*given) == wanted) return Ok();
  return Error(Code::kInvalid,
               fmt::format("pod {} asks for {} GPUs and would be bound with {}: GPUs are given out "
                           "by Trainyard's scheduler only, so leave spec.schedulerName out",
                           binding.pod.name, wanted,
                           given ? std::to_string(given->size()) : "\"" + told->second + "\""));
}

Result<> check_propagation(const DeleteRequest& request) {
  for (const char* known : {"", "Background", "Foreground", "Orphan"}) {
    if (request.propagation == known) return Ok();
  }
  return Error(Code::kInvalid,
               fmt::format("propagationPolicy: Unsupported value: \"{}\": supported values: "
                           "\"Background\", \"Foreground\", \"Orphan\"",
                           request.propagation));
}

}  // namespace

awaitable<Result<ObjectPtr>> Verbs::remove(KindPtr kind, Key key, DeleteRequest request) {
  CO_TRY_OK(check_propagation(request));
  CO_TRY_OK(check_removable(kinds_, *kind, key));
  if (request.dry_run) {
    CO_TRY(ObjectPtr current, get(*kind, key));
    CO_TRY_OK(check_preconditions(*kind, current->body(), request));
    co_return current;
  }
  if (is_heavy_there(*kind, key)) co_await turnstile_.pass();
  const WallTime now = clock_.wall();
  store::Store::Write write;
  write.collection = kind->collection;
  write.key = key;
  write.edit = [kind, name = key.name, request,
                now](const ObjectPtr& current) -> Result<store::Store::Decision> {
    if (current == nullptr) return not_found(*kind, name);
    TRY_OK(check_preconditions(*kind, current->body(), request));
    Json object = current->whole();
    note_propagation(object, request.propagation);
    const std::int64_t grace =
        kind->resource == kPods ? pod_grace(object, request.grace_seconds) : 0;
    const bool stays =
        grace > 0 || has_finalizers(object) ||
        (kind->resource == kNamespaces && !array_at(object, "spec.finalizers").empty());
    if (!stays) return store::Store::Decision();
    return store::Store::Decision(marked_for_deletion(*kind, std::move(object), now, grace));
  };
  CO_TRY(ObjectPtr written, co_await store_.write(std::move(write)));
  CO_TRY_OK(co_await after_write(kind, written));
  co_return present(*kind, std::move(written));
}

awaitable<Result<store::Listing>> Verbs::remove_collection(KindPtr kind, ListRequest selection,
                                                           DeleteRequest request) {
  CO_TRY(Page page, list(*kind, selection));
  for (const ObjectPtr& object : page.listing.objects) {
    auto removed = co_await remove(kind, key_of(object->body()), request);
    if (!removed && !removed.failed_with(Code::kNotFound)) co_return std::move(removed).error();
  }
  co_return std::move(page.listing);
}

awaitable<Result<>> Verbs::bind(std::vector<client::Binding> bindings) {
  std::vector<store::Store::Write> writes;
  const std::string now = format_time(clock_.wall());
  const KindPtr pods = kinds_.find(kPods);
  for (client::Binding& binding : bindings) {
    store::Store::Write write;
    write.collection = pods->collection;
    write.key = binding.pod;
    write.edit = [pods, binding = std::move(binding),
                  now](const ObjectPtr& current) -> Result<store::Store::Decision> {
      if (current == nullptr) return not_found(*pods, binding.pod.name);
      if (!string_at(current->body(), "spec.nodeName").empty() ||
          is_being_deleted(current->body())) {
        return Error(Code::kConflict,
                     fmt::format("pod {} is placed already or being deleted", binding.pod.name));
      }
      TRY_OK(check_gpus(current->body(), binding));
      Json pod = current->whole();
      make_path(pod, "spec.nodeName") = binding.node;
      for (const auto& [name, value] : binding.annotations) {
        Json& annotations = make_path(pod, "metadata.annotations");
        if (!annotations.is_object()) annotations = JsonObject();
        annotations.get_object()[name] = value;
      }
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
