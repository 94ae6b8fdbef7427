// series_bench: what a day of a container's usage takes on disk, and how long range queries of it
// take, from its files to the answer. Exit code 1 when a goal is missed.
#include "base/files/test_folder.h"
#include "monitor/series/series_compaction.h"
#include "node/usage/usage_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <random>

namespace {

using namespace trainyard;
using namespace trainyard::monitor;

constexpr std::int64_t kStart = 1'700'000'000'000;
constexpr std::int64_t kDay = 24 * 3'600'000;
constexpr unsigned kReplicas = 8;
constexpr std::size_t kFlushed = 10;  // samples at once, as the recorder writes them
constexpr int kRounds = 21;

/// As the recorder measures a training: CPU and network noisy, memory slowly growing, disks now and
/// then.
std::vector<SeriesRow> day(unsigned seed) {
  std::minstd_rand random(seed);
  std::normal_distribution<float> noise(0, 1);
  std::vector<SeriesRow> rows;
  for (std::int64_t at = kStart; at < kStart + kDay;) {
    const std::int64_t end = at + 2000 + static_cast<std::int64_t>(random() % 4);
    const auto i = static_cast<float>(rows.size());
    const bool saves = rows.size() % 300 < 3;
    // In the order of the recorder's columns.
    const float values[] = {3.8F + 0.05F * noise(random),
                            2e9F + 4096 * std::floor(i / 20),
                            5e7F + 2e6F * noise(random),
                            5e7F + 2e6F * noise(random),
                            rows.size() % 50 == 0 ? 2e6F + 1e5F * noise(random) : 0.0F,
                            saves ? 1e8F + 1e7F * noise(random) : 0.0F,
                            saves ? 400.0F : 3.0F,
                            17};
    SeriesRow row{{at, end}, {}};
    for (const float value : values) row.values.push_back(ValueRange::of(rounded(value)));
    rows.push_back(std::move(row));
    at = end;
  }
  return rows;
}

node::RecordedPod pod(unsigned replica) {
  const Json manifest{
      {"metadata",
       {{"name", fmt::format("fit-worker-{}", replica)},
        {"namespace", "default"},
        {"uid", fmt::format("uid-{}", replica)}}},
      {"spec", {{"containers", JsonArray{{{"name", "main"}}}}}},
  };
  node::RecordedPod made = node::recorded_pod(manifest, {}, kStart);
  made.end = kStart + kDay;
  return made;
}

bool say(const std::string& what, double value, const char* unit, double goal) {
  fmt::print("{}: {:.2f} {} (goal: below {:g}{})\n", what, value, unit, goal,
             value < goal ? "" : ", MISSED");
  return value < goal;
}

/// All replicas over the day, summed, in 600 steps, from their files.
double query(const node::UsageFiles& files, std::vector<std::string> metrics) {
  const auto began = std::chrono::steady_clock::now();
  contract::UsageQuestion question;
  question.together = contract::Together::kSum;
  question.metrics = std::move(metrics);
  std::vector<node::PodSeries> pods;
  for (unsigned i = 0; i < kReplicas; ++i) {
    const auto found = files.find(pod(i).uid);
    pods.push_back({std::make_shared<const node::RecordedPod>(*found), files.read(found->uid), {}});
  }
  const auto answer = node::answer_usage(question, pods, kStart + kDay);
  const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - began;
  return answer.items.at(0).usage.at(0).mean.at(300) > 0 ? took.count() : 1e9;
}

double median(const node::UsageFiles& files, const std::vector<std::string>& metrics) {
  std::vector<double> times;
  for (int i = 0; i < kRounds; ++i) times.push_back(query(files, metrics));
  std::sort(times.begin(), times.end());
  return times[kRounds / 2];
}

}  // namespace

int main() {
  const TestFolder folder;
  node::UsageFiles files(folder.path() / "usage");
  std::size_t samples = 0;
  std::size_t fresh = 0;
  std::size_t hour = 0;
  for (unsigned i = 0; i < kReplicas; ++i) {
    const auto rows = day(i + 1);
    samples = rows.size() * rows.front().values.size();
    node::UsageFiles::Batch batch{std::make_shared<const node::RecordedPod>(pod(i)), true, {}};
    for (std::size_t row = 0; row < rows.size(); row += kFlushed) {
      const auto part = std::span(rows).subspan(row, std::min(kFlushed, rows.size() - row));
      batch.rows.assign(part.begin(), part.end());
      files.write({batch});
      batch.describe = false;
    }
    fresh = files.read(batch.pod->uid).size();
    hour = compact(files.read(batch.pod->uid), {}, kStart).size();
    files.compact(batch.pod->uid, kStart + kDay);
  }
  fmt::print("a day of 2 s samples of 8 metrics: {} samples\n", samples);
  const auto each = [&](std::size_t bytes) {
    return static_cast<double>(bytes) / static_cast<double>(samples);
  };
  bool good = say("  as they are appended", each(fresh), "bytes a sample", 4);
  good &= say("  in large blocks", each(hour), "bytes a sample", 2.2);
  good &= say("  with what is old in fewer rows",
              static_cast<double>(files.read(pod(0).uid).size()) / 1000, "kB", 800);
  good &= say("  range query of the day for 8 replicas, one metric, median", median(files, {"cpu"}),
              "ms", 5);
  good &= say("  the same of two metrics, as a card of the console asks",
              median(files, {"cpu", "memory"}), "ms", 10);
  return good ? 0 : 1;
}
