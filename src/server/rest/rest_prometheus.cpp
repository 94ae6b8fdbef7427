// /metrics: the figures of this server in Prometheus' text format.
#include "base/unexpected.h"
#include "client/watching/controller.h"
#include "monitor/process_metrics.h"
#include "server/rest/rest.h"
#include "server/wire/encode.h"

namespace trainyard::server {
namespace {

using monitor::MetricsText;
using Type = MetricsText::Type;

void write_queues(MetricsText& metrics) {
  const auto all = client::Controller::figures_of_all();
  metrics.family("workqueue_depth", Type::kGauge, "Objects that wait for their controller.");
  for (const auto& one : all) metrics.sample({{"name", one.name}}, static_cast<double>(one.depth));
  metrics.family("workqueue_adds_total", Type::kCounter, "Objects that controllers were given.");
  for (const auto& one : all) metrics.sample({{"name", one.name}}, static_cast<double>(one.adds));
  metrics.family("workqueue_retries_total", Type::kCounter,
                 "Objects that controllers have to look at again since something failed.");
  for (const auto& one : all) {
    metrics.sample({{"name", one.name}}, static_cast<double>(one.retries));
  }
}

void write_store(MetricsText& metrics, const store::Store::Figures& figures) {
  metrics.family("apiserver_storage_objects", Type::kGauge, "Stored objects, by resource.");
  for (const auto& [collection, count] : figures.objects) {
    // Kubernetes writes resource.group.
    const std::size_t slash = collection.find('/');
    const std::string resource = slash == std::string::npos ? collection
                                                            : collection.substr(slash + 1) + "." +
                                                                  collection.substr(0, slash);
    metrics.sample({{"resource", resource}}, static_cast<double>(count));
  }
  metrics.one("trainyard_store_revision", Type::kGauge, "The revision of the last write.",
              static_cast<double>(figures.revision));
  metrics.one("trainyard_store_commits_total", Type::kCounter,
              "Commits of the store; one may hold many writes.",
              static_cast<double>(figures.commits));
  metrics.one("trainyard_store_rows_total", Type::kCounter, "Objects that were written or deleted.",
              static_cast<double>(figures.rows));
  metrics.one("trainyard_store_commit_seconds_total", Type::kCounter,
              "Time that the disk has taken for commits.", figures.commit_seconds);
  metrics.one("trainyard_store_history_bytes", Type::kGauge,
              "Memory of changes that are kept for watchers.",
              static_cast<double>(figures.history_bytes));
}

}  // namespace

std::string RestHandler::metrics_text() const {
  MetricsText metrics;
  requests_.write(metrics);
  write_queues(metrics);
  write_store(metrics, verbs_.store().figures());
  metrics.one("trainyard_internal_errors_total", Type::kCounter,
              "Failures that nobody expected, each contained to one request or object.",
              static_cast<double>(contained_failures()));
  monitor::write_process(metrics, monitor::read_process("/proc"));
  if (more_metrics_) more_metrics_(metrics);
  return metrics.text();
}

awaitable<Result<>> RestHandler::answer_metrics(const http::Request& request,
                                                http::ResponseWriter& writer) {
  http::Response response;
  response.headers.add("Content-Type", MetricsText::kContentType);
  response.body = metrics_text();
  compress(request, response);
  co_return co_await writer.send(std::move(response));
}

}  // namespace trainyard::server
