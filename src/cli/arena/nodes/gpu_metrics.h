#pragma once

#include "cli/arena/context.h"
#include "cli/arena/nodes/gpu_samples.h"
#include "cli/arena/training_job.h"

#include <optional>
#include <string>
#include <vector>

/// How busy GPUs are, as a Prometheus with the exporter of NVIDIA's figures knows it.
namespace trainyard::cli::arena {

struct MetricsSource {
  std::string address;  // http://HOST:PORT
  std::string token;    // may be empty
};
/// PROMETHEUS_ADDRESS and PROMETHEUS_TOKEN, else those of the config file; nothing without an
/// address.
std::optional<MetricsSource> metrics_source(const Config& config);

enum class GpuFigure : std::uint8_t { kDutyCycle, kUsedBytes, kTotalBytes };
/// The series that tells it.
std::string series_of(GpuFigure figure);
/// Adds what an answer of Prometheus's says of pods.
void add_figures(GpuSamples& samples, GpuFigure figure, const Json& answer);

/// Of the job's pods. Who cannot be asked, or knows nothing, is named in a warning.
GpuSamples load_gpu_samples(Context& context, const TrainingJob& job);

}  // namespace trainyard::cli::arena
