#include "jobs/elastic.h"

#include <algorithm>
#include <numeric>

namespace trainyard::jobs {

std::vector<std::int64_t> divide_replicas(std::int64_t total,
                                          const std::vector<std::int64_t>& weights) {
  std::vector<std::int64_t> shares(weights.size(), 0);
  if (shares.empty()) return shares;
  const std::int64_t sum = std::accumulate(weights.begin(), weights.end(), std::int64_t{0});
  std::int64_t rest = total;
  for (std::size_t i = 0; i < weights.size() && sum > 0; ++i) {
    shares[i] = total * weights[i] / sum;
    rest -= shares[i];
  }
  shares.front() += rest;
  if (shares.front() == 0 && total > 0) {
    --*std::max_element(shares.begin(), shares.end());
    shares.front() = 1;
  }
  return shares;
}

void apply_elastic(JobForm& form, const Json& job) {
  const std::int64_t least = int_at(job, "spec.elastic.minReplicas", 1);
  const std::int64_t most = int_at(job, "spec.elastic.maxReplicas", form.total_replicas());
  const std::int64_t wish = int_at(job, "spec.elastic.expectedReplicas", form.total_replicas());
  const std::int64_t total = std::clamp(wish, least, std::max(least, most));
  std::vector<std::int64_t> weights;
  const JsonArray& specs = array_at(job, "spec.replicaSpecs");
  for (std::size_t i = 0; i < form.groups.size(); ++i) {
    weights.push_back(int_at(specs[i], "scalingWeight", form.groups[i].replicas));
  }
  const std::vector<std::int64_t> shares = divide_replicas(total, weights);
  for (std::size_t i = 0; i < form.groups.size(); ++i) form.groups[i].replicas = shares[i];
  form.least_replicas = least;
}

}  // namespace trainyard::jobs
