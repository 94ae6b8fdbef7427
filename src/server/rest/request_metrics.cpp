#include "server/rest/request_metrics.h"

#include "server/rest/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace trainyard::server {
namespace {

using monitor::MetricsText;
using Type = MetricsText::Type;

// Some of kube-apiserver's, so that its dashboards fit.
constexpr std::array<double, 13> kBounds{0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6,
                                         1,     2,     5,    10,  30,  60};

constexpr std::array<std::string_view, 7> kMethods{"GET",   "HEAD",   "POST",   "PUT",
                                                   "PATCH", "DELETE", "OPTIONS"};

/// Those that are none are not passed on.
std::string known_method(const std::string& method) {
  const bool known = std::find(kMethods.begin(), kMethods.end(), method) != kMethods.end();
  return known ? method : "OTHER";
}

std::string verb_name(const Access& access, Wire wire, const std::string& method) {
  if (wire == Wire::kSession) return "CONNECT";
  if (access.verb == "list") return "LIST";
  if (access.verb == "watch") return "WATCH";
  if (access.verb == "deletecollection") return "DELETECOLLECTION";
  return known_method(method);
}

std::string scope_name(const Access& access) {
  if (!access.key.name.empty()) return "resource";
  return access.key.ns.empty() ? "cluster" : "namespace";
}

std::array<MetricsText::Label, 6> as_labels(const RequestLabels& labels) {
  return {{{"verb", labels.verb},
           {"group", labels.group},
           {"version", labels.version},
           {"resource", labels.resource},
           {"subresource", labels.subresource},
           {"scope", labels.scope}}};
}

}  // namespace

RequestLabels labels_of(const Access& access, const KindPtr& kind, const std::string& method) {
  RequestLabels labels;
  if (!access.is_resource || kind == nullptr) {
    labels.verb = known_method(method);
    return labels;
  }
  const RestRow* row = find_subresource(access.subresource);
  const Wire wire = row == nullptr ? Wire::kObjects : row->details.wire;
  labels.verb = verb_name(access, wire, method);
  labels.group = kind->resource.group;
  labels.version = kind->resource.version;
  labels.resource = kind->resource.plural;
  labels.scope = scope_name(access);
  if (!access.subresource.empty())
    labels.subresource = row != nullptr ? access.subresource : "other";
  labels.long_running = labels.verb == "WATCH" || wire != Wire::kObjects;
  return labels;
}

RequestMetrics::Figures& RequestMetrics::figures_of(const RequestLabels& labels) {
  const auto known = figures_.find(labels);
  if (known != figures_.end()) return known->second;
  if (figures_.size() < kMost) return figures_[labels];
  RequestLabels other;
  other.verb = labels.verb;
  other.resource = "other";
  other.long_running = labels.long_running;
  return figures_[other];
}

void RequestMetrics::begin(const RequestLabels& labels) {
  ++figures_of(labels).running;
}

void RequestMetrics::end(const RequestLabels& labels, int status, double seconds) {
  Figures& figures = figures_of(labels);
  --figures.running;
  if (status == 0) return;
  ++figures.by_status[status];
  if (labels.long_running) return;
  if (!figures.duration) figures.duration.emplace(kBounds);
  figures.duration->observe(seconds);
}

void RequestMetrics::refused(const std::string& method, int status) {
  RequestLabels labels;
  labels.verb = known_method(method);
  ++figures_of(labels).by_status[status];
}

void RequestMetrics::write(MetricsText& metrics) const {
  metrics.family("apiserver_request_total", Type::kCounter,
                 "Requests that were answered, by what they asked for and the status.");
  for (const auto& [labels, figures] : figures_) {
    const auto common = as_labels(labels);
    std::array<MetricsText::Label, 7> all;
    std::copy(common.begin(), common.end(), all.begin());
    for (const auto& [status, count] : figures.by_status) {
      const std::string code = fmt::to_string(status);
      all.back() = {"code", code};
      metrics.sample(all, static_cast<double>(count));
    }
  }
  metrics.family("apiserver_request_duration_seconds", Type::kHistogram,
                 "How long requests took that do not run as long as their client wants.");
  for (const auto& [labels, figures] : figures_) {
    if (figures.duration) metrics.sample(as_labels(labels), *figures.duration);
  }
  metrics.family("apiserver_longrunning_requests", Type::kGauge,
                 "Watches, sessions and logs that are open.");
  double reading = 0;
  double writing = 0;
  for (const auto& [labels, figures] : figures_) {
    if (labels.long_running) {
      metrics.sample(as_labels(labels), static_cast<double>(figures.running));
      continue;
    }
    const bool reads = labels.verb == "GET" || labels.verb == "LIST" || labels.verb == "HEAD";
    (reads ? reading : writing) += static_cast<double>(figures.running);
  }
  metrics.family("apiserver_current_inflight_requests", Type::kGauge,
                 "Requests that are being answered.");
  metrics.sample({{"request_kind", "readOnly"}}, reading);
  metrics.sample({{"request_kind", "mutating"}}, writing);
}

}  // namespace trainyard::server
