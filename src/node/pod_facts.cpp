#include "node/pod_facts.h"

#include <fmt/format.h>

namespace trainyard::node {

std::string container_id(const PodFacts& facts, const std::string& container, int number) {
  return fmt::format("trainyard://{}/{}/{}", facts.uid, container, number);
}

std::string full_name(const PodFacts& facts) {
  return fmt::format("{}_{}({})", facts.name, facts.ns, facts.uid);
}

}  // namespace trainyard::node
