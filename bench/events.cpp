// events FOLDER RUNS BYTES: writes event files as a training would, BYTES of them in each of RUNS
// folders: ten curves, a point of each at every step.
#include "monitor/events/event_writer.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>

namespace {

namespace writing = trainyard::monitor::writing;
namespace fs = std::filesystem;

constexpr std::array<const char*, 10> kTags{
    "train/loss", "train/accuracy", "train/learning_rate", "train/grad_norm", "train/tokens",
    "val/loss",   "val/accuracy",   "time/data",           "time/forward",    "time/backward"};

bool write_run(const fs::path& folder, std::uint64_t bytes, unsigned seed) {
  fs::create_directories(folder);
  std::ofstream file(folder / fmt::format("events.out.tfevents.1700000000.bench.{}", seed),
                     std::ios::binary);
  std::minstd_rand random(seed + 1);
  std::uniform_real_distribution<double> noise(0.0, 1.0);
  std::string text = writing::record(writing::field(1, 1.7e9) + writing::field(3, "brain.Event:2"));
  std::uint64_t written = 0;
  for (std::int64_t step = 0; written + text.size() < bytes; ++step) {
    const double when = 1.7e9 + 0.05 * static_cast<double>(step) + 0.002 * noise(random);
    for (std::size_t i = 0; i < kTags.size(); ++i) {
      const double value = 1.0 / std::sqrt(1.0 + static_cast<double>(step)) + 0.1 * noise(random);
      text += writing::record(writing::scalar_event(when + 1e-5 * static_cast<double>(i), step,
                                                    kTags[i], static_cast<float>(value)));
    }
    if (text.size() < 1 << 20) continue;
    file << text;
    written += text.size();
    text.clear();
  }
  file << text;
  return file.good();
}

std::uint64_t number(const char* text) {
  return std::strtoull(text, nullptr, 10);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4 || number(argv[2]) == 0) {
    fmt::print(stderr, "events FOLDER RUNS BYTES\n");
    return 2;
  }
  for (unsigned run = 0; run < number(argv[2]); ++run) {
    if (!write_run(fs::path(argv[1]) / fmt::format("run-{:04}", run), number(argv[3]), run)) {
      fmt::print(stderr, "events: the files could not be written to {}\n", argv[1]);
      return 1;
    }
  }
  return 0;
}
