#pragma once

#include "base/clock.h"
#include "monitor/metrics_text.h"
#include "object/schema/kind.h"
#include "server/access/access.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace trainyard::server {

/// How a request is counted, in kube-apiserver's words. What was asked for that is not served has
/// no resource: nobody makes labels up for us.
struct RequestLabels {
  std::string verb;  // GET, LIST, WATCH, POST, …
  std::string group;
  std::string version;
  std::string resource;
  std::string subresource;
  std::string scope;          // resource, namespace or cluster
  bool long_running = false;  // it lasts as long as its client wants

  auto operator<=>(const RequestLabels&) const = default;
};

/// `kind`: null when there is no such resource.
RequestLabels labels_of(const Access& access, const KindPtr& kind, const std::string& method);

/// Counts the API's requests. Lives on the loop.
class RequestMetrics {
 public:
  void begin(const RequestLabels& labels);
  /// Must follow begin(). `status` 0: its client has gone before it was answered.
  void end(const RequestLabels& labels, int status, double seconds);
  /// One that was refused before anybody knew who asks.
  void refused(const std::string& method, int status);

  void write(monitor::MetricsText& metrics) const;

 private:
  static constexpr std::size_t kMost =
      2000;  // different labels; what comes later is counted as one

  struct Figures {
    std::map<int, std::uint64_t> by_status;
    std::optional<monitor::MetricHistogram> duration;  // of those that do not run long
    std::int64_t running = 0;
  };
  Figures& figures_of(const RequestLabels& labels);

  std::map<RequestLabels, Figures> figures_;
};

}  // namespace trainyard::server
