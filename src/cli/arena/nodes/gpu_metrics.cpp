#include "cli/arena/nodes/gpu_metrics.h"

#include "http/client.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>

namespace trainyard::cli::arena {
namespace {

std::string environment_or(const char* name, const std::string& otherwise) {
  const char* value = std::getenv(name);
  return value != nullptr && *value != '\0' ? value : otherwise;
}

GpuSample& sample_of(GpuSamples& samples, const std::string& pod, const std::string& index) {
  std::vector<GpuSample>& of_pod = samples[pod];
  const auto place = std::find_if(of_pod.begin(), of_pod.end(), [&](const GpuSample& one) {
    return std::pair(one.index.size(), one.index) >= std::pair(index.size(), index);
  });
  if (place != of_pod.end() && place->index == index) return *place;
  GpuSample made;
  made.index = index;
  return *of_pod.insert(place, std::move(made));
}

/// A sample is [time, "value"].
double value_of(const Json& sample) {
  const JsonArray& pair = array_at(sample, "value");
  const JsonString* text = pair.size() == 2 ? pair[1].if_string() : nullptr;
  double value = 0;
  if (text != nullptr) std::from_chars(text->data(), text->data() + text->size(), value);
  return value;
}

awaitable<Result<Json>> ask(http::Client& client, MetricsSource source, std::string query) {
  http::ClientRequest request;
  request.target = "/api/v1/query?query=" + http::percent_encode(query);
  request.headers.add("Accept", "application/json");
  if (!source.token.empty()) request.headers.add("Authorization", "Bearer " + source.token);
  CO_TRY(const http::Response answer, co_await client.request(std::move(request)));
  if (answer.status != 200) {
    co_return Error(Code::kUnavailable, fmt::format("it answered with status {}", answer.status));
  }
  co_return parse_json(answer.body);
}

Result<GpuSamples> ask_for_all(Session& session, const MetricsSource& source,
                               const std::vector<std::string>& pods) {
  http::ClientOptions options;
  options.url = source.address;
  options.connect_timeout_seconds = 5;
  options.request_timeout_seconds = 10;
  http::Client client(session.loop(), std::move(options));
  GpuSamples samples;
  for (const GpuFigure figure :
       {GpuFigure::kDutyCycle, GpuFigure::kUsedBytes, GpuFigure::kTotalBytes}) {
    const std::string query =
        fmt::format("{}{{pod_name=~\"{}\"}}", series_of(figure), fmt::join(pods, "|"));
    TRY(const Json answer, session.run(ask(client, source, query)));
    add_figures(samples, figure, answer);
  }
  return samples;
}

}  // namespace

std::optional<MetricsSource> metrics_source(const Config& config) {
  MetricsSource source{environment_or("PROMETHEUS_ADDRESS", config.get("prometheus_address")),
                       environment_or("PROMETHEUS_TOKEN", config.get("prometheus_token"))};
  if (source.address.empty()) return std::nullopt;
  if (source.address.find("://") == std::string::npos) source.address.insert(0, "http://");
  while (source.address.ends_with('/')) source.address.pop_back();
  return source;
}

std::string series_of(GpuFigure figure) {
  switch (figure) {
    case GpuFigure::kDutyCycle:
      return "nvidia_gpu_duty_cycle";
    case GpuFigure::kUsedBytes:
      return "nvidia_gpu_memory_used_bytes";
    case GpuFigure::kTotalBytes:
      return "nvidia_gpu_memory_total_bytes";
  }
  return "";
}

void add_figures(GpuSamples& samples, GpuFigure figure, const Json& answer) {
  for (const Json& one : array_at(answer, "data.result")) {
    const std::string pod(string_at(one, "metric.pod_name"));
    if (pod.empty()) continue;
    GpuSample& sample = sample_of(samples, pod, std::string(string_at(one, "metric.minor_number")));
    (figure == GpuFigure::kDutyCycle   ? sample.duty_percent
     : figure == GpuFigure::kUsedBytes ? sample.used_bytes
                                       : sample.total_bytes) = value_of(one);
  }
}

GpuSamples load_gpu_samples(Context& context, const TrainingJob& job) {
  const std::optional<MetricsSource> source = metrics_source(context.config());
  if (!source) {
    context.log().warn(
        "how busy GPUs are is not known: install a GPU exporter and Prometheus, and name it by "
        "PROMETHEUS_ADDRESS or prometheus_address in ~/.arena/config");
    return {};
  }
  std::vector<std::string> pods;
  for (const ObjectPtr& pod : job.pods) pods.emplace_back(name_of(pod->body()));
  if (!source->token.empty() && !source->address.starts_with("https://")) {
    context.log().warn(
        fmt::format("how busy GPUs are is not known: the token for {} would be sent "
                    "in clear; name it by an https:// address",
                    source->address));
    return {};
  }
  const auto session = context.session();
  if (!session || pods.empty()) return {};
  auto samples = ask_for_all(**session, *source, pods);
  if (!samples) {
    context.log().warn(fmt::format("how busy GPUs are is not known: {} could not be asked: {}",
                                   source->address, samples.error().message()));
    return {};
  }
  if (samples->empty()) {
    context.log().warn(fmt::format("{} has no series {} of these pods: is the GPU exporter there?",
                                   source->address, series_of(GpuFigure::kDutyCycle)));
  }
  return *std::move(samples);
}

}  // namespace trainyard::cli::arena
