// metrics.k8s.io: what pods and nodes use, measured when it is asked for.
#include "server/rest/handlers.h"
#include "server/wire/request_options.h"

#include <fmt/format.h>

namespace trainyard::server {
namespace {

Json usage_json(const contract::Usage& usage) {
  return {{"cpu", fmt::format("{}n", usage.cpu_nanos)},
          {"memory", fmt::format("{}Ki", usage.memory_bytes / 1024)}};
}

/// What Kubernetes does not measure has names of ours; bytes a second.
Json container_usage_json(const contract::Usage& usage) {
  Json json = usage_json(usage);
  for (const auto& [name, amount] : {std::pair("trainyard.dev/disk-read", usage.disk_read),
                                     std::pair("trainyard.dev/disk-write", usage.disk_written),
                                     std::pair("trainyard.dev/network-in", usage.network_received),
                                     std::pair("trainyard.dev/network-out", usage.network_sent)}) {
    json.get_object()[name] = std::to_string(amount);
  }
  return json;
}

std::string window_text(std::chrono::nanoseconds window) {
  return fmt::format("{:.3f}s", std::chrono::duration<double>(window).count());
}

/// What all metrics begin with; labels are the measured object's, so that selectors find them.
Json metrics_of(const Kind& kind, const Json& object, WallTime time,
                std::chrono::nanoseconds window) {
  JsonObject metadata{{"name", name_of(object)}, {"creationTimestamp", format_time(time)}};
  if (kind.namespaced) metadata["namespace"] = namespace_of(object);
  if (const Json* labels = find(object, "metadata.labels")) metadata["labels"] = *labels;
  return {{"kind", kind.kind},
          {"apiVersion", kind.resource.api_version()},
          {"metadata", std::move(metadata)},
          {"timestamp", format_time(time)},
          {"window", window_text(window)}};
}

Json pod_metrics(const Kind& kind, const contract::Measured<contract::PodUsage>& measured,
                 const contract::PodUsage& one) {
  Json metrics = metrics_of(kind, one.pod->body(), measured.time, measured.window);
  JsonArray containers;
  for (const contract::ContainerUsage& container : one.containers) {
    containers.push_back(
        {{"name", container.name}, {"usage", container_usage_json(container.usage)}});
  }
  metrics.get_object()["containers"] = std::move(containers);
  return metrics;
}

Json node_metrics(const Kind& kind, const contract::Measured<contract::NodeUsage>& measured,
                  const contract::NodeUsage& one) {
  Json metrics = metrics_of(kind, one.node->body(), measured.time, measured.window);
  metrics.get_object()["usage"] = usage_json(one.usage);
  return metrics;
}

awaitable<std::vector<ObjectPtr>> measure(Call& call, contract::UsageSource& usage,
                                          std::vector<ObjectPtr> objects) {
  std::vector<ObjectPtr> metrics;
  const auto add = [&](Json json) {
    metrics.push_back(std::make_shared<StoredObject>(std::move(json), std::int64_t{0}));
  };
  if (call.kind->namespaced) {
    const auto measured = co_await usage.measure_pods(std::move(objects));
    for (const auto& one : measured.items) add(pod_metrics(*call.kind, measured, one));
  } else {
    const auto measured = co_await usage.measure_nodes(std::move(objects));
    for (const auto& one : measured.items) add(node_metrics(*call.kind, measured, one));
  }
  co_return metrics;
}

KindPtr measured_kind(const Call& call, const Verbs& verbs) {
  return verbs.kinds().find(call.kind->namespaced ? kPods : kNodes);
}

awaitable<Result<>> get_metrics(Call& call, Verbs& verbs, contract::UsageSource& usage) {
  CO_TRY(ObjectPtr object, verbs.get(*measured_kind(call, verbs), call.route.key));
  std::vector<ObjectPtr> objects{std::move(object)};
  const auto metrics = co_await measure(call, usage, std::move(objects));
  if (metrics.empty()) {
    co_return Error(Code::kNotFound,
                    fmt::format("nothing of {} runs on this machine", call.route.key.name));
  }
  co_return co_await call.send_object(200, metrics.front());
}

awaitable<Result<>> list_metrics(Call& call, Verbs& verbs, contract::UsageSource& usage) {
  CO_TRY(const ListRequest request, list_request(call.route, call.request.query));
  CO_TRY(Page page, verbs.list(*measured_kind(call, verbs), request));
  page.listing.objects = co_await measure(call, usage, std::move(page.listing.objects));
  co_return co_await call.send_list(page);
}

}  // namespace

CallHandler handle_get_metrics(const Sources& sources) {
  return handler(get_metrics, sources.verbs, sources.usage);
}

CallHandler handle_list_metrics(const Sources& sources) {
  return handler(list_metrics, sources.verbs, sources.usage);
}

}  // namespace trainyard::server
