#include "client/events.h"

#include "base/ids.h"
#include "base/log.h"

#include <fmt/format.h>

namespace trainyard::client {

awaitable<void> EventRecorder::normal(ObjectPtr about, std::string reason, std::string message) {
  return record(std::move(about), "Normal", std::move(reason), std::move(message));
}

awaitable<void> EventRecorder::warning(ObjectPtr about, std::string reason, std::string message) {
  return record(std::move(about), "Warning", std::move(reason), std::move(message));
}

awaitable<void> EventRecorder::record(ObjectPtr about, std::string type, std::string reason,
                                      std::string message) {
  const Json& object = about->body();
  const std::string now = format_time(clock_.wall());
  // The same message about the same object has the same name, so repeats find each other.
  const std::string name =
      fmt::format("{}.{:016x}", name_of(object),
                  fnv1a(fmt::format("{}|{}|{}|{}", uid_of(object), component_, reason, message)));
  const std::string ns =
      namespace_of(object).empty() ? "default" : std::string(namespace_of(object));
  Json event{
      {"apiVersion", "v1"},
      {"kind", "Event"},
      {"metadata", {{"name", name}, {"namespace", ns}}},
      {"involvedObject",
       {{"apiVersion", string_at(object, "apiVersion")},
        {"kind", string_at(object, "kind")},
        {"name", name_of(object)},
        {"namespace", namespace_of(object)},
        {"uid", uid_of(object)},
        {"resourceVersion", string_at(object, "metadata.resourceVersion")}}},
      {"type", type},
      {"reason", reason},
      {"message", message},
      {"source", {{"component", component_}}},
      {"firstTimestamp", now},
      {"lastTimestamp", now},
      {"count", 1},
  };
  auto written = co_await api_.create(kEvents, ns, std::move(event));
  if (written.failed_with(Code::kAlreadyExists)) {
    const Key key{ns, name};
    auto existing = co_await api_.get(kEvents, key);
    const std::int64_t count = existing ? int_at((*existing)->body(), "count", 1) : 1;
    Json repeat{{"count", count + 1}, {"lastTimestamp", now}};
    written = co_await api_.patch(kEvents, key, PatchType::kMerge, std::move(repeat), "");
  }
  if (!written) {
    log_warn("event not written", {{"reason", reason}, {"cause", written.error().message()}});
  }
}

}  // namespace trainyard::client
