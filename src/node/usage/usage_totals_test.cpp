#include "node/usage/usage_totals.h"

#include <gtest/gtest.h>

#include <limits>

namespace trainyard::node {
namespace {

ContainerTotals totals(const std::string& pod) {
  ContainerTotals one;
  one.pod = {"default", pod};
  one.node = "node-0";
  one.container = "main";
  one.owner = {"PyTorchTrainingJob", "fit", "u"};
  one.cpu_seconds = 1.5;
  one.memory_bytes = 4096;
  one.threads = 3;
  return one;
}

std::string written(const std::vector<ContainerTotals>& all, std::size_t most = 10) {
  monitor::MetricsText metrics;
  write_usage(metrics, all, most);
  return metrics.text();
}

TEST(UsageTotals, AreCalledAsKubernetesCallsThem) {
  const std::string text = written({totals("a")});
  const std::string labels =
      "{namespace=\"default\",pod=\"a\",container=\"main\",node=\"node-0\","
      "job_kind=\"PyTorchTrainingJob\",job_name=\"fit\"} ";
  EXPECT_NE(text.find("container_cpu_usage_seconds_total" + labels + "1.5\n"), std::string::npos)
      << text;
  EXPECT_NE(text.find("container_memory_working_set_bytes" + labels + "4096\n"), std::string::npos);
  EXPECT_NE(text.find("container_threads" + labels + "3\n"), std::string::npos);
}

TEST(UsageTotals, OfGpusOnlyWhatTheirDriverTells) {
  ContainerTotals one = totals("a");
  one.gpus[2].utilization = 97;
  one.gpus[2].power = std::numeric_limits<float>::quiet_NaN();
  const std::string text = written({one});
  EXPECT_NE(text.find("nvidia_gpu_duty_cycle{namespace=\"default\",pod_name=\"a\","
                      "node_name=\"node-0\",minor_number=\"2\"} 97\n"),
            std::string::npos)
      << text;
  EXPECT_EQ(text.find("nvidia_gpu_power_usage_watts{"), std::string::npos);
}

TEST(UsageTotals, OfTooManyTheRestIsCounted) {
  const std::string text = written({totals("a"), totals("b"), totals("c")}, 2);
  EXPECT_EQ(text.find("pod=\"c\""), std::string::npos);
  EXPECT_NE(text.find("trainyard_usage_containers_left_out 1\n"), std::string::npos);
}

}  // namespace
}  // namespace trainyard::node
