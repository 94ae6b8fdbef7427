#include "node/node_spec.h"

#include "base/words/text.h"
#include "object/values/names.h"

#include <fmt/format.h>

#include <charconv>
#include <string_view>

namespace trainyard::node {
namespace {

constexpr std::size_t kMostNodes = 1000;
constexpr std::int64_t kMostGpus = 1024;
constexpr std::int64_t kNotSaid = -1;

Error wrong(const std::string& what) {
  return Error(Code::kInvalid,
               what + "; write --nodes as '3*role=master;2*gpu=2,cpu=8,memory=32Gi'");
}

std::optional<std::int64_t> whole_number(std::string_view text, std::int64_t most) {
  std::int64_t number = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool all = parsed.ec == std::errc() && parsed.ptr == text.data() + text.size();
  if (!all || text.empty() || number < 0 || number > most) return std::nullopt;
  return number;
}

Result<> set_label(NodeSpec& node, std::string_view key, std::string_view value) {
  std::vector<std::string> problems = qualified_name_problems(key);
  for (std::string& problem : label_value_problems(value)) problems.push_back(std::move(problem));
  if (!problems.empty()) {
    return wrong(fmt::format("--nodes: {}={} is no label: {}", key, value, problems.front()));
  }
  node.labels[std::string(key)] = value;
  // kubectl get nodes shows roles by these labels.
  if (key == "role" && !value.empty())
    node.labels[fmt::format("node-role.kubernetes.io/{}", value)] = "";
  return Ok();
}

Result<> set_property(NodeSpec& node, std::string_view key, std::string_view value) {
  if (key == "cpu" || key == "memory") {
    const auto amount = Quantity::parse(value);
    if (!amount || *amount <= Quantity()) {
      return wrong(fmt::format("--nodes: {}={} is no amount", key, value));
    }
    (key == "cpu" ? node.cpu : node.memory) = *amount;
    return Ok();
  }
  if (key == "gpu" || key == "pods") {
    const auto number = whole_number(value, key == "gpu" ? kMostGpus : 100'000);
    if (!number) {
      return wrong(fmt::format("--nodes: {}={} is no whole number that can be", key, value));
    }
    (key == "gpu" ? node.gpus : node.pods) = *number;
    return Ok();
  }
  return set_label(node, key, value);
}

/// One group, such as 3*gpu=2,zone=a; how many nodes it means.
Result<std::int64_t> read_group(std::string_view text, NodeSpec& node) {
  std::int64_t count = 1;
  const std::size_t star = text.find('*');
  std::string_view properties = text;
  if (star != std::string_view::npos) {
    const auto given = whole_number(text.substr(0, star), kMostNodes);
    if (!given || *given == 0) {
      return wrong(
          fmt::format("--nodes: '{}' does not begin with a count from 1 to {}", text, kMostNodes));
    }
    count = *given;
    properties = text.substr(star + 1);
  } else if (const auto only_count = whole_number(text, kMostNodes);
             only_count && *only_count > 0) {
    return *only_count;  // --nodes 3: three of the plain kind
  }
  for (const std::string_view property : split(properties, ',')) {
    const std::size_t equals = property.find('=');
    if (equals == 0 || equals == std::string_view::npos) {
      return wrong(fmt::format("--nodes: '{}' in '{}' is not KEY=VALUE", property, text));
    }
    TRY_OK(set_property(node, property.substr(0, equals), property.substr(equals + 1)));
  }
  return count;
}

Result<std::vector<NodeSpec>> read_groups(const std::string& text) {
  std::vector<NodeSpec> nodes;
  for (const std::string_view group : split(text, ';')) {
    NodeSpec node;
    node.gpus = kNotSaid;
    if (!text.empty()) {
      TRY(const std::int64_t count, read_group(group, node));
      nodes.insert(nodes.end(), static_cast<std::size_t>(count), node);
    } else {
      nodes.push_back(node);
    }
    if (nodes.size() > kMostNodes) {
      return wrong(fmt::format("--nodes: more than {} nodes on one machine", kMostNodes));
    }
  }
  return nodes;
}

/// How many GPUs the nodes get that do not say it; with a bare flag none.
Result<std::int64_t> fake_gpus_each(const std::optional<std::string>& flag) {
  if (!flag || flag->empty()) return std::int64_t{0};
  const auto number = whole_number(*flag, kMostGpus);
  if (number) return *number;
  return Error(Code::kInvalid,
               fmt::format("--fake-gpus {}: write how many GPUs each node shall seem to have, from "
                           "0 to {}",
                           *flag, kMostGpus));
}

/// Real GPUs, in the order of the nodes.
Result<> share_out(std::vector<NodeSpec>& nodes, std::int64_t found) {
  std::int64_t next = 0;
  for (NodeSpec& node : nodes) {
    if (node.gpus == kNotSaid) node.gpus = nodes.size() == 1 ? found : 0;
    node.first_gpu = next;
    next += node.gpus;
  }
  if (next <= found) return Ok();
  return Error(Code::kInvalid,
               fmt::format("--nodes gives {} GPUs to its nodes, and {} were found on this machine: "
                           "add --fake-gpus to only seem to have them",
                           next, found));
}

}  // namespace

Result<std::vector<NodeSpec>> read_nodes(const NodeFlags& flags) {
  TRY(std::vector<NodeSpec> nodes, read_groups(flags.nodes));
  TRY(const std::int64_t fakes, fake_gpus_each(flags.fake_gpus));
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    NodeSpec& node = nodes[i];
    node.name = fmt::format("node-{}", i);
    node.address = fmt::format("127.65.{}.{}", i / 254, i % 254 + 1);
    if (node.gpus == kNotSaid && flags.fake_gpus) node.gpus = fakes;
    node.fake_gpus = flags.fake_gpus.has_value() && node.gpus > 0;
  }
  if (!flags.fake_gpus) TRY_OK(share_out(nodes, flags.found_gpus));
  return nodes;
}

}  // namespace trainyard::node
