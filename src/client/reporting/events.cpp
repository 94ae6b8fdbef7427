#include "client/reporting/events.h"

#include "base/crypto/ids.h"
#include "base/log.h"

#include <fmt/format.h>

namespace trainyard::client {
namespace {

constexpr std::size_t kLongestPrefix = 253 - 17;  // a name's limit, less ".0123456789abcdef"

Json reference_to(const Json& object) {
  return {{"apiVersion", string_at(object, "apiVersion")},
          {"kind", string_at(object, "kind")},
          {"name", name_of(object)},
          {"namespace", namespace_of(object)},
          {"uid", uid_of(object)},
          {"resourceVersion", string_at(object, "metadata.resourceVersion")}};
}

}  // namespace

awaitable<void> EventRecorder::normal(ObjectPtr about, std::string reason, std::string message) {
  return record(std::move(about), "Normal", std::move(reason), std::move(message));
}

awaitable<void> EventRecorder::warning(ObjectPtr about, std::string reason, std::string message) {
  return record(std::move(about), "Warning", std::move(reason), std::move(message));
}

awaitable<void> EventRecorder::record(ObjectPtr about, std::string type, std::string reason,
                                      std::string message) {
  const Json& object = about->body();
  EventCorrelator::Happening happening{fmt::format("{}|{}", component_, uid_of(object)), type,
                                       reason, std::move(message)};
  const auto entry = correlator_.correlate(happening, clock_.now());
  if (!entry) co_return;
  const std::string now = format_time(clock_.wall());
  // The same event about the same object has the same name, so that repeats find each other, also
  // those of a process that came before this one.
  const std::string name =
      fmt::format("{}.{:016x}", name_of(object).substr(0, kLongestPrefix), fnv1a(entry->id));
  JsonObject source{{"component", component_}};
  if (!instance_.empty()) source["host"] = instance_;
  const std::string_view ns = namespace_of(object);
  Json event{
      {"apiVersion", "v1"},
      {"kind", "Event"},
      {"metadata", {{"name", name}, {"namespace", ns.empty() ? "default" : ns}}},
      {"involvedObject", reference_to(object)},
      {"type", type},
      {"reason", reason},
      {"message", entry->message},
      {"source", std::move(source)},
      {"reportingComponent", component_},
      {"reportingInstance", instance_},
      {"firstTimestamp", now},
      {"lastTimestamp", now},
      {"count", 1},
  };
  about = nullptr;  // it may rest while the event is written
  const Result<> written = co_await write(std::move(event), entry->before > 0);
  // In a namespace that is going away nothing can be said any more.
  if (!written && !written.failed_with(Code::kForbidden)) {
    log_warn("event not written", {{"reason", reason}, {"cause", written.error().message()}});
  }
}

awaitable<Result<>> EventRecorder::write(Json event, bool probably_there) {
  Key key = key_of(event);
  if (probably_there) {
    auto counted = co_await count_again(key, event);
    if (counted || !counted.failed_with(Code::kNotFound)) co_return counted;
  }
  auto created = co_await api_.create(kEvents, key.ns, event);
  if (created) co_return Ok();
  if (!created.failed_with(Code::kAlreadyExists)) co_return std::move(created).error();
  co_return co_await count_again(std::move(key), std::move(event));
}

awaitable<Result<>> EventRecorder::count_again(Key key, Json event) {
  CO_TRY(const ObjectPtr existing, co_await api_.get(kEvents, key));
  Json repeat{{"count", int_at(existing->body(), "count", 1) + 1},
              {"lastTimestamp", string_at(event, "lastTimestamp")},
              {"message", string_at(event, "message")}};
  CO_TRY_OK(co_await api_.patch(kEvents, key, PatchType::kMerge, std::move(repeat), ""));
  co_return Ok();
}

}  // namespace trainyard::client
